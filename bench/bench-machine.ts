import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import type { Capacity } from '#shared/adapters/dynamo/table.ts';
import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { walkPages } from '#shared/core/fetch/pages.ts';
import { poll } from '#shared/flow/poll.ts';
import type { EventPublisher, SourceApi } from '#shared/ports/poll.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';

const PAGE_SIZE = 1_000;
const START = Date.parse('2026-11-16T12:00:00Z');
const POLL_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Gives the timesheets of a date; asked again for every poll. */
export type TimesheetsOf = (date: string) => readonly unknown[];

/** The real flow on the real store and an embedded DynamoDB, with a source in memory and a virtual clock. */
export interface BenchMachine {
  readonly dynamo: EmbeddedDynamo;
  readonly published: string[];
  /** One poll over the whole window; answers what it did and what it cost. */
  poll(timesheetsOf: TimesheetsOf): Promise<PollCost>;
  stop(): Promise<void>;
}

export interface PollCost {
  readonly report: PollReport;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Units by operation of the store. */
  readonly byOperation: ReadonlyMap<string, number>;
}

/** `forwardDays` dates after today, and today, make the window. */
export async function startBenchMachine(forwardDays: number): Promise<BenchMachine> {
  const dynamo = await startEmbeddedDynamo();
  const connection = connectionSchema.parse({
    name: 'bench',
    baseUrl: 'https://workforce.example.com',
    timeZone: 'UTC',
    secretName: 'none',
    window: { backDays: 0, forwardDays },
  });
  const published: string[] = [];
  let spent: Capacity[] = [];
  let now = START;
  const store = createDynamoSnapshotStore({
    client: dynamo.client,
    tableName: dynamo.tableName,
    sleep: () => Promise.resolve(),
    random: () => 0.5,
    onCapacity: (capacity) => spent.push(capacity),
  });
  const publisher: EventPublisher = {
    publish: (texts) => {
      published.push(...texts);
      return Promise.resolve({ published: texts.length, unpublished: [], requests: 0 });
    },
  };
  let polls = 0;
  return {
    dynamo,
    published,
    async poll(timesheetsOf) {
      spent = [];
      now += POLL_MS;
      polls += 1;
      const source = createSource(timesheetsOf, () => now);
      const clock = { now: () => now };
      const report = await poll(
        {
          feed: 'timesheets',
          request: { connection, scope: 'window' },
          runId: `run${polls}`,
          deadline: now + HOUR_MS,
        },
        { source, store, publisher, clock, telemetry: { report: () => {} } },
      );
      return { report, ...sumCost(spent) };
    },
    stop: () => dynamo.stop(),
  };
}

function sumCost(spent: readonly Capacity[]): Omit<PollCost, 'report'> {
  const sum = (kind: Capacity['kind']) =>
    spent.filter((each) => each.kind === kind).reduce((total, { units }) => total + units, 0);
  const byOperation = new Map<string, number>();
  for (const { operation, units } of spent)
    byOperation.set(operation, (byOperation.get(operation) ?? 0) + units);
  return { readUnits: sum('read'), writeUnits: sum('write'), byOperation };
}

function createSource(timesheetsOf: TimesheetsOf, now: () => number): SourceApi {
  let requests = 0;
  return {
    pages: (_feed, range) => {
      const dates = range === null ? [] : listDates(range.from, range.to);
      const lists = dates.map(timesheetsOf);
      const total = lists.reduce((sum, list) => sum + list.length, 0);
      return walkPages((nextPage) => {
        requests += 1;
        const page = nextPage === null ? 1 : Number(nextPage);
        const records = slice(lists, (page - 1) * PAGE_SIZE, page * PAGE_SIZE);
        const totalPages = Math.ceil(total / PAGE_SIZE);
        const pagination = {
          page,
          pageSize: PAGE_SIZE,
          totalPages,
          totalRecords: total,
          nextPage: page < totalPages ? String(page + 1) : '',
        };
        return Promise.resolve({ records, pagination, requestedAt: now(), receivedAt: now() });
      });
    },
    lookUp: () => Promise.resolve({ outcome: 'gone', requestedAt: now(), receivedAt: now() }),
    counts: () => ({ requests, throttled: 0 }),
  };
}

function listDates(from: string, to: string): string[] {
  const dates: string[] = [];
  for (let instant = Date.parse(from); instant <= Date.parse(to); instant += 86_400_000) {
    dates.push(new Date(instant).toISOString().slice(0, 10));
  }
  return dates;
}

function slice(lists: readonly (readonly unknown[])[], from: number, to: number): unknown[] {
  const records: unknown[] = [];
  let start = 0;
  for (const list of lists) {
    records.push(...list.slice(Math.max(0, from - start), Math.max(0, to - start)));
    start += list.length;
  }
  return records;
}
