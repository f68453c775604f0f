import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SendMessageCommand, type SendMessageCommandInput } from '@aws-sdk/client-sqs';
import { afterEach, describe, expect, test } from 'vitest';
import { computeWaitMs } from '#local/aws/engines/messaging-engine.ts';
import { countMessages, queueUrl, readQueue } from '#local/aws/functions/queue-messages.ts';
import type { LocalAws } from '#local/aws/local-aws.ts';
import { createTemporaryFolder, fixtureFunction, type Resources } from '#test/local/aws/fixture-assembly.ts';
import { startAws, stopAll } from '#test/local/aws/fixture-aws.ts';
import { eventually } from '#test/support/eventually.ts';

type SqsMessage = NonNullable<ReturnType<LocalAws['inspectQueue']>>['messages']['ready'][number];

/** What deliveries to people and systems need of queues and topics. */

afterEach(stopAll);

/** The longest timer of Node. */
const FOR_EVER = 2_147_483_647;
const FIFO = 'Fixture-Jobs.fifo';
const STANDARD = 'Fixture-Jobs';

test('messages of a FIFO queue reach the function in order; a failed one blocks those behind it', async () => {
  const { aws, taken } = await start({ FifoQueue: true, VisibilityTimeout: 1 });
  for (const body of ['one', 'fail 2 times', 'three', 'four']) {
    await send(aws, FIFO, { MessageBody: body, MessageGroupId: 'g', MessageDeduplicationId: body });
  }
  await eventually(() => expect(taken()).toHaveLength(4));
  expect(taken()).toEqual(['1 one', '3 fail 2 times', '1 three', '1 four']);
});

test('after the maximum of receives a FIFO message is a dead letter, and the next ones follow', async () => {
  const { aws, taken } = await start({ FifoQueue: true, VisibilityTimeout: 1, maxReceiveCount: 1 });
  for (const body of ['fail 9 times', 'two']) {
    await send(aws, FIFO, { MessageBody: body, MessageGroupId: 'g', MessageDeduplicationId: body });
  }
  await eventually(() => expect(taken()).toEqual(['1 two']));
  expect(bodiesIn(aws, 'Fixture-DeadLetters.fifo')).toEqual(['fail 9 times']);
});

test('a single message of a standard queue can be delayed, and the trigger is idle meanwhile', async () => {
  const { aws, taken } = await start({});
  const sentAt = performance.now();
  await send(aws, STANDARD, { MessageBody: 'later', DelaySeconds: 1 });
  await send(aws, STANDARD, { MessageBody: 'now' });
  await eventually(() => expect(taken()).toEqual(['1 now']));
  await eventually(() => expect(aws.idle(() => true)).toBe(true));
  await eventually(() => expect(taken()).toEqual(['1 now', '1 later']));
  expect(performance.now() - sentAt).toBeGreaterThan(950);
});

test('a reader waits for messages without asking, and ends at once when it is told to finish', async () => {
  const { aws } = await start({});
  const sent: string[] = [];
  aws.sqs.middlewareStack.add(
    (next, { commandName }) =>
      async (request) => {
        sent.push(commandName ?? '');
        return await next(request);
      },
    { step: 'initialize' },
  );
  const bodies: string[] = [];
  const queue = { ...aws, queueName: 'Fixture-DeadLetters', batchSize: 1 };
  const reader = readQueue(queue, async (body) => void bodies.push(body));
  for (const body of ['one', 'two']) {
    await send(aws, 'Fixture-DeadLetters', { MessageBody: body });
    await eventually(() => expect(bodies).toContain(body));
  }
  await reader.finish();
  expect(bodies).toEqual(['one', 'two']);
  // A receive for each message, and the one that found the queue empty.
  expect(sent.filter((name) => name === 'ReceiveMessageCommand')).toHaveLength(3);
});

describe('how long a queue is waited for', () => {
  const message = (group?: string) => ({ messageGroupId: group }) as SqsMessage;
  const inFlight = (group: string | undefined, visibilityDeadline: number) => ({
    message: message(group),
    receiptHandle: 'r',
    visibilityDeadline,
  });
  test.each([
    ['nothing is in it', {}, FOR_EVER],
    ['there is a message', { ready: [message()] }, 0],
    [
      'one is delayed, and one in flight',
      { delayed: [{ ...message(), delayUntil: 1_500 }], inflight: [inFlight(undefined, 1_200)] },
      200,
    ],
    ['a group waits for one in flight', { ready: [message('a')], inflight: [inFlight('a', 9_000)] }, 8_000],
    ['another group does not', { ready: [message('a'), message('b')], inflight: [inFlight('a', 9_000)] }, 0],
  ])('%s', (_, messages, waitMs) => {
    expect(computeWaitMs({ ready: [], delayed: [], inflight: [], ...messages }, 1_000)).toBe(waitMs);
  });
});

