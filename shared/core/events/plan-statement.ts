import type { CloseManifest } from '../periods/close-manifest.ts';
import {
  advanceLedger,
  type HoursByReason,
  type LedgerEntry,
  type LedgerMember,
  listMoved,
  NOTHING_MOVED,
  nameLedger,
  openLedger,
  type Span,
  sumLedger,
  toHours,
  toUnits,
} from '../periods/ledger.ts';
import {
  CHANGE_REASONS,
  type ChangeReason,
  MAX_CHANGED_TIMESHEETS,
  type Statement,
} from '../periods/statement.ts';
import type { CountBasis, StatementFigures, StatementMemory } from '../periods/statement-memory.ts';
import type { State } from '../records/fields.ts';
import { subtractTotals } from '../records/pay-period.ts';
import type { Transition } from './transitions.ts';

/** A pay period as it was counted. */
export interface PeriodCount {
  readonly manifest: CloseManifest;
  /** The timesheets that the manifest counts. */
  readonly members: readonly (LedgerMember & Partial<Owner>)[];
}

/** Whose a timesheet is. */
type Owner = Readonly<Record<'employeeId' | 'departmentId' | 'date', string | null>>;

/**
 * What happened to a period. `at`: when its closing was seen, in milliseconds since 1970. `awaited`: the closing was published
 * before, and its statement waited for a count. `differs`: its final statement would be due, but the totals of the source
 * say otherwise since then.
 */
export type StatementCause =
  | { readonly kind: 'closing'; readonly at: number; readonly awaited?: boolean }
  | { readonly kind: 'reopening' }
  | { readonly kind: 'differs'; readonly since: number }
  | { readonly kind: 'final'; readonly settledBy: NonNullable<Statement['settledBy']> };

/** What is known of a period from its statements so far. */
export interface KnownStatement {
  readonly memory: StatementMemory | null;
  /** The ledger of its latest count; null when it is not at hand. */
  readonly ledger: readonly LedgerEntry[] | null;
}

/** What a period remembers from now on, and what is published. */
export interface StatementPlan {
  readonly statement: Statement | null;
  readonly memory: StatementMemory | null;
  /** To be stored under `memory.count.ledger` before the commit; null when there is no new one. */
  readonly ledger: readonly LedgerEntry[] | null;
}

const NO_STATEMENT: StatementMemory = {
  closings: 0,
  closedHours: 0,
  last: null,
  count: null,
  moved: NOTHING_MOVED,
  awaits: null,
  closedAt: 0,
};

/**
 * The statement that a cause brings, and what is remembered for the next one (docs/adr/0018). `count`: null when there
 * was no time: a closing then awaits its statement, unless it is taken back first. So does one that was counted from
 * older looks.
 */
export function planStatement(
  cause: StatementCause,
  known: KnownStatement,
  count: PeriodCount | null,
): StatementPlan {
  const memory = known.memory ?? NO_STATEMENT;
  switch (cause.kind) {
    case 'closing':
      return planClosing(cause, { ...known, memory }, count);
    case 'reopening':
      return planReopening({ ...known, memory }, count);
    case 'differs':
      return { statement: null, memory: { ...memory, differsSince: cause.since }, ledger: null };
    case 'final':
      if (count === null) return { statement: null, memory, ledger: null };
      return planFinal(cause.settledBy, { ...known, memory }, count);
  }
}

/** No further statement is awaited. */
export function stopAwaiting(memory: StatementMemory): StatementPlan {
  const { differsSince: _, ...rest } = memory;
  return { statement: null, memory: { ...rest, awaits: null }, ledger: null };
}

interface KnownMemory extends KnownStatement {
  readonly memory: StatementMemory;
}

function planClosing(
  { at, awaited = false }: Extract<StatementCause, { kind: 'closing' }>,
  known: KnownMemory,
  count: PeriodCount | null,
): StatementPlan {
  const { told, differsSince: _, ...memory } = known.memory;
  // The first count of a closing waits for looks that began after it; the one that was waited for counts as it is.
  if (count === null || (count.manifest.lookedAtBefore != null && !awaited)) {
    const figures = count === null ? {} : { told: toFigures(count.manifest) };
    return {
      statement: null,
      memory: { ...memory, ...figures, awaits: 'closing', closedAt: at },
      ledger: null,
    };
  }
  // Between two closings it was open, seen or unseen.
  const { ledger, next } = advanceCount({ ...known, memory }, count, 'reopened');
  const closings = memory.closings + 1;
  const stage = closings === 1 ? 'closed' : 'closed_again';
  const closed: StatementMemory = { ...next, closings, awaits: 'final', closedAt: at };
  const figures = toFigures(count.manifest);
  // The figures of a closing that another one followed are no mistake of this one.
  const corrects = awaited && told !== undefined && JSON.stringify(told) !== JSON.stringify(figures);
  const statement = buildStatement({ stage, settledBy: null, corrects, memory: closed, ledger, count });
  return { statement, memory: { ...closed, last: figures }, ledger };
}

