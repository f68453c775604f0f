import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import type { Capacity } from '#shared/adapters/dynamo/table.ts';
import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { poll } from '#shared/flow/poll.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { createBenchConnection, createBenchPublisher, createListSource, type List } from './ports.ts';

const PAGE_SIZE = 1_000;
const START = Date.parse('2026-11-16T12:00:00Z');
const POLL_MS = 60_000;
const HOUR_MS = 3_600_000;

/** The timesheets of a date; called again in every poll. */
export type TimesheetsOf = (date: string) => List<unknown>;

/** The real flow on the real store and an embedded DynamoDB, with a source in memory and a virtual clock. */
export interface BenchMachine {
  readonly dynamo: EmbeddedDynamo;
  /** Texts of all published events. */
  readonly published: string[];
  /** One poll over the whole window. */
  poll(timesheetsOf: TimesheetsOf): Promise<PollCost>;
  stop(): Promise<void>;
}

export interface PollCost {
  readonly report: PollReport;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Read and write units by operation of the store. */
  readonly byOperation: ReadonlyMap<string, number>;
}

/** The window is today and `forwardDays` dates after it. */
export async function startBenchMachine(forwardDays: number): Promise<BenchMachine> {
  const dynamo = await startEmbeddedDynamo();
  const connection = createBenchConnection({ window: { backDays: 0, forwardDays } });
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
  const publisher = createBenchPublisher((texts) => published.push(...texts));
  let polls = 0;
  return {
    dynamo,
    published,
    async poll(timesheetsOf) {
      spent = [];
      now += POLL_MS;
      polls += 1;
      const source = createListSource({ listOf: timesheetsOf, pageSize: PAGE_SIZE, now: () => now });
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
