import type { DateRange } from '../core/dates.ts';
import type { Account, SettledBy } from '../core/periods/account-data.ts';
import type { PeriodMemory } from '../core/periods/period-memory.ts';
import type { KnownPeriod } from '../core/records/pay-period.ts';
import { listReadBefore } from './account.ts';
import type { DateView } from './view.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A closing waits no longer for looks at its dates: people are to hear of it within minutes. */
const MAX_CLOSING_WAIT_MS = 5 * MINUTE_MS;
/** A loss is confirmed by the next look, a minute later; a reminder does not wait for a date that gets none. */
const MAX_REMINDER_WAIT_MS = 10 * MINUTE_MS;
/** The totals of the source may lag behind its timesheets. */
const MAX_DISAGREEMENT_MS = 6 * HOUR_MS;
/** Longer than from one payday to the next: what is not processed by then is no longer waited for. */
const MAX_UNPROCESSED_MS = 35 * DAY_MS;

/** A closing that is not told yet. Instants in milliseconds since 1970. */
interface SeenClosing {
  /** When it was first seen. */
  readonly seenAt: number;
  /** Dates that are watched. */
  readonly window: DateRange;
  readonly now: number;
}

/**
 * Whether a closing waits: it counts looks at its dates that began after it was seen, so that what it lacks came later. What
 * is not watched is not waited for.
 */
export function isClosingToWait(dates: readonly DateView[], { seenAt, window, now }: SeenClosing): boolean {
  if (now - seenAt >= MAX_CLOSING_WAIT_MS) return false;
  const isOpen = selectWatched(dates, window).some(
    ({ lookedAt, doubtSince }) => lookedAt === null || doubtSince !== null,
  );
  return isOpen || !isReadSince(dates, { seenAt, window });
}

/** Whether all watched dates were read since a closing was seen. */
export function isReadSince(
  dates: readonly DateView[],
  { seenAt, window }: Pick<SeenClosing, 'seenAt' | 'window'>,
): boolean {
  return listReadBefore(selectWatched(dates, window), seenAt).length === 0;
}

function selectWatched(dates: readonly DateView[], { from, to }: DateRange): DateView[] {
  return dates.filter(({ date }) => from <= date && date <= to);
}

/** Whether a reminder waits: what is in doubt may be all that is missing. */
export function isReminderToWait(dates: readonly DateView[], now: number): boolean {
  const since = dates.flatMap(({ doubtSince }) => doubtSince ?? []);
  return since.length > 0 && since.every((each) => now - each < MAX_REMINDER_WAIT_MS);
}

/** A pay period that is closed, and not settled. */
export interface ClosedPeriod {
  readonly id: string;
  readonly calendar: string;
  readonly finishDate: string;
  readonly memory: PeriodMemory;
}

/** Why a period is settled whatever of it is processed; null when it is not. A closing that is not told settles nothing. */
export function findDeadline(
  { id, calendar, finishDate, memory }: ClosedPeriod,
  periods: readonly KnownPeriod[],
  now: number,
): Exclude<SettledBy, 'processed'> | null {
  const isNext = (other: KnownPeriod) =>
    other.id !== id && other.calendar === calendar && other.startDate > finishDate && other.closed;
  if (periods.some(isNext)) return 'next_closing';
  return now - memory.closedAt >= MAX_UNPROCESSED_MS ? 'age' : null;
}

/** What is due of a closed period. `differs`: it would be settled, but for the totals of the source. */
export type DueMoment =
  | { readonly moment: 'recounted' | 'differs' | null }
  | { readonly moment: 'settled'; readonly settledBy: SettledBy };

/** What a count of a closed period is told as. */
export function findDueMoment(
  account: Account,
  {
    memory,
    deadline,
    isRead,
    now,
  }: {
    readonly memory: PeriodMemory;
    readonly deadline: ReturnType<typeof findDeadline>;
    /** All watched dates were read since it closed. */
    readonly isRead: boolean;
    readonly now: number;
  },
): DueMoment {
  const kinds = new Set(account.reserves.map(({ kind }) => kind));
  // What one look would take away is not known to be there.
  if (kinds.has('dates_doubtful')) return { moment: null };
  const doubts = account.reserves.filter(
    ({ kind }) => !['totals_differ', 'dates_before_closing'].includes(kind),
  );
  const isProcessed = account.unprocessed === 0 && isRead && doubts.length === 0;
  const settledBy = isProcessed ? 'processed' : deadline;
  if (settledBy !== null) {
    if (!kinds.has('totals_differ')) return { moment: 'settled', settledBy };
    if (memory.differsSince === null) return { moment: 'differs' };
    if (now - memory.differsSince >= MAX_DISAGREEMENT_MS) return { moment: 'settled', settledBy };
  }
  return { moment: memory.hasReserve && kinds.size === 0 ? 'recounted' : null };
}
