import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { type DataFolder, openDataFolder } from '#local/aws/engines/data-folder.ts';
import { createFunctionHost } from '#local/aws/functions/function-host.ts';
import type { Adaptation } from '#local/aws/functions/running-functions.ts';
import { toVirtualTime, type VirtualClock } from '#local/aws/functions/virtual-clock.ts';
import { type LocalAws, startLocalAws } from '#local/aws/local-aws.ts';
import type { Deployment } from '#local/aws/template/deployment.ts';
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
const ENVIRONMENT = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };

/** How the notifier is set up for a test. */
export interface StageOptions {
  readonly source: RunningSource;
  /** Data folder of an earlier stage; default: a new one. */
  readonly dataFolder?: string;
  /** Milliseconds that have passed in the functions' time since the stage's morning. */
  readonly laterMs?: number;
  /** Days before today that are watched; default: as many as after it, a week in all. */
  readonly windowBackDays?: number;
  /** Path of another config than that of the repository. */
  readonly config?: string;
  /** Whom messages reach; default: nobody, they stay in their queues. */
  readonly adapt?: (deployment: Deployment, place: StagePlace) => Adaptation;
}

/** What an adaptation of the template may use. */
interface StagePlace {
  readonly folder: DataFolder;
  readonly connection: Connection;
  /** Secret values by name, which it adds to. */
  readonly secrets: Map<string, string>;
}

/** The notifier from its template, with its functions in their own processes and a queue that receives every event. */
export interface Stage {
  readonly aws: LocalAws;
  readonly polling: Polling;
  readonly connection: Connection;
  readonly inbox: Inbox;
  readonly dataFolder: string;
  /** Clock of the functions, in milliseconds since 1970. */
  now(): number;
  /** Sets the clock of the functions to so much after where it was set before; their next invocation has it. */
  advance(minutes: number): void;
  /** Polls the whole window. */
  poll(): Promise<PollReport>;
  /** Polls and returns the events in order of arrival. */
  tell(): Promise<WireEvent[]>;
  /** The function that polls, in a second process that sees other services. */
  startHost(endpoints: Partial<Endpoints>): SpareHost;
  /** The log of the functions. */
  log(): string;
  /** Stops it, and deletes its data folder unless `keep`. */
  stop(options?: { readonly keep?: boolean }): Promise<void>;
}

interface SpareHost {
  poll(): Promise<PollReport>;
  stop(): Promise<void>;
}

/** Starts the synthesized template on the local engines, without a poll. */
export async function startStage(options: StageOptions): Promise<Stage> {
  const { source, laterMs = 0, windowBackDays = WINDOW_DAYS, adapt = reachNobody } = options;
  const { dataFolder = mkdtempSync(join(tmpdir(), 'end-to-end-')) } = options;
  const assembly = await synthesizeConfig(options.config);
  const folder = await openDataFolder(dataFolder);
  const clock = createClock(MORNING + laterMs);
  let movedMs = 0;
  const secrets = new Map<string, string>();
  const run = { ...RUN, windowBackDays };
  const aws = await startLocalAws({
    ...{ folder, assembly, secrets, clock, environment: ENVIRONMENT },
    adapt: (deployment) => {
      const { connection } = readPolling(deployment, run, source.baseUrl).request;
      secrets.set(connection.secretName, source.token);
      return adapt(deployment, { folder, connection, secrets });
    },
  });
  const polling = readPolling(aws.deployment, run, source.baseUrl);
  const inbox = await createInbox(aws);
  const poll = async () =>
    pollReportSchema.parse(await aws.invoke(polling.functionName, requestPoll(polling, clock)));
  return {
    ...{ aws, polling, connection: polling.request.connection, inbox, dataFolder },
    now: () => toVirtualTime(clock, Date.now()),
    advance: (minutes) => {
      movedMs += minutes * MINUTE_MS;
      Object.assign(clock, createClock(MORNING + laterMs + movedMs));
    },
    poll,
    tell: async () => {
      await poll();
      return inbox.take();
    },
    startHost: (endpoints) => startSpareHost(polling, { aws, endpoints, clock }),
    log: () => readFileSync(aws.logFile, 'utf8'),
    stop: async ({ keep = false } = {}) => {
      await aws.stop();
      folder.release();
      if (!keep) rmSync(dataFolder, { recursive: true });
    },
  };
}

/** The template, synthesized once for a state of the code. */
async function synthesizeConfig(config: string | undefined): Promise<string> {
  if (config !== undefined) vi.stubEnv('NOTIFIER_CONFIG', config);
  const assembly = await synthesize(() => {});
  vi.unstubAllEnvs();
  return assembly;
}

function reachNobody(): Adaptation {
  return { adapt: (deployed) => deployed, inRealTime: () => false, serves: () => false };
}

/** A window of a week, so that every date is on one page. */
const RUN: Parameters<typeof readPolling>[1] = {
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
function requestPoll({ request }: Polling, clock: VirtualClock): PollRequest {
  return { ...request, freshSince: Math.floor(toVirtualTime(clock, Date.now())) };
}

/** A virtual clock that starts at an instant. */
export function createClock(startsAtMs: number): VirtualClock {
  return { startsAtMs, anchorMs: Date.now(), speed: 1 };
}

interface SpareSettings {
  readonly aws: LocalAws;
  readonly endpoints: Partial<Endpoints>;
  readonly clock: VirtualClock;
}

function startSpareHost(polling: Polling, { aws, endpoints, clock }: SpareSettings): SpareHost {
  const deployed = aws.deployment.functions.find(({ name }) => name === polling.functionName);
  if (deployed === undefined) throw new Error(`no function ${polling.functionName} in the template`);
  const log = openSync(aws.logFile, 'a');
  const host = createFunctionHost(deployed, {
    environment: ENVIRONMENT,
    endpoints: { ...aws.endpoints, ...endpoints },
    clock,
    log,
  });
  return {
    poll: async () => pollReportSchema.parse(await host.invoke(requestPoll(polling, clock))),
    stop: async () => {
      await host.stop();
      closeSync(log);
    },
  };
}