/** The count when a period is reopened parts what came late from what came while it was open. */
function planReopening(known: KnownMemory, count: PeriodCount | null): StatementPlan {
  const { memory } = known;
  // Nothing was said of its closing, which is taken back.
  if (memory.closings === 0) return { statement: null, memory: null, ledger: null };
  if (count === null) return { statement: null, memory: { ...memory, awaits: null }, ledger: null };
  const { ledger, next } = advanceCount(known, count, 'late');
  return { statement: null, memory: { ...next, awaits: null }, ledger };
}

function planFinal(
  settledBy: NonNullable<Statement['settledBy']>,
  known: KnownMemory,
  count: PeriodCount,
): StatementPlan {
  const { ledger, next } = advanceCount(known, count, 'late');
  const corrects = known.memory.awaits === 'correction';
  const { differsSince, ...rest } = next;
  // What differs from the source is published again once it agrees.
  const memory: StatementMemory =
    count.manifest.addsUp === false
      ? { ...next, awaits: 'correction', differsSince: differsSince ?? known.memory.closedAt }
      : { ...rest, awaits: null };
  const statement = buildStatement({ stage: 'final', settledBy, corrects, memory, ledger, count });
  return { statement, memory, ledger };
}

/** Counts a period once more: what its hours moved by since the count before goes to the reasons. */
function advanceCount(
  { memory, ledger: before }: KnownMemory,
  { manifest, members }: PeriodCount,
  reason: Span['reason'],
): { readonly ledger: readonly LedgerEntry[]; readonly next: StatementMemory } {
  const { hoursToPay } = manifest;
  const basis = findBasis(manifest);
  const from = memory.count;
  if (from === null) {
    const ledger = openLedger(members);
    const count = { hours: hoursToPay, basis, ledger: nameLedger(ledger), exact: true };
    return { ledger, next: { ...memory, closedHours: hoursToPay, moved: NOTHING_MOVED, count } };
  }
  const span: Span = { reason, isComparable: basis !== 'part' && basis === from.basis };
  const ledger = before === null ? openLedger(members) : advanceLedger(before, members, span);
  const moved = before === null ? NOTHING_MOVED : subtractMoved(sumLedger(ledger), sumLedger(before));
  const exact = from.exact && before !== null;
  const count = { hours: hoursToPay, basis, ledger: nameLedger(ledger), exact };
  const total = toUnits(hoursToPay) - toUnits(from.hours);
  return {
    ledger,
    next: { ...memory, count, moved: addMoved(memory.moved, completeMoved(moved, total, span)) },
  };
}

function findBasis({ complete, members, sharesDatesWith }: CloseManifest): CountBasis {
  if (!complete || members === 'partly') return 'part';
  return sharesDatesWith.length === 0 ? 'own' : 'dates';
}

/**
 * Units by reason that add up to the total: an unexplained remainder (rounding, no ledger at hand) is booked to the
 * largest reason.
 */
function completeMoved(moved: HoursByReason, total: number, { reason, isComparable }: Span): HoursByReason {
  const rest = CHANGE_REASONS.reduce((left, each) => left - moved[each], total);
  const [most] = CHANGE_REASONS.toSorted((a, b) => Math.abs(moved[b]) - Math.abs(moved[a]));
  const usual: ChangeReason = isComparable ? reason : 'recounted';
  const to = most === undefined || moved[most] === 0 ? usual : most;
  return { ...moved, [to]: moved[to] + rest };
}

function subtractMoved(left: HoursByReason, right: HoursByReason): HoursByReason {
  return combine((reason) => left[reason] - right[reason]);
}

/** `sums` in hours, as remembered; `units` as counted. */
function addMoved(sums: HoursByReason, units: HoursByReason): HoursByReason {
  return combine((reason) => toHours(toUnits(sums[reason]) + units[reason]));
}

function combine(compute: (reason: ChangeReason) => number): HoursByReason {
  return { late: compute('late'), reopened: compute('reopened'), recounted: compute('recounted') };
}

interface StatementInput {
  readonly stage: Statement['stage'];
  readonly settledBy: Statement['settledBy'];
  readonly corrects: boolean;
  /** After this count; `last` is still the statement before. */
  readonly memory: StatementMemory;
  readonly ledger: readonly LedgerEntry[];
  readonly count: PeriodCount;
}

