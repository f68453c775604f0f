import type { Deployment } from '#local/aws/template/deployment.ts';
import { ENVIRONMENT, EVENT_TOPIC_NAMES } from '#shared/config/names.ts';
import { type PollRequest, pollRequestSchema } from '#shared/config/requests/poll-request.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import { isPlainHttp } from '#shared/config/schema/plain-http.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { RunOptions } from '../options.ts';

/** How a run polls. */
export interface Polling {
  /** What the schedule of the first connection of the template sends, with the options of the run applied. */
  readonly request: PollRequest;
  /** Names of the other connections, which this run leaves out. */
  readonly leftOut: readonly string[];
  readonly functionName: string;
  /** Of its schedule. */
  readonly intervalMs: number;
  /** Topics that carry events. */
  readonly topicArns: readonly string[];
}

/** Reads the schedules of the template. Throws a `NotifierError` when none of them polls. */
export function readPolling(deployment: Deployment, options: RunOptions, baseUrl: string): Polling {
  const polls = deployment.schedules.flatMap(({ input, functionName, intervalMs }) => {
    const request = pollRequestSchema.safeParse(input);
    return request.success ? [{ request: request.data, functionName, intervalMs }] : [];
  });
  const [first, ...others] = polls;
  if (first === undefined) {
    throw new NotifierError('template_unsupported', 'no schedule of the template polls a connection');
  }
  const { request, functionName, intervalMs } = first;
  const connection = buildConnection(request.connection, options, baseUrl);
  // Polls that follow one another are for a clock and a schedule that are real.
  const follows = options.source.kind === 'remote' && options.mode.kind === 'schedules';
  return {
    request: { ...request, connection, ...(follows ? {} : { followUpUntil: 0 }) },
    leftOut: others.map((other) => other.request.connection.name),
    functionName,
    intervalMs,
    topicArns: findTopics(deployment, functionName),
  };
}

function buildConnection(connection: Connection, options: RunOptions, baseUrl: string): Connection {
  const { source } = options;
  // Nobody outside hears of a run on this machine.
  const { calendars, heartbeat: _, ...rest } = connection;
  // What goes beyond the changes of records is for the source of the config: deadlines.
  const isOther = source.kind === 'remote' && connection.baseUrl !== baseUrl;
  if (isPlainHttp(baseUrl) && (isOther || connection.allowHttp !== true))
    throw new NotifierError(
      'options_wrong',
      `--base-url ${JSON.stringify(baseUrl)} is http, which shows the token to the network; use https, or name it in the config as a baseUrl with allowHttp`,
    );
  return {
    ...rest,
    ...(calendars === undefined || isOther ? {} : { calendars }),
    baseUrl,
    timeZone: options.timeZone,
    window: { backDays: options.windowBackDays, forwardDays: options.windowForwardDays },
  };
}

/** The event topics, from the environment of the function that publishes to them. */
function findTopics(deployment: Deployment, functionName: string): string[] {
  const environment = deployment.functions.find(({ name }) => name === functionName)?.environment ?? {};
  const found = EVENT_TOPIC_NAMES.map((name) => environment[ENVIRONMENT.topicArns[name]]);
  return found.filter((arn) => arn !== undefined);
}
