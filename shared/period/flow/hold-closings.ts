import type { RemovalCheck } from '#shared/core/compare/change.ts';
import {
  type ClassifiedRecords,
  findRow,
  indexKnownRows,
  type KnownRow,
  type SeenRecord,
} from '#shared/core/compare/classify-records.ts';
import type { Snapshot } from '#shared/core/compare/differing-leaves.ts';
import { readStoredClosing, readStoredPeriod } from '#shared/core/records/feed-definition.ts';
import { isClosedOrReopened } from '#shared/core/records/pay-period.ts';
import type { PollRun } from '#shared/flow/poll/poll-run.ts';
import type { PollPeriods } from '#shared/period/flow/read-account.ts';
import { judgeClosing } from '#shared/period/standing.ts';

/** The records of a scan of pay periods without the closings that have to wait. */
export interface HeldClosings {
  readonly classified: ClassifiedRecords;
  /** Ids of the pay periods whose closing waits. */
  readonly held: readonly string[];
}

interface ClosingsToHold {
  readonly classified: ClassifiedRecords;
  readonly snapshot: Snapshot;
  /** To requests by id, of records that the list left out. */
  readonly answers: ReadonlyMap<string, RemovalCheck>;
  /** As this scan and those answers showed them; null for another feed. */
  readonly periods: PollPeriods | null;
}

/**
 * Holds back the closing of a pay period for some minutes, until each of its watched dates was read once more after
 * the closing was seen: else what was approved just before it would count as left over. Meanwhile the feed of
 * timesheets reads these dates first, and the period stays as it is stored.
 */
export async function holdClosings(
  { classified, snapshot, answers, periods }: ClosingsToHold,
  run: PollRun,
): Promise<HeldClosings> {
  if (periods === null) return { classified, held: [] };
  const { timeZone } = run.connection;
  const held = new Map<string, KnownRow>();
  for (const { record, row } of matchRows(classified, snapshot, answers)) {
    const { id } = record;
    const closedBefore = readStoredClosing(row.row.state);
    const period = readStoredPeriod(record.row);
    // Only a period that the record shows as newly closed can wait.
    if (period?.closed == null || !isClosedOrReopened(period, closedBefore, timeZone)) continue;
    const { dates, moment } = await periods.viewClosing({ id, period }, periods.closedAt(id));
    const heldSince = periods.heldSince(id, closedBefore);
    if (judgeClosing(dates, { ...moment, heldSince }) === 'wait') held.set(id, row);
  }
  if (held.size === 0) return { classified, held: [] };
  return {
    classified: {
      ...classified,
      seen: classified.seen.filter(({ id }) => !held.has(id)),
      absent: classified.absent.filter(({ row: { id } }) => !held.has(id)),
      undecided: [...classified.undecided, ...held.values()],
    },
    held: [...held.keys()],
  };
}

/** Stored records as the list shows them, or as they were found by id. */
function matchRows(
  { seen, absent }: ClassifiedRecords,
  snapshot: Snapshot,
  answers: ReadonlyMap<string, RemovalCheck>,
): readonly { readonly record: SeenRecord; readonly row: KnownRow }[] {
  const rows = indexKnownRows(snapshot);
  const listed = seen.map((record) => ({ record, row: findRow(rows, record.id, record.slice) }));
  const found = absent.flatMap((row) => {
    const answer = answers.get(row.row.id);
    return answer?.outcome === 'found' ? [{ record: answer.record, row }] : [];
  });
  return [...listed.flatMap(({ record, row }) => (row === undefined ? [] : [{ record, row }])), ...found];
}