function buildStatement({ stage, settledBy, corrects, memory, ledger, count }: StatementInput): Statement {
  const { hoursToPay: hours, held, asLastSeen, lookedAtBefore, ...manifest } = count.manifest;
  const { source = null, addsUp = null, difference = null } = manifest;
  const { members = 'all', membersUnknown = 0, departments = 0, byDepartment = [] } = manifest;
  const { employees, timesheets, approved, unapproved, processed, unprocessed } = manifest;
  const { last: previous, closings } = memory;
  return {
    ...{ stage, settledBy, closings },
    ...(corrects ? { corrects } : {}),
    ...{ ...(held == null ? {} : { held }), ...(asLastSeen === undefined ? {} : { asLastSeen }) },
    ...(lookedAtBefore == null ? {} : { lookedAtBefore }),
    ...{ hours, employees, timesheets, approved, unapproved, processed, unprocessed },
    previous,
    change: previous === null ? null : subtractTotals({ hours, employees, timesheets }, previous),
    sinceClose: describeSinceClose(memory, ledger, count),
    ...{ complete: manifest.complete, missing: manifest.missing, asOf: manifest.asOf },
    ...{ members, membersUnknown, sharesDatesWith: manifest.sharesDatesWith },
    ...{ source, addsUp, difference, departments, byDepartment, leftovers: manifest.leftovers },
  };
}

function describeSinceClose(
  { closedHours, moved, count }: StatementMemory,
  ledger: readonly LedgerEntry[],
  { manifest, members }: PeriodCount,
): Statement['sinceClose'] {
  const owners = new Map(members.map((member) => [member.id, member]));
  const listed = listMoved(ledger);
  const changes = CHANGE_REASONS.map((reason) => ({
    reason,
    hours: moved[reason],
    timesheets: count?.exact === false ? null : listed.filter((change) => change.reason === reason).length,
  }));
  return {
    closedHours,
    // Changes of two timesheets that come to nothing together are still changes.
    changes: changes.filter((change) => change.hours !== 0 || (change.timesheets ?? 0) > 0),
    hours: manifest.hoursToPay,
    timesheets: listed.slice(0, MAX_CHANGED_TIMESHEETS).map(({ units, ...change }) => ({
      ...change,
      hours: toHours(units),
      ...readOwner(owners.get(change.timesheetId)),
    })),
  };
}

/** Nothing of a timesheet that does not belong to the period any more. */
function readOwner(member: PeriodCount['members'][number] | undefined): Partial<Owner> {
  if (member?.employeeId === undefined) return {};
  const { employeeId, departmentId = null, date = null } = member;
  return { employeeId, departmentId, date };
}

function toFigures({
  hoursToPay: hours,
  employees,
  timesheets,
  unapproved,
  unprocessed,
}: CloseManifest): StatementFigures {
  return { hours, employees, timesheets, unapproved, unprocessed };
}

/** What time alone brings of a pay period comes after what else happened to it, and changes nothing of the record. */
export function toNumberSteps(
  id: string,
  after: State | null,
  { statements, readiness }: PeriodNumbers,
): Transition[] {
  if (after === null) return [];
  const step = {
    kind: 'statement',
    fact: null,
    changed: [],
    from: after,
    to: after,
    collapsed: false,
  } as const;
  return [
    ...(statements?.get(id)?.statement == null ? [] : [{ ...step, type: 'pay_period.statement' } as const]),
    ...(readiness?.has(id) === true ? [{ ...step, type: 'pay_period.readiness' } as const] : []),
  ];
}

/** Numbers of pay periods, by their ids. */
export interface PeriodNumbers {
  /** Of those that closed. */
  readonly manifests?: ReadonlyMap<string, CloseManifest>;
  /** Of those whose statement is due, or whose memory of it changes. */
  readonly statements?: ReadonlyMap<string, StatementPlan>;
  /** How far those are whose moment has come: members of the event's data. */
  readonly readiness?: ReadonlyMap<string, object>;
}

/** What `data` has besides: the manifest of a closing, the statement, or how far the period is. */
export function findNumbers(
  { type }: Transition,
  id: string,
  { manifests, statements, readiness }: PeriodNumbers,
): object {
  if (type === 'pay_period.statement') return { statement: statements?.get(id)?.statement };
  if (type === 'pay_period.readiness') return readiness?.get(id) ?? {};
  const manifest = type === 'pay_period.closed' ? manifests?.get(id) : undefined;
  return manifest === undefined ? {} : { closeManifest: manifest };
}
