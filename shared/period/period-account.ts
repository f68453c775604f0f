import { type DateRange, toIso } from '../core/dates.ts';
import { compareIds } from '../core/events/compare-ids.ts';
import { groupBy } from '../core/group-by.ts';
import type { CloseManifest } from '../core/periods/close-manifest.ts';
import { feedDefinition, toState } from '../core/records/feed-definition.ts';
import type { PayPeriodState } from '../core/records/pay-period.ts';
import type { FeedState } from '../core/snapshot/feed-state.ts';
import { toLossKey } from '../core/snapshot/recent-loss.ts';
import type { LeafRow, SliceHead } from '../core/snapshot/snapshot.ts';

const TIMESHEETS = feedDefinition('timesheets');

/** A timesheet as it is counted. */
export interface Counted {
  readonly timesheetId: string;
  readonly epoch: string;
  readonly sequence: number;
  readonly employeeId: string | null;
  readonly departmentId: string | null;
  readonly date: string | null;
  readonly hours: number;
  /** Clocked in and not out. */
  readonly lacksClockOut: boolean;
  readonly approved: boolean;
  readonly payrollApproved: boolean;
  readonly processed: boolean;
}

/** A pay period as far as its timesheets depend on it. */
export type AccountedPeriod = Pick<PayPeriodState, 'calendar' | 'startDate' | 'finishDate'>;

interface AccountedDate {
  readonly view: SliceView;
  readonly timesheets: readonly Counted[];
}

/** Which timesheets belong to a period, as the source answered employee by employee. */
export interface PeriodMembers {
  /** Ids of its timesheets. */
  readonly timesheets: ReadonlySet<string>;
  /** Ids of those of which no answer says whether they are. */
  readonly unknown: ReadonlySet<string>;
}

/**
 * What is stored of a pay period on its dates, with what of it is in doubt (rule 17): closings, statements, reminders
 * and commands are computed from it. Adding a date again replaces what was added before.
 */
export class PeriodAccount {
  readonly #dates = new Map<string, AccountedDate>();

  /** `rows`: as last committed. They do not count where the view says that the date cannot be counted. */
  add(view: SliceView, rows: readonly LeafRow[] = []): void {
    const doubts = rows.some(({ untold }) => untold === true)
      ? // Rows without their facts (ADR 2) would count as not approved and not processed.
        [...view.doubts, { kind: 'untold' } as const]
      : view.doubts;
    const known = { ...view, doubts, unseen: new Set([...view.unseen, ...listUnlisted(rows, view)]) };
    this.#dates.set(view.slice, {
      view: known,
      timesheets: isCountable(known) ? rows.map(countTimesheet) : [],
    });
  }

  /** What is known of each date, in their order. */
  get views(): readonly SliceView[] {
    return this.#inOrder().map(({ view }) => view);
  }

  /** Ids of the counted timesheets by the id of their employee, in the order of these. */
  byEmployee(): ReadonlyMap<string, readonly string[]> {
    const groups = [...groupBy(this.#timesheets(), ({ employeeId }) => employeeId)];
    const owned = groups.flatMap(([id, timesheets]): [string, string[]][] =>
      id === null ? [] : [[id, timesheets.map(({ timesheetId }) => timesheetId)]],
    );
    return new Map(owned.sort(([a], [b]) => compareIds(a, b)));
  }

  /** The timesheets that belong to the period, and how that is known. */
  select(members: PeriodMembers | null): PeriodTimesheets {
    return selectMembers(this.#timesheets(), members);
  }

  /**
   * Which dates could not be counted, which count as they were before a hold, and as of when. `asLastSeen`: of the
   * counted timesheets, those that could not be read in the last look.
   */
  coverage(
    counted: readonly Counted[] = [],
  ): Pick<CloseManifest, 'complete' | 'missing' | 'held' | 'asOf' | 'asLastSeen'> {
    const doubtful = this.views.filter(({ doubts }) => doubts.length > 0);
    const held = spanOf(doubtful.filter(isCountable));
    const unseenIds = new Set(this.views.flatMap((view) => [...view.unseen]));
    const unseen = counted.filter(({ timesheetId }) => unseenIds.has(timesheetId)).length;
    return {
      complete: doubtful.length === 0,
      missing: spanOf(doubtful.filter((view) => !isCountable(view))),
      ...(held === null ? {} : { held }),
      asOf: this.#findOldestLook(),
      ...(unseen === 0 ? {} : { asLastSeen: unseen }),
    };
  }

  /** Each timesheet once, in the order of the dates. */
  #timesheets(): Counted[] {
    const once = new Map<string, Counted>();
    for (const { timesheets } of this.#inOrder()) {
      for (const each of timesheets) if (!once.has(each.timesheetId)) once.set(each.timesheetId, each);
    }
    return [...once.values()];
  }

  #inOrder(): AccountedDate[] {
    return [...this.#dates].sort(([a], [b]) => compareIds(a, b)).map(([, date]) => date);
  }

  #findOldestLook(): string | null {
    const looks = this.views.flatMap((view) => (isCountable(view) ? (view.lookedAt ?? []) : []));
    return looks.length === 0 ? null : toIso(Math.min(...looks));
  }
}

/** Rows that the last look did not show, and that no request by id has found since. */
function listUnlisted(rows: readonly LeafRow[], { lookedAt }: SliceView): readonly string[] {
  const isFound = ({ seenAt }: LeafRow) => seenAt !== undefined && lookedAt !== null && seenAt >= lookedAt;
  return rows.flatMap((row) => (row.unlisted === undefined || isFound(row) ? [] : [row.id]));
}

/** Held losses and removals leave what was known before; what was never read, or moves, cannot be counted. */
function isCountable({ doubts }: SliceView): boolean {
  return doubts.every(({ kind }) => kind === 'held');
}

