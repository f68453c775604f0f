import type { Deployment } from '#local/aws/template/deployment.ts';
import { ENVIRONMENT, EVENT_TOPIC_NAMES, type EventTopicName } from '#shared/config/names.ts';
import { type PollRequest, pollRequestSchema } from '#shared/config/requests/poll-request.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import { isPlainHttp } from '#shared/config/schema/plain-http.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { RunOptions } from '../options.ts';

/** A poll function of the template, with the interval of its schedule. */
export interface PollFunction {
  readonly name: string;
  readonly intervalMs: number;
  /** One of the directory, which the function polls besides its own. */
  readonly feed?: PollRequest['feed'];
  readonly isSilent?: PollRequest['isSilent'];
}

export interface Polling {
  /** The first connection of the template, which is polled, with the options of the run applied. */
  readonly connection: Connection;
  /** Names of the other connections, which this run leaves out. */
  readonly leftOut: readonly string[];
  /** Times of day of the daily summaries; absent without any. */
  readonly summaries?: readonly string[];
  /** The functions that poll it, pay periods first: they decide which dates of timesheets are polled. */
  readonly functions: readonly PollFunction[];
  /** Topics that carry events. */
  readonly topicArns: readonly string[];
}

const PAY_PERIODS = /pay.?period/i;

/** Reads the schedules of the template. Throws a `NotifierError` when none of them polls. */
export function readPolling(deployment: Deployment, options: RunOptions, baseUrl: string): Polling {
  const polls = deployment.schedules.flatMap((schedule) => {
    const request = pollRequestSchema.safeParse(schedule.input);
    return request.success ? [{ schedule, ...request.data }] : [];
  });
  const [first] = polls;
  if (first === undefined) {
    throw new NotifierError('template_unsupported', 'no schedule of the template polls a connection');
  }
  const { name } = first.connection;
  const own = polls.filter(({ connection }) => connection.name === name);
  const functions = own
    .map(({ schedule: { functionName, intervalMs }, feed, isSilent }) => {
      return { name: functionName, intervalMs, feed, isSilent };
    })
    .sort((a, b) => rankPoll(a) - rankPoll(b));
  const summaries = own.flatMap((poll) => poll.summaries ?? []);
  return {
    connection: buildConnection(first.connection, options, baseUrl),
    leftOut: [...new Set(polls.map(({ connection }) => connection.name))].filter((each) => each !== name),
    ...(summaries.length === 0 ? {} : { summaries }),
    functions,
    topicArns: findTopics(deployment, functions),
  };
}

/** Nothing waits for the directory: the first poll of timesheets tells nobody's name. */
function rankPoll({ name, feed }: PollFunction): number {
  if (feed !== undefined) return 2;
  return PAY_PERIODS.test(name) ? 0 : 1;
}

export function buildPollRequest(
  { connection, summaries = [] }: Pick<Polling, 'connection' | 'summaries'>,
  scope: PollRequest['scope'],
  { feed, isSilent }: Pick<PollFunction, 'feed' | 'isSilent'> = {},
): PollRequest {
  return {
    connection,
    scope,
    // No repetition within an invocation: the run invokes again at its own interval.
    repeatForSeconds: 0,
    ...(feed === undefined ? {} : { feed, isSilent }),
    ...(summaries.length === 0 ? {} : { summaries: [...summaries] }),
  };
}

function buildConnection(connection: Connection, options: RunOptions, baseUrl: string): Connection {
  const { source } = options;
  // Nobody outside hears of a run on this machine.
  const { calendars, heartbeat: _, ...rest } = connection;
  // What goes beyond the changes of records is for the source of the config: deadlines and statements.
  const isOther = source.kind === 'remote' && connection.baseUrl !== baseUrl;
  if (isPlainHttp(baseUrl) && (isOther || connection.allowHttp !== true))
    throw new NotifierError(
      'options_wrong',
      `--base-url ${JSON.stringify(baseUrl)} is http, which shows the token to the network; use https, or name it in the config as a baseUrl with allowHttp`,
    );
  return {
    ...rest,
    ...(calendars === undefined || isOther ? {} : { calendars }),
    ...(isOther ? { statements: false } : {}),
    baseUrl,
    timeZone: options.timeZone,
    window: { backDays: options.windowBackDays, forwardDays: options.windowForwardDays },
  };
}

/** The event topics, from the environment of the functions that publish to them. */
function findTopics(deployment: Deployment, functions: readonly PollFunction[]): string[] {
  const polling = new Set(functions.map(({ name }) => name));
  const variables = (name: EventTopicName) => ENVIRONMENT.topicArns[name];
  const found = deployment.functions
    .filter(({ name }) => polling.has(name))
    .flatMap(({ environment }) => EVENT_TOPIC_NAMES.map((name) => environment[variables(name)]));
  return [...new Set(found.filter((arn) => arn !== undefined))];
}
