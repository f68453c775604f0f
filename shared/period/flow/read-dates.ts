import { listDates } from '#shared/core/dates.ts';
import { countRecords, type Head, nameSlice } from '#shared/core/snapshot/head.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import { keepLease } from '#shared/flow/poll/lease.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import type { PollRun } from '#shared/flow/poll/run.ts';
import { type Counted, countRows, type DateView, type LookMemory, viewDate } from '../view.ts';

/** The first and the last of some dates. */
export interface Dates {
  readonly startDate: string;
  readonly finishDate: string;
}

/** What the dates of a pay period are read from. */
export interface DateSource {
  /** By the names of their slices. */
  readonly heads: ReadonlyMap<string, Head>;
  readonly state: LookMemory;
  readonly readRows: (head: Head) => Promise<readonly StoredRow[]>;
  /** Whether there is time to read one more date. */
  readonly hasTimeLeft: () => boolean;
}

/** The dates of a pay period with the timesheets on them. */
export interface ReadDates {
  readonly dates: readonly DateView[];
  readonly timesheets: readonly Counted[];
  /** How many records on them were never readable. */
  readonly neverRead: number;
}

/** The dates of a period of usual length, without their rows. */
export function viewDates(
  { startDate, finishDate }: Dates,
  { heads, state }: Pick<DateSource, 'heads' | 'state'>,
): DateView[] {
  return listDates({ from: startDate, to: finishDate }).map((date) =>
    viewDate(date, heads.get(nameSlice({ feed: 'timesheets', slice: date })), state),
  );
}

/** Reads the timesheets of dates; null when there is no time for all of them. `take`: what of the rows is kept besides. */
export async function readDates(
  dates: readonly DateView[],
  source: DateSource,
  take: (rows: readonly StoredRow[]) => void = () => {},
): Promise<ReadDates | null> {
  const timesheets: Counted[] = [];
  let neverRead = 0;
  for (const view of dates) {
    const head = source.heads.get(nameSlice({ feed: 'timesheets', slice: view.date }));
    if (head === undefined || view.lookedAt === null || countRecords(head) === 0) continue;
    if (!source.hasTimeLeft()) return null;
    const rows = await source.readRows(head);
    timesheets.push(...countRows(view, rows));
    neverRead += rows.filter(({ text }) => text === null).length;
    take(rows);
  }
  return { dates, timesheets, neverRead };
}

/** Buckets that are read at once. */
const BUCKETS_AT_ONCE = 100;

/** All rows of a slice. */
export async function readRowsOfHead(
  { feed, slice, buckets }: Head,
  { connection, store }: { readonly connection: string; readonly store: Pick<Store, 'readBuckets'> },
): Promise<readonly StoredRow[]> {
  const filled = buckets.filter(({ count }) => count > 0);
  const rows: StoredRow[] = [];
  for (let start = 0; start < filled.length; start += BUCKETS_AT_ONCE) {
    const keys = filled.slice(start, start + BUCKETS_AT_ONCE).map(({ from }) => ({ feed, slice, from }));
    rows.push(...(await store.readBuckets(connection, keys)).flat());
  }
  return rows;
}

/** What a poll holds under its lease: nothing of it moves while it is counted. */
export function toDateSource(run: PollRun): DateSource {
  const from = { connection: run.lease.connection, store: run.ports.store };
  return {
    heads: run.memory.heads,
    state: run.memory.state,
    hasTimeLeft: () => run.ports.clock.now() < run.fetchUntil,
    readRows: async (head) => {
      await keepLease(run);
      return await readRowsOfHead(head, from);
    },
  };
}
