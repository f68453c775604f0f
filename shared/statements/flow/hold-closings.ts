import { PollPeriods } from '#shared/account/flow/read-account.ts';
import { judgeClosing } from '#shared/account/standing.ts';
import type { RemovalCheck } from '#shared/core/compare/change.ts';
import {
  type ClassifiedRecords,
  findRow,
  indexKnownRows,
  type KnownRow,
  type SeenRecord,
} from '#shared/core/compare/classify-records.ts';
import type { Snapshot } from '#shared/core/compare/differing-leaves.ts';
import { readStoredClosing, readStoredPeriod, WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import { isSameValue } from '#shared/core/records/notation.ts';
import {
  isClosedOrReopened,
  type PayPeriodState,
  readPayPeriodHint,
  type SeenPayPeriod,
} from '#shared/core/records/pay-period.ts';
import type { PollRun } from '#shared/flow/poll/poll-run.ts';

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
 * The pay periods of a list, and those that it left out and that were found by id: these come without totals. Null for
 * another feed.
 */
export function seePeriods(
  listed: readonly SeenPayPeriod[],
  answers: ReadonlyMap<string, RemovalCheck>,
  run: PollRun,
): PollPeriods | null {
  if (run.feed.feed !== 'pay-periods') return null;
  const found = [...answers.values()].flatMap((answer) => {
    if (answer.outcome !== 'found' || answer.record.slice !== WHOLE_LIST) return [];
    const { id, row, requestedAt, receivedAt } = answer.record;
    const period = readStoredPeriod(row);
    const look = { requestedAt, receivedAt };
    return period === null ? [] : [{ ...readPayPeriodHint(id, period, null), look }];
  });
  return new PollPeriods([...listed, ...found], run);
}

/**
 * Holds back the closing of a pay period for some minutes, until each of its dates that is read at all was read once
 * more after the closing was seen: else what was approved just before it would count as left over. Meanwhile the feed
 * of timesheets reads these dates first, and the period stays as it is stored.
 */
export async function holdClosings(
  { classified, snapshot, answers, periods }: ClosingsToHold,
  run: PollRun,
): Promise<HeldClosings> {
  if (periods === null) return { classified, held: [] };
  const held = new Map<string, KnownRow>();
  for (const { record, row } of matchRows(classified, snapshot, answers)) {
    const period = readClosing(row, record, run.connection.timeZone);
    if (period === null) continue;
    const seenAt = periods.closedAt(record.id);
    const { dates, moment } = await periods.viewClosing({ id: record.id, period }, seenAt);
    const heldSince = findHeldSince(row, seenAt, run);
    if (judgeClosing(dates, { ...moment, heldSince }) === 'wait') held.set(record.id, row);
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

/**
 * When a period was last seen as it is stored, if the look before this one showed another stamp of its closing that was
 * not told. Of the same closing it is known when it was first seen, and a list may have left out a period without any.
 */
function findHeldSince(known: KnownRow, seenAt: number | null, run: PollRun): number | undefined {
  const { id } = known.row;
  const { payPeriods, coverage } = run.state;
  const before = payPeriods.find((hint) => hint.id === id && hint.closed);
  if (before === undefined || before.closedBetween?.by === seenAt) return undefined;
  const isTold = isSameValue(
    before.closedStamp ?? null,
    readStoredClosing(known.row.state),
    run.connection.timeZone,
  );
  return isTold ? undefined : (coverage[WHOLE_LIST]?.unseen?.[id] ?? undefined);
}

/** The pay period that a record shows as newly closed; null for any other. */
function readClosing({ row }: KnownRow, record: SeenRecord, timeZone: string): PayPeriodState | null {
  const period = readStoredPeriod(record.row);
  return period?.closed != null && isClosedOrReopened(period, readStoredClosing(row.state), timeZone)
    ? period
    : null;
}
