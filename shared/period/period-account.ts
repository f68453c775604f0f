import { type DateRange, toIso } from '../core/dates.ts';
import { compareIds } from '../core/events/compare-ids.ts';
import { groupBy } from '../core/group-by.ts';
import type { CloseManifest } from '../core/periods/close-manifest.ts';
import { feedDefinition, parseRow, toState } from '../core/records/feed-definition.ts';
import type { KnownPeriod } from '../core/records/pay-period.ts';
import { type Head, nameSlice } from '../core/snapshot/head.ts';
import type { StoredRow } from '../core/snapshot/row.ts';
import type { ConnectionState } from '../core/snapshot/state.ts';

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
export type AccountedPeriod = Pick<KnownPeriod, 'startDate' | 'finishDate'>;

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

  /** `rows`: as last committed. They do not count where the date was never read. */
  add(view: SliceView, rows: readonly StoredRow[] = []): void {
    const unseen = new Set([
      ...view.unseen,
      ...rows.flatMap(({ id, bad }) => (bad === undefined ? [] : [id])),
    ]);
    this.#dates.set(view.slice, {
      view: { ...view, unseen },
      timesheets: isCountable(view) ? rows.flatMap(countTimesheet) : [],
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

/** What is held in doubt counts as before; what was never read cannot be counted. */
function isCountable({ doubts }: SliceView): boolean {
  return doubts.every(({ kind }) => kind === 'held');
}

/** The first and the last of some dates in order; null when there is none. */
function spanOf(views: readonly SliceView[]): { readonly from: string; readonly to: string } | null {
  const [first] = views;
  return first === undefined ? null : { from: first.slice, to: (views.at(-1) ?? first).slice };
}

function countTimesheet({ id, text, sequence, epoch }: StoredRow): Counted[] {
  if (text === null) return [];
  const state = toState(TIMESHEETS, parseRow(text));
  const readText = (name: string) => (typeof state[name] === 'string' ? state[name] : null);
  const counted = {
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
  return [counted];
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
 * Why what is stored of a date may not be what the source has. `unread`: never a complete look; `held`: another look has to
 * confirm what one would take away, since an instant.
 */
type Doubt = { readonly kind: 'unread' } | { readonly kind: 'held'; readonly since: number };

/** What is known of a date, and what of it is in doubt (rule 18). */
export interface SliceView {
  readonly slice: string;
  /** Start of the last complete look; null when there was none. */
  readonly lookedAt: number | null;
  readonly doubts: readonly Doubt[];
  /** Its last looks were not complete. */
  readonly isFailing: boolean;
  /** Ids that may be there and could not be read: their rows are as last seen. */
  readonly unseen: ReadonlySet<string>;
}

/** What the state of a connection says of its slices. */
export type LookMemory = Pick<ConnectionState, 'lookedAt' | 'failing'>;

/**
 * The view of a date before its rows are read. That it was read stands in its head, in the transaction that stored its
 * rows: the state may be older. `head`: undefined for one that is not stored.
 */
export function viewSlice(
  slice: string,
  head: Head | undefined,
  { lookedAt, failing }: LookMemory,
): SliceView {
  const name = nameSlice({ feed: 'timesheets', slice });
  const isFailing = failing[name] !== undefined;
  if (head?.baselinedAt == null)
    return { slice, lookedAt: null, doubts: [{ kind: 'unread' }], isFailing, unseen: new Set() };
  const looked = Math.max(lookedAt[name] ?? 0, head.baselinedAt);
  const { doubt, unlisted } = head;
  return {
    ...{ slice, isFailing },
    lookedAt: looked,
    doubts: doubt === null ? [] : [{ kind: 'held', since: doubt.since }],
    unseen: new Set(unlisted === null || unlisted.askedAt >= looked ? [] : unlisted.ids),
  };
}

/** Since when each of some dates that are in doubt is. */
export function holdsOf(views: readonly SliceView[]): readonly number[] {
  return views.flatMap(({ doubts }) => doubts.flatMap((doubt) => (doubt.kind === 'held' ? doubt.since : [])));
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
