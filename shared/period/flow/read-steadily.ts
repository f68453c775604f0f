import { NotifierError } from '#shared/core/errors.ts';
import { type Head, nameSlice } from '#shared/core/snapshot/head.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import { EMPTY_STATE } from '#shared/core/snapshot/state.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import {
  type DateSource,
  type Dates,
  type ReadDates,
  readDates,
  readRowsOfHead,
  viewDates,
} from './read-dates.ts';

/** Times that dates are read to which polls commit meanwhile. */
const MAX_READINGS = 10;

type DateStore = Pick<Store, 'loadState' | 'loadHeads' | 'readBuckets'>;

/**
 * Reads dates beside polls, all as they were in one moment: again when a poll committed to one of them meanwhile. Throws a
 * retryable `NotifierError` (`period_moved`) where that does not end. `rows`: the stored rows that were read.
 */
export async function readSteadily(
  dates: Dates,
  connection: string,
  store: DateStore,
): Promise<ReadDates & { readonly rows: readonly StoredRow[] }> {
  for (let readings = 0; readings < MAX_READINGS; readings += 1) {
    const known = await load(connection, store);
    const rows: StoredRow[] = [];
    const read = await readDates(viewDates(dates, known), known, (each) => rows.push(...each));
    const now = await load(connection, store);
    if (read !== null && describe(dates, known) === describe(dates, now)) return { ...read, rows };
  }
  const what = `polls changed the period from ${dates.startDate} while it was counted; run it again`;
  throw new NotifierError('period_moved', what, { retryable: true });
}

async function load(connection: string, store: DateStore): Promise<DateSource> {
  // The state first: a look that it knows of is in the heads.
  const state = (await store.loadState(connection)) ?? EMPTY_STATE;
  const heads = new Map((await store.loadHeads(connection)).map((head) => [nameSlice(head), head]));
  return {
    state,
    heads,
    hasTimeLeft: () => true,
    readRows: (head: Head) => readRowsOfHead(head, { connection, store }),
  };
}

/** The heads of some dates: another text means that a poll committed to one of them. */
function describe({ startDate, finishDate }: Dates, { heads }: Pick<DateSource, 'heads'>): string {
  return JSON.stringify(
    [...heads.values()].filter(
      ({ feed, slice }) => feed === 'timesheets' && startDate <= slice && slice <= finishDate,
    ),
  );
}
