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
import { type Polling, readPolling } from '#local/run/session/polling.ts';
import type { RunningSource } from '#local/source/server.ts';
import { type PollReport, pollReportSchema } from '#shared/config/requests/poll-report.ts';
import type { PollRequest } from '#shared/config/requests/poll-request.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
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
  poll(options?: PollOptions): Promise<PollReport>;
  /** Polls and returns the events in order of arrival. */
  tell(options?: PollOptions): Promise<WireEvent[]>;
  /** The function that polls, in a second process that differs from the deployed one. */
  startHost(differences: HostDifferences): SpareHost;
  /** The log of the functions. */
  log(): string;
  /** Stops it, and deletes its data folder unless `keep`. */
  stop(options?: { readonly keep?: boolean }): Promise<void>;
}

interface HostDifferences {
  /** How far its clock is ahead. */
  readonly laterMs?: number;
  readonly endpoints?: Partial<Endpoints>;
}

/** A second process of the function that polls. */
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
  const polling = readPolling(aws.deployment, { ...RUN, windowBackDays }, source.baseUrl);
  const { connection } = polling.request;
  secrets.set(connection.secretName, source.token);
  aws.warm([polling.functionName]);
  const inbox = await createInbox(aws);
  const poll = async (how: PollOptions = {}) =>
    pollReportSchema.parse(
      await aws.invoke(polling.functionName, buildRequest(polling, readClock(clock), how)),
    );
  return {
    aws,
    connection,
    inbox,
    dataFolder,
    now: () => readClock(clock),
    advance: (minutes) => {
      movedMs += minutes * MINUTE_MS;
      Object.assign(clock, createClock(MORNING + laterMs + movedMs));
    },
    poll,
    tell: async (how) => {
      await poll(how);
      return inbox.take();
    },
    startHost: ({ laterMs: aheadMs = 0, endpoints = {} }) =>
      startSpareHost(polling, aws, { endpoints, clock: createClock(readClock(clock) + aheadMs) }),
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

/** A poll of the whole window. */
function buildRequest({ request }: Polling, now: number, { pageSize }: PollOptions): PollRequest {
  const { connection } = request;
  const requests = { ...connection.requests, pageSize: pageSize ?? connection.requests.pageSize };
  return { ...request, connection: { ...connection, requests }, freshSince: Math.floor(now) };
}

/** A virtual clock that starts at an instant. */
export function createClock(startsAtMs: number): VirtualClock {
  return { startsAtMs, anchorMs: Date.now(), speed: 1 };
}

function readClock(clock: VirtualClock): number {
  return toVirtualTime(clock, Date.now());
}

interface SpareSettings {
  readonly endpoints: Partial<Endpoints>;
  readonly clock: VirtualClock;
}

function startSpareHost(polling: Polling, aws: LocalAws, { endpoints, clock }: SpareSettings): SpareHost {
  const deployed = aws.deployment.functions.find(({ name }) => name === polling.functionName);
  if (deployed === undefined) throw new Error(`no function ${polling.functionName} in the template`);
  const log = openSync(aws.logFile, 'a');
  const host: FunctionHost = createFunctionHost(deployed, {
    environment: ENVIRONMENT,
    endpoints: { ...aws.endpoints, ...endpoints },
    clock,
    log,
  });
  return {
    poll: async (how = {}) =>
      pollReportSchema.parse(await host.invoke(buildRequest(polling, readClock(clock), how))),
    stop: async () => {
      await host.stop();
      closeSync(log);
    },
  };
}