test('a restart keeps the longest delay', async () => {
  const path = createTemporaryFolder('data');
  const first = await start({}, { path });
  await send(first.aws, STANDARD, { MessageBody: 'much later', DelaySeconds: 900 });
  await stopAll();
  const second = await start({}, { path });
  await send(second.aws, STANDARD, { MessageBody: 'now' });
  await eventually(() => expect(second.taken()).toEqual(['1 now']));
  // Deleted once the function has answered.
  await eventually(() =>
    expect(countMessages(second.aws, STANDARD)).toEqual({ visible: 0, inFlight: 0, delayed: 1 }),
  );
});

test('a failed message that waits for a retry leaves the trigger idle; one in progress does not', async () => {
  const { aws } = await start({ VisibilityTimeout: 600 });
  await send(aws, STANDARD, { MessageBody: 'fail 9 times' });
  expect(aws.idle(() => true)).toBe(false);
  await eventually(() => expect(aws.idle(() => true)).toBe(true));
  expect(countMessages(aws, STANDARD)).toEqual({ visible: 0, inFlight: 1, delayed: 0 });
});

test('what waits behind a failed message of a FIFO queue leaves the trigger idle', async () => {
  const { aws } = await start({ FifoQueue: true, VisibilityTimeout: 600 });
  for (const body of ['fail 9 times', 'behind']) {
    await send(aws, FIFO, { MessageBody: body, MessageGroupId: 'g', MessageDeduplicationId: body });
  }
  await eventually(() => expect(aws.idle(() => true)).toBe(true));
  expect(countMessages(aws, FIFO)).toEqual({ visible: 1, inFlight: 1, delayed: 0 });
});

test('a function runs as adapted, and in real time if requested', async () => {
  const clock = { startsAtMs: Date.parse('2031-05-01T00:00:00Z'), anchorMs: Date.now(), speed: 600 };
  const echo = fixtureFunction('echo', { Environment: { Variables: { COLOUR: 'red', SIZE: 'small' } } });
  const resources = { Role: { Type: 'AWS::IAM::Role' }, There: echo, Here: echo };
  const aws = await startAws(resources, {
    clock,
    adaptation: {
      adapt: (deployed) => ({ ...deployed, environment: { ...deployed.environment, COLOUR: 'blue' } }),
      inRealTime: ({ logicalId }) => logicalId === 'Here',
    },
  });
  const there = await aws.invoke('Fixture-There', {});
  const here = await aws.invoke('Fixture-Here', {});
  expect(there).toMatchObject({ year: 2031, environment: { COLOUR: 'blue', SIZE: 'small' } });
  expect(here).toMatchObject({ year: new Date().getUTCFullYear(), environment: { COLOUR: 'blue' } });
});

/** A machine with one queue and its function; `taken` are the processed messages with their receive count. */
async function start(
  { maxReceiveCount = 100, ...queue }: Record<string, unknown> & { maxReceiveCount?: number },
  given: Parameters<typeof startAws>[1] = {},
) {
  const file = join(createTemporaryFolder('taken'), 'taken');
  const aws = await startAws(queueResources({ file, maxReceiveCount, queue }), given);
  const taken = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []);
  return { aws, taken };
}

interface QueueFixture {
  readonly file: string;
  readonly maxReceiveCount: number;
  readonly queue: Record<string, unknown>;
}

function queueResources({ file, maxReceiveCount, queue }: QueueFixture): Resources {
  const { FifoQueue } = queue;
  const deadLetterTargetArn = { 'Fn::GetAtt': ['DeadLetters', 'Arn'] };
  return {
    Role: { Type: 'AWS::IAM::Role' },
    DeadLetters: { Type: 'AWS::SQS::Queue', Properties: FifoQueue === undefined ? {} : { FifoQueue } },
    Jobs: {
      Type: 'AWS::SQS::Queue',
      Properties: { ...queue, RedrivePolicy: { deadLetterTargetArn, maxReceiveCount } },
    },
    Take: fixtureFunction('takeInOrder', { Environment: { Variables: { TAKEN_FILE: file } } }),
    Trigger: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: { 'Fn::GetAtt': ['Jobs', 'Arn'] },
        FunctionName: { Ref: 'Take' },
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: 2 },
      },
    },
  };
}

async function send(
  { sqs }: LocalAws,
  queueName: string,
  message: Omit<SendMessageCommandInput, 'QueueUrl'>,
) {
  await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl(queueName), ...message }));
}

function bodiesIn({ inspectQueue }: LocalAws, queueName: string): string[] {
  return inspectQueue(queueName)?.messages.ready.map(({ body }) => body) ?? [];
}
