import { SNSClient } from '@aws-sdk/client-sns';
import type * as z from 'zod';
import { createDynamoStore } from '#shared/adapters/dynamo/store.ts';
import type { Capacity } from '#shared/adapters/dynamo/table.ts';
import { createSnsPublisher } from '#shared/adapters/sns/publisher.ts';
import { createSourceClient } from '#shared/adapters/workforce-api/client.ts';
import { createRequestQueue } from '#shared/adapters/workforce-api/request-queue.ts';
import { createSourceApi } from '#shared/adapters/workforce-api/source-api.ts';
import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { type Connection, connectionSchema } from '#shared/config/schema/connection.ts';
import type { EventPublisher, SourceApi } from '#shared/flow/poll/ports.ts';
import { poll } from '#shared/flow/poll.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';

/** The first date of the window. */
export const DATE = '2026-11-16';
export const START = Date.parse(`${DATE}T12:00:00Z`);
const POLL_MS = 60_000;

/** The real flow and store on an embedded DynamoDB in virtual time. */
export interface PollMachine {
  readonly dynamo: EmbeddedDynamo;
  readonly clock: BenchClock;
  /** One poll of the whole window. Throws unless it is complete. */
  poll(source: SourceApi, publisher?: EventPublisher): Promise<PollCost>;
  stop(): Promise<void>;
}

/** Waits take no real time. */
export interface BenchClock {
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

export function createBenchClock(): BenchClock {
  let time = START;
  return {
    now: () => time,
    sleep: async (milliseconds) => {
      time += milliseconds;
    },
  };
}

export interface PollCost {
  readonly report: PollReport;
  /** Units of DynamoDB. */
  readonly units: Readonly<Record<Capacity['kind'], number>>;
}

export interface MachineOptions {
  /** Dates after `DATE` that are in the window. */
  readonly forwardDays: number;
  readonly pageSize: number;
}

export async function startPollMachine({ forwardDays, pageSize }: MachineOptions): Promise<PollMachine> {
  const dynamo = await startEmbeddedDynamo();
  const connection = createConnection({ window: { backDays: 0, forwardDays }, requests: { pageSize } });
  let units = { read: 0, write: 0 };
  const clock = createBenchClock();
  const store = createDynamoStore({
    ...dynamo,
    sleep: clock.sleep,
    random: () => 0.5,
    onCapacity: ({ kind, units: spent }) => (units[kind] += spent),
  });
  return {
    dynamo,
    clock,
    async poll(source, publisher = takeAll) {
      units = { read: 0, write: 0 };
      await clock.sleep(POLL_MS);
      const freshSince = clock.now();
      const request = { connection, feeds: [{ name: 'timesheets' as const, silent: false }], freshSince };
      const ports = { source, store, publisher, clock, telemetry: { report: () => {} } };
      const report = await poll({ request, deadline: freshSince + POLL_MS }, ports);
      if (report.outcome !== 'complete') throw new Error(report.reasons.join('; '));
      return { report, units };
    },
    stop: () => dynamo.stop(),
  };
}

/** A connection in UTC. */
export function createConnection(settings: Partial<z.input<typeof connectionSchema>> = {}): Connection {
  return connectionSchema.parse({
    ...{ name: 'bench', baseUrl: 'https://workforce.example.com', timeZone: 'UTC', secretName: 'none' },
    ...settings,
  });
}

/** Takes every event. */
const takeAll: EventPublisher = {
  publish: async (_topic, texts) => ({ published: texts.length, unpublished: [], refused: [] }),
};

/** The real publisher; `endpoint`: of an SNS, or null for one that costs nothing. */
export function createPublisher(endpoint: string | null): EventPublisher {
  const client =
    endpoint === null
      ? { middlewareStack: { remove: () => true }, send: takeBatch }
      : new SNSClient({
          ...{ endpoint, region: 'local' },
          credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
        });
  return createSnsPublisher({
    client: client as unknown as SNSClient,
    topicArns: { timesheets: 'arn:aws:sns:local:1:timesheets', operations: 'arn:aws:sns:local:1:operations' },
    sleep: () => Promise.resolve(),
    random: () => 0.5,
  });
}

interface Batch {
  readonly input: { readonly PublishBatchRequestEntries: readonly { readonly Id: string }[] };
}

async function takeBatch({ input }: Batch) {
  return { Successful: input.PublishBatchRequestEntries.map(({ Id }) => ({ Id })), Failed: [] };
}

/** The real adapter of a source behind a socket; its waits take no time. */
export function createSocketSource(baseUrl: string, { now, sleep }: BenchClock): SourceApi {
  const credential = {
    secretName: 'none',
    token: () => Promise.resolve('token'),
    renew: () => Promise.resolve('token'),
  };
  const queue = createRequestQueue({
    ...{ maxPerSecond: 1_000, now, sleep, random: () => 0.5 },
  });
  const client = createSourceClient({ baseUrl, credential, queue, now, deadline: Number.POSITIVE_INFINITY });
  return createSourceApi(client, now);
}
