import { compareIds } from '#shared/core/events/compare-ids.ts';
import { covers } from '#shared/core/records/pay-period.ts';
import { countRecords } from '#shared/core/snapshot/head.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import { readState } from '#shared/core/snapshot/stored-state.ts';
import { loadHeadsOf } from '#shared/flow/stored-records.ts';
import { MAX_SHEET_TIMESHEETS } from '../../core/periods/close-manifest.ts';
import { formatCount } from '../../people/messages/numbers.ts';
import { createJudge, joinOpenTimesheets } from '../open-timesheets.ts';
import { buildSheets, type CsvFile, type SheetReader, toGoneLine, toSheetLine } from '../statement-csv.ts';
import { findClosed, isComparableNow } from './read-open-timesheets.ts';
import {
  knowsMembers,
  readAccountOf,
  readStoredPeriodOf,
  type StoredAccount,
  type StoredSource,
} from './stored-account.ts';

export interface Sheets {
  readonly files: readonly CsvFile[];
  /** What of them is in doubt, in words. */
  readonly doubts: readonly string[];
}

/**
 * The two sheets of a pay period as it is stored. `unknown`: there is no such period; `later`: there is no time, or it is
 * not known yet whose timesheets are whose; `too_large`: it has more timesheets than one can hold.
 */
export async function readSheets(
  payPeriodId: string,
  reader: SheetReader,
  { now, ...source }: StoredSource & { readonly now: number },
): Promise<Sheets | 'unknown' | 'later' | 'too_large'> {
  const stored = await readStoredPeriodOf(payPeriodId, source);
  if (stored === null) return 'unknown';
  const { connection, store } = source;
  const heads = (await loadHeadsOf(connection, 'timesheets', store)).filter(({ slice }) =>
    covers(stored.period, slice),
  );
  if (heads.reduce((sum, head) => sum + countRecords(head), 0) > MAX_SHEET_TIMESHEETS) return 'too_large';
  const closed = await findClosed(stored, { ...source, timeZone: reader.timeZone, now });
  const judge = closed === null ? null : createJudge(closed);
  const account = await readAccountOf(stored, source, ({ own }) => ({ own, judged: judge?.(own) ?? null }));
  if (account === null || !knowsMembers(account)) return 'later';
  const judged = account.kept.flatMap((date) => date.judged ?? []);
  const open =
    closed === null ? [] : joinOpenTimesheets(judged, { ...closed, isComparable: isComparableNow(account) });
  const openOf = new Map(open.map((each) => [each.timesheetId, each]));
  const rows = account.kept.flatMap(({ own }) => own.toSorted((a, b) => compareIds(a.id, b.id)));
  const present = new Set(rows.map(({ id }) => id));
  const lines = [
    ...rows.map((row) => toSheetLine(toTimesheet(row), openOf.get(row.id), reader)),
    ...open.filter(({ timesheetId }) => !present.has(timesheetId)).map((each) => toGoneLine(each)),
  ];
  const doubts = listDoubtsOf(account, closed !== null);
  return { files: buildSheets(payPeriodId, lines), doubts };
}

function listDoubtsOf(
  account: Pick<StoredAccount, 'account' | 'unsure' | 'members' | 'memory'>,
  isClosingKnown: boolean,
): string[] {
  const { unsure } = account;
  return [
    ...(account.account.coverage().complete ? [] : ['not all of its dates are read, or some are in doubt']),
    ...(unsure.length === 0
      ? []
      : [`without ${formatCount(unsure.length, 'timesheet')} of people whose calendar is not known`]),
    ...(isClosingKnown && isComparableNow(account)
      ? []
      : ['what was added or removed since it closed is not known']),
  ];
}

function toTimesheet(row: StoredRow) {
  return { id: row.id, state: readState('timesheets', row) ?? {} };
}
