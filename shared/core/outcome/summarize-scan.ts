import { type Change, type Comparison, type RemovalCheck, slicesOf } from '../compare/change.ts';
import type { ClassifiedRecords } from '../compare/classify-records.ts';
import type { MassChange } from '../compare/mass-change.ts';
import type { GuardedAbsences } from '../compare/mass-deletion-guard.ts';
import { describeFormChange, type FormChange, type FormCheck } from '../compare/source-form.ts';
import { isUnproven } from '../compare/unlisted.ts';
import type { SourceError } from '../errors.ts';
import type { ChangeEvents, Misfit } from '../events/events.ts';
import type { FeedName } from '../feeds.ts';
import { type BadRecord, isComplete, type Scan } from '../fetch/scan.ts';
import type { PollCoverage } from '../plan/coverage.ts';
import { readStoredPeriod, WHOLE_LIST } from '../records/feed-definition.ts';
import { type PayPeriodHint, readPayPeriodHint, type SeenPayPeriod } from '../records/pay-period.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import type { LeafRow } from '../snapshot/snapshot.ts';

/** What a scan brought, before it is compared. */
export interface ScanFindings {
  readonly slices: number;
  readonly records: number;
  readonly quarantined: number;
  readonly payPeriods: readonly SeenPayPeriod[] | null;
  /** Those that a list showed which was not read to its end. */
  readonly shownPeriods: readonly SeenPayPeriod[];
  readonly formChange: FormChange | null;
  readonly bad: readonly BadRecord[];
  /** Ids of records that could not be read before, and that a complete scan read. */
  readonly readAgain: readonly string[];
  readonly reason: string | null;
}

/** What comparing a scan found; for portions that were not committed, only facts that do not depend on them. */
export interface ComparisonFindings {
  readonly shrunk: ReadonlyMap<string, number>;
  readonly lingering: ReadonlySet<string>;
  readonly massChanges: readonly MassChange[];
  readonly changes: number;
  readonly changesOn: ReadonlyMap<string, number>;
  readonly sweptOn: readonly string[];
  readonly committed: readonly string[];
  readonly committedWhole: readonly string[];
  readonly completeScans: PollCoverage['completeScans'];
  /** Slices with absent records that could not be looked up: the next poll scans them first. */
  readonly unconfirmed: readonly string[];
  /** Stored pay periods that the list does not show; null when not all of the list was compared. */
  readonly unlistedPeriods: readonly UnlistedPeriod[] | null;
  /** Ids of pay periods whose closing waits for looks at their dates; null when not all of the list was compared. */
  readonly heldClosings: readonly string[] | null;
  readonly reasons: readonly string[];
}

/** A stored pay period that its list does not show. */
interface UnlistedPeriod extends Pick<SeenPayPeriod, 'id' | 'isAsStored' | 'isClosingHeld'> {
  /** Null where its row cannot be read, such as one that lacks an appended field: the period exists all the same. */
  readonly hint: PayPeriodHint | null;
}

interface ScanToSummarize {
  readonly scan: Scan;
  /** The same poll fetches its slices again, so that it need not be complete. */
  readonly isRefetched: boolean;
  /** The feed's state before the poll. */
  readonly known: Pick<FeedState, 'unreadable' | 'payPeriods'>;
}

/** What a scan brought, before it is compared. While the source's form has changed, single bad records say nothing. */
export function summarizeScan(
  { scan, isRefetched, known }: ScanToSummarize,
  form: FormCheck,
  feed: FeedName,
): ScanFindings {
  const isIncomplete = !isComplete(scan) && !isRefetched;
  const incomplete = isIncomplete ? describeIncompleteScan(scan) : null;
  const hasChanged = form.change !== null;
  const isPeriodList = feed === 'pay-periods' && scan.slices.has(WHOLE_LIST);
  return {
    slices: scan.slices.size,
    records: scan.records.size,
    quarantined: form.invalid.size + scan.unplaced.length,
    payPeriods: isPeriodList && isComplete(scan) ? listPayPeriods(scan, known.payPeriods) : null,
    shownPeriods: isPeriodList && !isComplete(scan) ? scan.payPeriods : [],
    formChange: form.change,
    bad: hasChanged ? [] : [...scan.unplaced, ...form.invalid.values()],
    readAgain:
      hasChanged || !isComplete(scan)
        ? []
        : Object.keys(known.unreadable).filter((id) => isValid(id, scan, form)),
    reason: hasChanged ? describeFormChange(form.change) : incomplete,
  };
}

