import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { BatchResult, Clock, QueueMessage } from '#shared/flow/system.ts';
import { watched } from './watchdog.ts';

/** Time that the functions of queues reserve for the response and the last log line. */
const QUEUE_MARGIN_MS = 2_000;

export type Handler<Result> = (event: unknown, context: Context) => Promise<Result>;

/** What Lambda calls: put together of the environment at the first call, and watched over from then on. */
export function entry<Result>(create: (variables: NodeJS.ProcessEnv) => Handler<Result>): Handler<Result> {
  let handle: Handler<Result> | undefined;
  return async (event, context) => {
    handle ??= watched(create(process.env));
    return await handle(event, context);
  };
}

/**
 * The logger of outcome lines. They are written whatever `functions.logLevel` says: alarms count them, and the queries
 * of the runbook and the dashboard read them.
 */
export function createLogger(): Logger {
  return new Logger({ logLevel: 'INFO' });
}

interface Composition<Input> {
  readonly logger: Logger;
  readonly clock: Clock;
  /** Time reserved for what follows the deadline: a step under way, the response and the last log line. */
  readonly marginMs?: number;
  /** Checks the event of an invocation, which fails with what this throws. */
  readonly readInput: (event: unknown) => Input;
}

/** What a function does with one input, until its deadline (ms since 1970). */
type Work<Input, Result> = (input: Input, deadline: number) => Promise<Result>;

/** What all functions share: the log names the request, the input is checked, and the work knows its deadline. */
export function compose<Input, Result>(
  { logger, clock, marginMs = 0, readInput }: Composition<Input>,
  work: Work<Input, Result>,
): Handler<Result> {
  const checkInput = {
    before: (request: { event: Input }) => {
      request.event = readInput(request.event);
    },
  };
  const composed = middy<Input, Result, Error, Context>()
    .use(injectLambdaContext(logger))
    .use(checkInput)
    .handler((input, context) => work(input, clock.now() + context.getRemainingTimeInMillis() - marginMs));
  return (event, context) => composed(event as Input, context);
}

/** The same for the messages of a queue, of which SQS delivers those again that failed. */
export function composeForQueue(
  parts: Pick<Composition<never>, 'logger' | 'clock'>,
  work: Work<QueueMessage[], BatchResult>,
): Handler<SQSBatchResponse> {
  const composition = { ...parts, marginMs: QUEUE_MARGIN_MS, readInput: toQueueMessages };
  return compose(composition, async (messages, deadline) => {
    const { failed } = await work(messages, deadline);
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  });
}

/** The messages of a batch. Binary attributes are left out. */
function toQueueMessages(event: unknown): QueueMessage[] {
  return (event as SQSEvent).Records.map(({ messageId, body, messageAttributes }) => ({
    id: messageId,
    body,
    attributes: Object.fromEntries(
      Object.entries(messageAttributes).flatMap(([name, { stringValue }]) =>
        stringValue === undefined ? [] : [[name, stringValue]],
      ),
    ),
  }));
}
