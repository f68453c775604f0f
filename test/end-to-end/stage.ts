import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDataFolder } from '#local/aws/engines/data-folder.ts';
import { createFunctionHost, type FunctionHost } from '#local/aws/functions/function-host.ts';
import type { Adaptation } from '#local/aws/functions/running-functions.ts';
import { toVirtualTime, type VirtualClock } from '#local/aws/functions/virtual-clock.ts';
import { type LocalAws, startLocalAws } from '#local/aws/local-aws.ts';
import type { Endpoints } from '#local/aws/template/local-account.ts';
import { synthesize } from '#local/aws/template/synthesize.ts';
import { buildPollRequest, type PollFunction, readPolling } from '#local/run/session/polling.ts';
import type { RunningSource } from '#local/source/server.ts';
import { type PollReport, pollReportSchema } from '#shared/config/requests/poll-report.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { MORNING, TIME_ZONE } from './company.ts';
import { createInbox, type Inbox, type WireEvent } from './inbox.ts';

const MINUTE_MS = 60_000;
const WINDOW_DAYS = 3;
/** The environment of functions: enough to find their runtime. */
export const ENVIRONMENT = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };

/** How the notifier is set up for a test. */
export interface StageOptions {
  readonly source: RunningSource;
  /** Data folder of an earlier stage; default: a new one. */
  readonly dataFolder?: string;
  /** Milliseconds that have passed in the functions' time since the stage's morning. */
  readonly laterMs?: number;
  /** Days before today that are watched; default: as many as after it, a week in all. */
  readonly windowBackDays?: number;
}

/** How a poll differs from one of the whole window by the config. */
interface PollOptions {
  readonly pageSize?: number;
}

/** The notifier from its template, with its functions in their own processes and a queue that receives every event. */
export interface Stage {
  readonly aws: LocalAws;
  readonly connection: Connection;
  readonly inbox: Inbox;
  readonly dataFolder: string;
  /** Clock of the functions, in milliseconds since 1970. */
  now(): number;
  /** Sets the clock of the functions to so much after where it was set before; their next invocation has it. */
  advance(minutes: number): void;
  poll(feed: FeedName, options?: PollOptions): Promise<PollReport>;
  /** Polls both feeds and returns the events in order of arrival. */
  tell(options?: PollOptions): Promise<WireEvent[]>;
  /** The function of a feed in a second process that differs from the deployed one. */
  hostOf(feed: FeedName, differences: HostDifferences): SpareHost;
  /** The log of the functions. */
  log(): string;
  /** Stops it, and deletes its data folder unless `keep`. */
  stop(options?: { readonly keep?: boolean }): Promise<void>;
}

interface HostDifferences {
  readonly laterMs?: number;
  readonly endpoints?: Partial<Endpoints>;
}

/** A second process of a function. */
interface SpareHost {
  poll(options?: PollOptions): Promise<PollReport>;
  stop(): Promise<void>;
}

/** A new empty folder. */
export function createDataFolder(): string {
  return mkdtempSync(join(tmpdir(), 'end-to-end-'));
}

/** Starts the synthesized template on the local engines, without a poll. */
export async function startStage(options: StageOptions): Promise<Stage> {
  const { source, dataFolder = createDataFolder(), laterMs = 0, windowBackDays = WINDOW_DAYS } = options;
  const assembly = await synthesize(() => {});
  const folder = await openDataFolder(dataFolder);
  const clock = createClock(MORNING + laterMs);
  let movedMs = 0;
  const secrets = new Map<string, string>();
  const environment = ENVIRONMENT;
  const aws = await startLocalAws({ folder, assembly, secrets, clock, environment, adapt: NO_RECIPIENTS });
  const { connection, functions } = readPolling(aws.deployment, { ...RUN, windowBackDays }, source.baseUrl);
  secrets.set(connection.secretName, source.token);
  aws.warm(functions.map(({ name }) => name));
  const inbox = await createInbox(aws);
  const poll = async (feed: FeedName, how: PollOptions = {}) => {
    const pollFunction = functionOf(feed, functions);
    return pollReportSchema.parse(
      await aws.invoke(pollFunction.name, buildRequest(connection, how, pollFunction)),
    );
  };
  return {
    aws,
    connection,
    inbox,
    dataFolder,
    now: () => toVirtualTime(clock, Date.now()),
    advance: (minutes) => {
      movedMs += minutes * MINUTE_MS;
      Object.assign(clock, createClock(MORNING + laterMs + movedMs));
    },
    poll,
    tell: async (how) => {
      await poll('pay-periods', how);
      await poll('timesheets', how);
      return inbox.take();
    },
    hostOf: (feed, differences) =>
      startSpareHost(functionOf(feed, functions), { aws, connection, differences }),
    log: () => readFileSync(aws.logFile, 'utf8'),
    stop: async ({ keep = false } = {}) => {
      await aws.stop();
      folder.release();
      if (!keep) rmSync(dataFolder, { recursive: true });
    },
  };
}

/** Only events are tested here: alerts and webhooks stay in their queues. */
export const NO_RECIPIENTS: () => Adaptation = () => ({
  adapt: (deployed) => deployed,
  inRealTime: () => false,
  serves: () => false,
});

/** A window of a week, so that every date is on one page. */
export const RUN: Parameters<typeof readPolling>[1] = {
  source: { kind: 'remote', baseUrl: '', token: '' },
  mode: { kind: 'once' },
  dataFolder: '',
  output: 'ndjson',
  timeZone: TIME_ZONE,
  windowBackDays: WINDOW_DAYS,
  windowForwardDays: WINDOW_DAYS,
  webhook: null,
  webhookSecret: null,
};

/** Of those that poll one feed alone, pay periods come first. */
function functionOf(feed: FeedName, functions: readonly PollFunction[]): PollFunction {
  const [payPeriods, timesheets] = functions.filter((each) => each.feed === undefined);
  const found = {
    timesheets,
    'pay-periods': payPeriods,
    employees: functions.find((each) => each.feed === 'employees'),
    departments: functions.find((each) => each.feed === 'departments'),
  }[feed];
  if (found === undefined) throw new Error(`the template has no function that polls ${feed}`);
  return found;
}

function buildRequest(connection: Connection, { pageSize }: PollOptions, pollFunction: PollFunction) {
  const { requests } = connection;
  const paged = { ...connection, requests: { ...requests, pageSize: pageSize ?? requests.pageSize } };
  return buildPollRequest({ connection: paged }, 'window', pollFunction);
}

/** A virtual clock that starts at an instant. */
export function createClock(startsAtMs: number): VirtualClock {
  return { startsAtMs, anchorMs: Date.now(), speed: 1 };
}

interface SpareHostContext {
  readonly aws: LocalAws;
  readonly connection: Connection;
  readonly differences: HostDifferences;
}

function startSpareHost(
  pollFunction: PollFunction,
  { aws, connection, differences }: SpareHostContext,
): SpareHost {
  const deployed = aws.deployment.functions.find(({ name }) => name === pollFunction.name);
  if (deployed === undefined) throw new Error(`no function ${pollFunction.name} in the template`);
  const log = openSync(aws.logFile, 'a');
  const host: FunctionHost = createFunctionHost(deployed, {
    environment: ENVIRONMENT,
    endpoints: { ...aws.endpoints, ...differences.endpoints },
    clock: createClock(MORNING + (differences.laterMs ?? 0)),
    log,
  });
  return {
    poll: async (how = {}) =>
      pollReportSchema.parse(await host.invoke(buildRequest(connection, how, pollFunction))),
    stop: async () => {
      await host.stop();
      closeSync(log);
    },
  };
}