/** The pay periods of a scan, and the known ones that it does not show, or shows as bad: they keep their last state. */
export function listPayPeriods(
  { payPeriods }: Pick<Scan, 'payPeriods'>,
  known: readonly PayPeriodHint[],
): readonly SeenPayPeriod[] {
  const listed = new Set(payPeriods.map(({ id }) => id));
  return [...payPeriods, ...known.filter(({ id }) => !listed.has(id))];
}

/** Every record of a complete scan was checked, or is as it was when it was checked before. */
function isValid(id: string, scan: Scan, { invalid }: FormCheck): boolean {
  return scan.records.has(id) && !invalid.has(id) && !scan.unplaced.some((bad) => bad.id === id);
}

function describeIncompleteScan({ end, slices }: Scan): string {
  const where = slices.size === 1 ? [...slices].join('') : `${[...slices][0]} to ${[...slices].at(-1)}`;
  switch (end?.problem) {
    case 'source_error':
      return describeFailure(where, end.error);
    case 'drifted':
      return `the list of ${where} moved while it was read; the next poll reads it again`;
    case 'page_loop':
      return `the pages of ${where} lead back to pages already read, or there are more than announced`;
    case 'wrong_page':
      return `the pages of ${where} do not come in the order that was asked for`;
    default:
      return `the time for this poll ended within ${where}; the next poll goes on from there`;
  }
}

/** A rejected credential is not the fault of what was requested. */
function describeFailure(where: string, error: SourceError | null): string {
  const message = error?.message ?? 'the source failed';
  return error?.credentialRejected === true || where === WHOLE_LIST
    ? message
    : `${where} cannot be read: ${message}`;
}

/** Times that a record was looked up, over some minutes, after which its list is known to leave it out. */
const CONCLUSIVE_LOOK_UPS = 4;

/** One portion of a scan with its records, changes and events. */
interface ComparedPortion {
  readonly classified: ClassifiedRecords;
  readonly answers: ReadonlyMap<string, RemovalCheck>;
  readonly comparison: Comparison;
  readonly changeEvents: readonly ChangeEvents[];
  /** Those of `changeEvents` that were left out of the commit. */
  readonly misfits: readonly Misfit[];
  /** Ids of pay periods whose closing is held back. */
  readonly heldClosings: readonly string[];
  readonly committed: boolean;
}

/** What comparing one portion found: no records, changes or events, so that those of all portions fit (rule 15). */
export interface PortionFindings
  extends Pick<ComparisonFindings, 'changes' | 'changesOn' | 'sweptOn' | 'unconfirmed' | 'reasons'>,
    Pick<ComparedPortion, 'heldClosings' | 'committed'>,
    Pick<Comparison, 'unseen'> {
  readonly unlistedPeriods: readonly UnlistedPeriod[];
}

/** `at`: when the scan was requested, ms since 1970. What was not committed is found again by the next poll. */
export function summarizePortion(compared: ComparedPortion, at: number): PortionFindings {
  const portion = leaveMisfitsOut(compared);
  const { comparison, changeEvents, heldClosings, committed } = portion;
  const kept = committed ? changeEvents : [];
  const unconfirmed = findUnconfirmedSlices(portion, at);
  return {
    changes: kept.filter(({ texts }) => texts.length > 0).length,
    changesOn: countChanges(committed ? comparison.changes : []),
    sweptOn: findSweptDates(kept),
    unseen: comparison.unseen,
    unconfirmed,
    unlistedPeriods: listUnlistedPeriods(portion),
    heldClosings,
    committed,
    reasons: describePortion(portion, unconfirmed),
  };
}

/** A record that was left out was not seen as it is, and a closing that was is held. */
function leaveMisfitsOut(portion: ComparedPortion): ComparedPortion {
  const { misfits, comparison, changeEvents, heldClosings } = portion;
  const left = new Set(misfits.map(({ change }) => change));
  const unseen = misfits.flatMap(({ change: { id, observed, ...places } }) =>
    slicesOf(places).map((slice) => ({ unseen: new Map([[slice, { [id]: observed.after }]]) })),
  );
  const closings = misfits.filter(({ types }) => types.includes('pay_period.closed'));
  return {
    ...portion,
    comparison: {
      changes: comparison.changes.filter((change) => !left.has(change)),
      unseen: mergeUnseen([comparison, ...unseen]),
    },
    changeEvents: changeEvents.filter(({ change }) => !left.has(change)),
    heldClosings: [...heldClosings, ...closings.map(({ change }) => change.id)],
  };
}

