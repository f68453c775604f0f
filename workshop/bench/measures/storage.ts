import { listDates } from '#shared/core/dates.ts';
import type { Page, PageRequest, SourceApi } from '#shared/flow/poll/ports.ts';
import { createSeededRandom } from '#test/shared/adapters/workforce-api/virtual-time.ts';
import { countUnitsOfChange, READ_UNITS } from '../baselines/one-item-each.ts';
import { type BenchClock, startPollMachine } from '../poll-machine.ts';
import type { Row } from '../row.ts';
import { listDate } from '../sample-records.ts';

const PAGE_SIZE = 1_000;
/** The size to plan for. */
const DATES = 14;
const PER_DATE = 50_000;

/** Units of DynamoDB, as the embedded engine counts them. */
export async function measureStorage(): Promise<Row[]> {
  return [await measureUnchanged(), await measureManyChanges()];
}

async function measureUnchanged(): Promise<Row> {
  const machine = await startPollMachine({ forwardDays: DATES - 1, pageSize: PAGE_SIZE });
  try {
    const source = createMemorySource(PER_DATE, machine.clock);
    await machine.poll(source);
    const { units } = await machine.poll(source);
    return {
      target: 'P2',
      metric: `of ${(DATES * PER_DATE).toLocaleString('en')} timesheets, units`,
      baseline: ['one item per timesheet', READ_UNITS * DATES * PER_DATE],
      reached: units.read,
      atMost: 200,
    };
  } finally {
    await machine.stop();
  }
}

async function measureManyChanges(): Promise<Row> {
  const machine = await startPollMachine({ forwardDays: 0, pageSize: PAGE_SIZE });
  try {
    await machine.poll(createMemorySource(1_000, machine.clock));
    const { report, units } = await machine.poll(createMemorySource(1_000, machine.clock, 1));
    return {
      target: 'P3',
      metric: '1,000 changes on one date at once, with lease and state, units',
      baseline: ['one item per timesheet: state, event, outbox', await countUnitsOfChange()],
      reached: units.write / report.counts.changes,
      atMost: 0.4,
    };
  } finally {
    await machine.stop();
  }
}

/** A source in memory whose timesheets are made when their page is asked for. `version`: see `SourceState`. */
function createMemorySource(perDate: number, { now }: BenchClock, version = 0): SourceApi {
  const page = async ({ range, page: number, size }: PageRequest): Promise<Page> => {
    if (range === null) throw new Error('only dates are asked for');
    const makers = listDates(range).map((date) => listDate(date, { every: 1, version }, createSeededRandom));
    const totalRecords = makers.length * perDate;
    const pageSize = size ?? PAGE_SIZE;
    const from = (number - 1) * pageSize;
    const places = Array.from(
      { length: Math.max(0, Math.min(pageSize, totalRecords - from)) },
      (_, index) => from + index,
    );
    return {
      records: places.map((place) => makers[Math.floor(place / perDate)]?.(place % perDate)),
      totalRecords,
      totalPages: Math.max(1, Math.ceil(totalRecords / pageSize)),
      ...{ requestedAt: now(), receivedAt: now() },
    };
  };
  const never = () => Promise.reject(new Error('no record is asked for by id'));
  return {
    ...{ page, lookUp: never, listMembers: never },
    counts: () => ({ requests: 0, throttled: 0 }),
    learnedPace: () => null,
    resumePace: () => {},
  };
}
