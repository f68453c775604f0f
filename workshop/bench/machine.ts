import { fork } from 'node:child_process';
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

/** A connection in UTC. */
export function createConnection(settings: Partial<z.input<typeof connectionSchema>> = {}): Connection {
  return connectionSchema.parse({
    ...{ name: 'bench', baseUrl: 'https://workforce.example.com', timeZone: 'UTC', secretName: 'none' },
    ...settings,
  });
}

/** The real flow, store and source adapter. `dates`: how many are in the window, from `DATE` on. */
export async function startPollMachine(
  { dates, pageSize }: Record<'dates' | 'pageSize', number>,
  { endpoint }: SampleSource,
) {
  const dynamo = await startEmbeddedDynamo();
  const window = { backDays: 0, forwardDays: dates - 1 };
  const connection = createConnection({ window, requests: { pageSize } });
  const clock = createBenchClock();
  const source = createSource(endpoint, clock);
  let units = { read: 0, write: 0 };
  const store = createDynamoStore({
    ...{ ...dynamo, sleep: clock.sleep, random: () => 0.5 },
    onCapacity: ({ kind, units: spent }) => (units[kind] += spent),
  });
  return {
    /** One poll of the whole window, with the units of DynamoDB that it took. Throws unless it is complete. */
    async poll(publisher = takeAll) {
      units = { read: 0, write: 0 };
      await clock.sleep(MINUTE_MS);
      const freshSince = clock.now();
      const request = { connection, feeds: [{ name: 'timesheets' as const, silent: false }], freshSince };
      const ports = { source, store, publisher, clock, telemetry: { report: () => {} } };
      const report = await poll({ request, deadline: freshSince + MINUTE_MS }, ports);
      if (report.outcome !== 'complete') throw new Error(report.reasons.join('; '));
      return { changes: report.counts.changes, units };
    },
    stop: () => dynamo.stop(),
  };
}

/** Takes every event. */
const takeAll: EventPublisher = {
  publish: async (_topic, texts) => ({ published: texts.length, unpublished: [], refused: [] }),
};

/** The real publisher, with an SNS at this address. */
export function createPublisher(endpoint: string): EventPublisher {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return createSnsPublisher({
    client: new SNSClient({ endpoint, region: 'local', credentials }),
    topicArns: { timesheets: 'arn:aws:sns:local:1:timesheets', operations: 'arn:aws:sns:local:1:operations' },
    sleep: () => Promise.resolve(),
    random: () => 0.5,
  });
}

/** The real adapter of a source; its waits take no time. */
export function createSource(
  baseUrl: string,
  { now, sleep }: ReturnType<typeof createBenchClock>,
): SourceApi {
  const token = () => Promise.resolve('token');
  const credential = { secretName: 'none', token, renew: token };
  const queue = createRequestQueue({ maxPerSecond: 1_000, now, sleep, random: () => 0.5 });
  const client = createSourceClient({ baseUrl, credential, queue, now, deadline: Number.POSITIVE_INFINITY });
  return createSourceApi(client, now);
}

/** A source of samples, a secret and an SNS at one address. */
export interface SampleSource {
  readonly endpoint: string;
  /** What it holds from now on. */
  show(state: SampleState): Promise<void>;
  stop(): void;
}

export async function startSampleSource(): Promise<SampleSource> {
  const child = fork(new URL('./sample-server.ts', import.meta.url), { execArgv: [] });
  const [port] = (await once(child, 'message')) as [number];
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async show(state) {
      child.send(state);
      await once(child, 'message');
    },
    stop: () => child.disconnect(),
  };
}