/** The first and the last of some dates in order; null when there is none. */
function spanOf(views: readonly SliceView[]): { readonly from: string; readonly to: string } | null {
  const [first] = views;
  return first === undefined ? null : { from: first.slice, to: (views.at(-1) ?? first).slice };
}

function countTimesheet({ id, state: row, sequence, epoch }: LeafRow): Counted {
  const state = toState(TIMESHEETS, row);
  const readText = (name: string) => (typeof state[name] === 'string' ? state[name] : null);
  return {
    timesheetId: id,
    epoch: toIso(epoch),
    sequence,
    employeeId: readText('employeeId'),
    departmentId: readText('departmentId'),
    date: readText('date'),
    hours: typeof state.hoursToPay === 'number' ? state.hoursToPay : 0,
    lacksClockOut: state.clockIn != null && state.clockOut == null,
    approved: state.approvedHours != null,
    payrollApproved: state.approvedPayroll != null,
    processed: state.processed != null,
  };
}

/** What a statement, which says whose hours changed, needs of a timesheet. */
export interface OwnedMember extends Pick<Counted, 'employeeId' | 'departmentId' | 'date'> {
  readonly id: string;
  readonly hoursToPay: number;
}

export function toOwnedMember({
  timesheetId: id,
  hours: hoursToPay,
  employeeId,
  departmentId,
  date,
}: Counted): OwnedMember {
  return { id, hoursToPay, employeeId, departmentId, date };
}

/** Timesheets of a period, and how it is known that they are its own. */
export interface PeriodTimesheets {
  readonly counted: readonly Counted[];
  readonly members: 'all' | 'asked' | 'partly';
  readonly membersUnknown: number;
}

/** What is known to belong to the period. What is not known is left out and counted, never guessed. */
function selectMembers(all: readonly Counted[], members: PeriodMembers | null): PeriodTimesheets {
  if (members === null) return { counted: all, members: 'all', membersUnknown: 0 };
  const isUnknown = ({ timesheetId, employeeId }: Counted) =>
    employeeId === null || members.unknown.has(timesheetId);
  const membersUnknown = all.filter(isUnknown).length;
  const counted = all.filter((each) => !isUnknown(each) && members.timesheets.has(each.timesheetId));
  return { counted, members: membersUnknown === 0 ? 'asked' : 'partly', membersUnknown };
}

/**
 * Why what is stored of a date may not be what the source has. `unread`: never a complete scan; `moving`: other polls
 * committed during every count; `untold`: rows whose facts are not published (ADR 2); `held`: losses or removals that
 * another look has to confirm, since an instant.
 */
type Doubt =
  | { readonly kind: 'unread' | 'moving' | 'untold' }
  | { readonly kind: 'held'; readonly what: 'losses' | 'removals'; readonly since: number };

export type Hold = Extract<Doubt, { kind: 'held' }>;

/** What is known of a slice, and what of it is in doubt (rule 17). */
export interface SliceView {
  readonly slice: string;
  /** Start of the last complete scan; null when there was none. */
  readonly lookedAt: number | null;
  readonly doubts: readonly Doubt[];
  /** Ids that may be there and could not be read: their rows are as last seen. */
  readonly unseen: ReadonlySet<string>;
}

/** What the feed's state says of its slices. */
export type SliceMemory = Pick<FeedState, 'coverage' | 'massChange' | 'shrunk'>;

/** The view of a slice before its rows are read. `head`: undefined for one that is not stored. */
export function viewSlice(slice: string, head: SliceHead | undefined, memory: SliceMemory): SliceView {
  const holds = listHolds(slice, memory);
  const coverage = memory.coverage[slice];
  const isCovered = head !== undefined && coverage?.revision === head.revision;
  const observedAt = head?.observedAt ?? null;
  const lookedAt = isCovered ? Math.max(coverage.at, observedAt ?? 0) : observedAt;
  const isRead = head?.baselinedAt != null && lookedAt !== null;
  return {
    slice,
    lookedAt: isRead ? lookedAt : null,
    doubts: [...(isRead ? [] : [{ kind: 'unread' } as const]), ...holds],
    unseen: new Set(isCovered ? Object.keys(coverage.unseen ?? {}) : []),
  };
}

/** Losses and removals of a slice that another look has to confirm. */
function listHolds(slice: string, { massChange, shrunk }: SliceMemory): readonly Hold[] {
  const losses = Object.entries(massChange).flatMap(([key, { field, since, movedTo = [] }]) => {
    const isOwn = key === toLossKey(slice, field);
    // A record that moved here while it lost the fact still counts where it was.
    return isOwn || movedTo.includes(slice) ? [since] : [];
  });
  const removals = Object.hasOwn(shrunk, slice) ? shrunk[slice] : undefined;
  return [
    ...losses.map((since) => ({ kind: 'held', what: 'losses', since }) as const),
    ...(removals === undefined ? [] : [{ kind: 'held', what: 'removals', since: removals.since } as const]),
  ];
}

/** The holds of some slices. */
export function holdsOf(views: readonly SliceView[]): readonly Hold[] {
  return views.flatMap(({ doubts }) => doubts.filter((doubt) => doubt.kind === 'held'));
}

/** Of the dates that are read again and again, those whose latest look began before the closing was seen. */
export function findLookedAtBefore(
  views: readonly SliceView[],
  { seenAt, window }: { readonly seenAt: number | null; readonly window: DateRange },
): { readonly from: string; readonly to: string } | null {
  if (seenAt === null) return null;
  const isWatched = ({ slice }: SliceView) => window.from <= slice && slice <= window.to;
  return spanOf(views.filter((view) => isWatched(view) && view.lookedAt !== null && view.lookedAt < seenAt));
}
