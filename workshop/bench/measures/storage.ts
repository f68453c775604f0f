import { BatchGetItemCommand, BatchWriteItemCommand } from '@aws-sdk/client-dynamodb';
import { createSeededRandom } from '#test/shared/adapters/workforce-api/virtual-time.ts';
import { type BenchMachine, startBenchMachine, type TimesheetsOf } from '../bench-machine.ts';
import { listOf } from '../ports.ts';
import { describeCount, type Row, ratio } from '../row.ts';
import { sampleTimesheet } from '../sample-records.ts';
import { measureOneItemEachOn } from './one-item-each.ts';

const SEED = 12;
/** The size to plan for: 14 dates of 50,000 timesheets. */
const DATES = 14;
const PER_DATE = 50_000;
const BASELINE_ITEMS = 1_000;
const STAMP = '2026-11-16T13:00:00.000Z';

/** Read and write units at the size to plan for, as the embedded DynamoDB counts them. */
export async function measureStorage(): Promise<Row[]> {
  const large = await startBenchMachine(DATES - 1);
  const small = await startBenchMachine(0);
  try {
    return [...(await measureAtPlanningSize(large)), ...(await measureBulkChange(small))];
  } finally {
    await large.stop();
    await small.stop();
  }
}

async function measureAtPlanningSize(machine: BenchMachine): Promise<Row[]> {
  const records = createSeededTimesheets(PER_DATE);
  const first = await machine.poll(records);
  const perItem = await measureOneItemPerTimesheet(machine);
  const unchanged = await machine.poll(records);
  const loneBefore = machine.published.length;
  const lone = await machine.poll(
    approveSome(records, (index, date) => index === 7 && date === '2026-11-18'),
  );
  const total = DATES * PER_DATE;
  return [
    row(`writes of the first baseline of ${total.toLocaleString('en')}, units`, {
      baseline: 'one item per timesheet, without events',
      value: perItem.put * total,
      ours: first.writeUnits,
      atMost: 50_000,
    }),
    row(`reads of an unchanged poll of ${total.toLocaleString('en')}, units`, {
      baseline: 'one item per timesheet, BatchGet',
      value: perItem.get * total,
      ours: unchanged.readUnits,
      atMost: 100,
    }),
    row('writes of a single change among 50,000, units of its commit', {
      baseline: 'snapshot, event and outbox in transactions',
      value: perItem.transaction,
      ours: countCommitUnits(lone) / (machine.published.length - loneBefore),
      atMost: 11,
    }),
    row('writes of a single change among 50,000, units with lease and state of its poll', {
      baseline: 'snapshot, event and outbox in transactions',
      value: perItem.transaction,
      ours: lone.writeUnits / (machine.published.length - loneBefore),
      atMost: 16,
    }),
  ];
}

async function measureBulkChange(machine: BenchMachine): Promise<Row[]> {
  const records = createSeededTimesheets(1_000);
  await machine.poll(records);
  const before = machine.published.length;
  const bulk = await machine.poll(approveSome(records, () => true));
  const perItem = await measureOneItemPerTimesheet(machine);
  return [
    row('writes of 1,000 changes on one date in one poll, units each', {
      baseline: 'snapshot, event and outbox in transactions',
      value: perItem.transaction,
      ours: bulk.writeUnits / (machine.published.length - before),
      atMost: 0.27,
    }),
  ];
}

/** Units of changes alone, without the lease and the state that every poll writes. */
function countCommitUnits({ byOperation }: { byOperation: ReadonlyMap<string, number> }): number {
  return (byOperation.get('commit') ?? 0) + (byOperation.get('clearOutbox') ?? 0);
}

/** The same timesheets of a date in every call, each made when its page is asked for. */
function createSeededTimesheets(count: number): TimesheetsOf {
  return (date) => {
    const day = Number(date.replaceAll('-', ''));
    const offset = Number(date.slice(-2)) * PER_DATE;
    return listOf(count, (index) => ({
      ...sampleTimesheet(offset + index, date, createSeededRandom(SEED + day * PER_DATE + index)),
      approvedHours: null,
    }));
  };
}

function approveSome(
  records: TimesheetsOf,
  isChanged: (index: number, date: string) => boolean,
): TimesheetsOf {
  return (date) => {
    const before = records(date);
    return listOf(before.length, (index) => {
      const [record] = before.slice(index, index + 1);
      return isChanged(index, date) ? { ...(record as object), approvedHours: STAMP } : record;
    });
  };
}

/** One item per timesheet, measured on the same engine: units to write and read a timesheet, and of one change. */
async function measureOneItemPerTimesheet({
  dynamo,
}: BenchMachine): Promise<{ put: number; get: number; transaction: number }> {
  const { client, tableName } = dynamo;
  const random = createSeededRandom(SEED);
  const items = Array.from({ length: BASELINE_ITEMS }, (_, index) => ({
    pk: { S: 'baseline' },
    sk: { S: `${index}` },
    body: { S: JSON.stringify(sampleTimesheet(index, '2026-11-16', random)) },
  }));
  let [put, get] = [0, 0];
  for (let at = 0; at < items.length; at += 25) {
    const requests = items.slice(at, at + 25).map((Item) => ({ PutRequest: { Item } }));
    const answer = await client.send(
      new BatchWriteItemCommand({ RequestItems: { [tableName]: requests }, ReturnConsumedCapacity: 'TOTAL' }),
    );
    put += answer.ConsumedCapacity?.[0]?.CapacityUnits ?? Number.NaN;
  }
  for (let at = 0; at < items.length; at += 100) {
    const Keys = items.slice(at, at + 100).map(({ pk, sk }) => ({ pk, sk }));
    const answer = await client.send(
      new BatchGetItemCommand({ RequestItems: { [tableName]: { Keys } }, ReturnConsumedCapacity: 'TOTAL' }),
    );
    get += answer.ConsumedCapacity?.[0]?.CapacityUnits ?? Number.NaN;
  }
  const transaction = await measureOneItemEachOn(dynamo);
  return { put: put / items.length, get: get / items.length, transaction };
}

function row(
  metric: string,
  { baseline, value, ours, atMost }: { baseline: string; value: number; ours: number; atMost: number },
): Row {
  return {
    topic: 'storage',
    metric,
    baseline,
    baselineValue: describeCount(value),
    ours: describeCount(ours),
    ratio: ratio(ours, value),
    seed: SEED,
    goal: { value: ours, atMost },
    count: Number(ours.toFixed(3)),
  };
}
