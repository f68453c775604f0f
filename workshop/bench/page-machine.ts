import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import { createSourceClient } from '#shared/adapters/workforce-api/client.ts';
import { createRequestQueue } from '#shared/adapters/workforce-api/request-queue.ts';
import { createSourceApi } from '#shared/adapters/workforce-api/source-api.ts';
import type { PollReport } from '#shared/config/requests/poll-report.ts';
import type { SourceApi } from '#shared/flow/poll/ports.ts';
import { poll } from '#shared/flow/poll.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { createBenchConnection, createBenchPublisher } from './ports.ts';
import { samplePageText } from './sample-records.ts';

export const DATE = '2026-11-16';
export const START = Date.parse('2026-11-16T12:00:00Z');
const POLL_MS = 60_000;

/** The real flow between a source behind a socket and an embedded DynamoDB; the window is `DATE`, time is virtual. */
export interface PageMachine {
  readonly pages: PageSource;
  readonly dynamo: EmbeddedDynamo;
  /** The adapter of the source, without the flow. */
  readonly source: SourceApi;
  /** One poll of the date. */
  poll(): Promise<PollReport>;
  stop(): Promise<void>;
}

export async function startPageMachine(pageSize: number): Promise<PageMachine> {
  const [dynamo, pages] = await Promise.all([startEmbeddedDynamo(), startPageSource()]);
  const connection = createBenchConnection({
    baseUrl: pages.baseUrl,
    window: { backDays: 0, forwardDays: 0 },
    requests: { pageSize },
  });
  let now = START;
  const clock = { now: () => now };
  const sleep = (milliseconds: number) => {
    now += milliseconds;
    return Promise.resolve();
  };
  const random = () => 0.5;
  const client = createSourceClient({
    baseUrl: pages.baseUrl,
    credential: {
      secretName: 'none',
      token: () => Promise.resolve('token'),
      renew: () => Promise.resolve('token'),
    },
    queue: createRequestQueue({ maxPerSecond: 1_000, now: clock.now, sleep, random }),
    now: clock.now,
    deadline: Number.POSITIVE_INFINITY,
  });
  const source = createSourceApi(client, clock.now);
  const store = createDynamoSnapshotStore({
    client: dynamo.client,
    tableName: dynamo.tableName,
    sleep,
    random,
  });
  const publisher = createBenchPublisher();
  return {
    pages,
    dynamo,
    source,
    async poll() {
      now += POLL_MS;
      const request = { connection, scope: 'window' } as const;
      const order = { feed: 'timesheets', request, runId: `run${now}`, deadline: now + POLL_MS } as const;
      return await poll(order, { source, store, publisher, clock, telemetry: { report: () => {} } });
    },
    async stop() {
      pages.stop();
      await dynamo.stop();
    },
  };
}

/** A source in its own process that answers over HTTPS and gzip with the pages it was given. */
interface PageSource {
  readonly baseUrl: string;
  /** Replaces the pages; requests get the versions in turn. Returns the texts of the first version. */
  serve(...versions: readonly Pages[]): Promise<readonly string[]>;
  stop(): void;
}

type Pages = readonly (readonly unknown[])[];

/** Its certificate is self-signed: this process verifies no certificate until `stop`. */
async function startPageSource(): Promise<PageSource> {
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  const child = fork(new URL('./page-server.ts', import.meta.url), { execArgv: [] });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    baseUrl: `https://127.0.0.1:${port}`,
    async serve(...versions) {
      const texts = versions.map(renderPages);
      child.send(texts);
      await once(child, 'message');
      return texts[0] ?? [];
    },
    stop() {
      child.disconnect();
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    },
  };
}

function renderPages(pages: Pages): string[] {
  const totalRecords = pages.reduce((sum, page) => sum + page.length, 0);
  return pages.map((page, index) =>
    samplePageText(page, totalRecords, { page: index + 1, pages: pages.length }),
  );
}
