import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { SNSClient } from '@aws-sdk/client-sns';
import type * as z from 'zod';
import { createDynamoStore } from '#shared/adapters/dynamo/store.ts';
import { createSnsPublisher } from '#shared/adapters/sns/publisher.ts';
import { createSourceClient } from '#shared/adapters/workforce-api/client.ts';
import { createRequestQueue } from '#shared/adapters/workforce-api/request-queue.ts';
import { createSourceApi } from '#shared/adapters/workforce-api/source-api.ts';
import { type Connection, connectionSchema } from '#shared/config/schema/connection.ts';
import type { EventPublisher, SourceApi } from '#shared/flow/poll/ports.ts';
import { poll } from '#shared/flow/poll.ts';
import { startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { DATE, MINUTE_MS, type SampleState } from './company.ts';

/** Where the clock of a machine begins. `DATE` is the first date of its window. */
export const START = Date.parse(`${DATE}T12:00:00Z`);

/** Waits take no real time. */
export function createBenchClock() {
  let time = START;
  return {
    now: () => time,
    sleep: async (milliseconds: number) => {
      time += milliseconds;
    },
  };
}

/** The real flow and store on an embedded DynamoDB. `dates`: how many are in the window, from `DATE` on. */
export async function startPollMachine({ dates, pageSize }: Record<'dates' | 'pageSize', number>) {
  const dynamo = await startEmbeddedDynamo();
  const window = { backDays: 0, forwardDays: dates - 1 };
  const connection = createConnection({ window, requests: { pageSize } });
  let units = { read: 0, write: 0 };
  const clock = createBenchClock();
  const store = createDynamoStore({
    ...dynamo,
    sleep: clock.sleep,
    random: () => 0.5,
    onCapacity: ({ kind, units: spent }) => (units[kind] += spent),
  });
  return {
    clock,
    /** One poll of the whole window, with the units of DynamoDB that it took. Throws unless it is complete. */
    async poll(source: SourceApi, publisher = takeAll) {
      units = { read: 0, write: 0 };
      await clock.sleep(MINUTE_MS);
      const freshSince = clock.now();
      const request = { connection, feeds: [{ name: 'timesheets' as const, silent: false }], freshSince };
      const ports = { source, store, publisher, clock, telemetry: { report: () => {} } };
      const report = await poll({ request, deadline: freshSince + MINUTE_MS }, ports);
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
export function createSocketSource(
  baseUrl: string,
  { now, sleep }: ReturnType<typeof createBenchClock>,
): SourceApi {
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

/** A source of samples behind a socket, and an SNS. */
export interface SampleSource {
  readonly baseUrl: string;
  readonly servicesUrl: string;
  /** What it holds from now on. */
  show(state: SampleState): Promise<void>;
  stop(): void;
}

/** Its certificate is self-signed: this process verifies no certificate until `stop`. */
export async function startSampleSource(): Promise<SampleSource> {
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  const child: ChildProcess = fork(new URL('./sample-server.ts', import.meta.url), { execArgv: [] });
  const [ports] = (await once(child, 'message')) as [{ source: number; services: number }];
  return {
    baseUrl: `https://127.0.0.1:${ports.source}`,
    servicesUrl: `http://127.0.0.1:${ports.services}`,
    async show(state) {
      child.send(state);
      await once(child, 'message');
    },
    stop() {
      child.disconnect();
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    },
  };
}