/** A scan with what was found out about it as a whole, before its portions were compared. */
export interface GuardedScan {
  readonly scan: Scan;
  /** When it was requested, ms since 1970. */
  readonly at: number;
  readonly deletionGuard: GuardedAbsences;
  readonly massChanges: readonly MassChange[];
}

/** Per slice: records that are there, or may be, and could not be read; with the instant at which each was last seen. */
export function mergeUnseen(
  portions: readonly Pick<PortionFindings, 'unseen'>[],
): Map<string, Record<string, number | null>> {
  const merged = new Map<string, Record<string, number | null>>();
  for (const { unseen } of portions)
    for (const [slice, ids] of unseen) merged.set(slice, { ...merged.get(slice), ...ids });
  return merged;
}

/** How far the portions of a scan were compared: to the end, as far as there was time, or until another poll committed. */
export type ComparisonEnd = 'whole' | 'out_of_time' | 'conflict';

/** What a scan's comparison found. A scan counts as complete only when all it found was committed. */
export function summarizeComparison(
  guarded: GuardedScan,
  portions: readonly PortionFindings[],
  end: ComparisonEnd,
): ComparisonFindings {
  const isWhole = end === 'whole';
  const { deletionGuard, massChanges } = guarded;
  const held = massChanges.filter(({ isConfirmed }) => !isConfirmed);
  return {
    shrunk: deletionGuard.shrunk,
    lingering: deletionGuard.lingering,
    changes: portions.reduce((sum, { changes }) => sum + changes, 0),
    changesOn: sumChanges(portions),
    sweptOn: portions.flatMap(({ sweptOn }) => sweptOn),
    ...(isWhole ? summarizeWhole(guarded, portions) : NOTHING_WHOLE),
    heldClosings: isWhole ? portions.flatMap((portion) => portion.heldClosings) : null,
    unlistedPeriods:
      isWhole && isComplete(guarded.scan) ? portions.flatMap((portion) => portion.unlistedPeriods) : null,
    massChanges: isWhole ? massChanges.toSorted(heldFirst) : held,
    reasons: [
      ...held.map(describeHeldLoss),
      ...portions.flatMap(({ reasons }) => reasons),
      ...(isWhole ? describeHeldAbsences(deletionGuard, mergeUnseen(portions)) : []),
      ...(end === 'out_of_time'
        ? ['there was more to commit than there was time for; the next poll goes on with it']
        : []),
    ],
  };
}

type WholeOutcome = Pick<
  ComparisonFindings,
  'committed' | 'committedWhole' | 'completeScans' | 'unconfirmed'
>;

const NOTHING_WHOLE: WholeOutcome = {
  committed: [],
  committedWhole: [],
  completeScans: new Map(),
  unconfirmed: [],
};

function summarizeWhole(
  { scan, at, deletionGuard }: GuardedScan,
  portions: readonly PortionFindings[],
): WholeOutcome {
  const slices = [...scan.slices];
  const incomplete = { ...NOTHING_WHOLE, committed: slices };
  if (!isComplete(scan)) return incomplete;
  const unseen = mergeUnseen(portions);
  const open = new Set(portions.flatMap((portion) => portion.unconfirmed));
  const unconfirmed = new Set(
    deletionGuard.toConfirm.map(({ slice }) => slice).filter((slice) => open.has(slice)),
  );
  const confirmed = slices.filter((slice) => !unconfirmed.has(slice));
  return {
    ...incomplete,
    committedWhole: slices,
    completeScans: new Map(confirmed.map((slice) => [slice, { at, unseen: unseen.get(slice) ?? {} }])),
    unconfirmed: [...unconfirmed],
  };
}

function heldFirst(a: MassChange, b: MassChange): number {
  return Number(a.isConfirmed) - Number(b.isConfirmed);
}

function describeHeldLoss({ slice, field, records, published }: MassChange): string {
  return records === published
    ? `whether records of ${slice} still lack ${field} could not be seen; another scan must show it`
    : `${records} records of ${slice} lost ${field} at once; a second scan must show it again`;
}

function describeHeldAbsences({ shrunk }: GuardedAbsences, unseen: ReadonlyMap<string, unknown>): string[] {
  const slices = [...shrunk.keys()].filter((slice) => unseen.has(slice));
  return slices.length === 0
    ? []
    : [`more records of ${slices.join(', ')} vanished at once than is believed`];
}

function describePortion(portion: ComparedPortion, unconfirmed: readonly string[]): string[] {
  const { found, unknown } = countLeftOut(portion);
  return [
    ...(found === 0 ? [] : [`the list left out ${countRecords(found)} that the source still has`]),
    ...(unknown === 0
      ? []
      : [`the list left out ${countRecords(unknown)} that could not be read by id; asked for again later`]),
    ...(unconfirmed.length === 0
      ? []
      : [`some absent records of ${unconfirmed.join(', ')} could not be looked up yet`]),
  ];
}

/** Pay periods that are stored and not proven to be gone, as their rows or the requests by id show them. */
function listUnlistedPeriods({
  classified,
  answers,
  heldClosings,
}: ComparedPortion): readonly UnlistedPeriod[] {
  return [...classified.absent, ...classified.undecided].flatMap(({ slice, row: { id, state } }) => {
    const answer = slice === WHOLE_LIST ? answers.get(id) : undefined;
    if (slice !== WHOLE_LIST || answer?.outcome === 'gone') return [];
    const isAsStored = answer?.outcome !== 'found';
    const period = readStoredPeriod(isAsStored ? state : answer.record.row);
    const hint = period === null ? null : readPayPeriodHint(id, period, null);
    return [{ id, hint, isAsStored, isClosingHeld: heldClosings.includes(id) }];
  });
}

function isLongUnlisted({ unlisted }: LeafRow): boolean {
  return (unlisted?.asks ?? 0) >= CONCLUSIVE_LOOK_UPS;
}

function countRecords(count: number): string {
  return count === 1 ? '1 record' : `${count} records`;
}

/**
 * Records that their list leaves out, by what the last request by id showed: that they are there, or nothing. The list
 * does not count as whole until it has left them out for long. Of a first request that failed the look-up tells.
 */
function countLeftOut({ classified, answers }: ComparedPortion): { found: number; unknown: number } {
  const counts = { found: 0, unknown: 0 };
  for (const { slice, row } of classified.absent.filter((each) => !isLongUnlisted(each.row))) {
    const answer = answers.get(row.id);
    if (answer?.outcome === 'found' && answer.record.slice === slice) counts.found += 1;
    if (row.unlisted === undefined || answer?.outcome === 'found' || answer?.outcome === 'gone') continue;
    const wasFound = answer === undefined && row.seenAt === row.unlisted.askedAt;
    counts[wasFound ? 'found' : 'unknown'] += 1;
  }
  return counts;
}

/** Slices of which absent records could not be looked up yet, although that was due when the list was requested. */
function findUnconfirmedSlices({ classified, answers }: ComparedPortion, at: number): readonly string[] {
  const open = classified.absent.filter(({ row }) => isUnproven(row, answers, at));
  return [...new Set(open.map(({ slice }) => slice))];
}

const SWEEP_EVENT_TYPES: ReadonlySet<string> = new Set(['timesheet.payroll_approved', 'timesheet.processed']);

/** Payroll goes over a whole pay period at a time: where it was, it comes again. */
function findSweptDates(changeEvents: readonly ChangeEvents[]): string[] {
  return changeEvents.flatMap(({ change, types }) =>
    change.after !== null && types.some((type) => SWEEP_EVENT_TYPES.has(type)) ? [change.after.slice] : [],
  );
}

function countChanges(changes: readonly Change[]): ReadonlyMap<string, number> {
  const changesOn = new Map<string, number>();
  for (const { after, rowSlice, silent } of changes) {
    const slice = after?.slice ?? rowSlice;
    if (slice !== null && silent !== true) changesOn.set(slice, (changesOn.get(slice) ?? 0) + 1);
  }
  return changesOn;
}

function sumChanges(portions: readonly PortionFindings[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { changesOn } of portions)
    for (const [slice, changes] of changesOn) sums.set(slice, (sums.get(slice) ?? 0) + changes);
  return sums;
}
