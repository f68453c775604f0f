import type { DateRange } from '../core/dates.ts';
import type { CloseManifest } from '../core/periods/close-manifest.ts';
import type { Statement } from '../core/periods/statement.ts';
import type { StatementMemory } from '../core/periods/statement-memory.ts';
import type { KnownPeriod } from '../core/records/pay-period.ts';
import { findLookedAtBefore, holdsOf, type SliceView } from './period-account.ts';

/**
 * What may be said of a pay period from what is known (rule 18): its figures, its figures with what is in doubt named
 * in them, or nothing until the doubt ends.
 */
export type Standing = 'tell' | 'reserve' | 'wait';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A closing waits no longer for looks at its dates: people are to hear of it within minutes. */
const MAX_CLOSING_WAIT_MS = 5 * MINUTE_MS;
/** Nor is it held for longer, where each look shows another stamp of it. */
const MAX_CLOSING_HOLD_MS = 10 * MINUTE_MS;
/** A statement of a closing that was told with old looks waits no longer for newer ones. */
const MAX_RECOUNT_WAIT_MS = HOUR_MS;
/** A loss is confirmed by the next look, a minute later; a reminder does not wait for a date that gets none. */
const MAX_REMINDER_WAIT_MS = 10 * MINUTE_MS;
/** The totals of the source may lag behind its timesheets. */
const MAX_DISAGREEMENT_MS = 6 * HOUR_MS;
/** A final statement that differed is corrected within this time, when count and totals agree at last. */
const MAX_CORRECTION_MS = 7 * DAY_MS;
/** Longer than from one payday to the next: what is not processed by then is no longer waited for. */
const MAX_WAITING_MS = 35 * DAY_MS;

/** A closing, and what of its dates is looked at. Instants in milliseconds since 1970. */
export interface ClosingMoment {
  /** When the closing was first seen; null when that is not known: then no look counts as later. */
  readonly seenAt: number | null;
  /** Dates that are watched. */
  readonly window: DateRange;
  readonly now: number;
  /** When the period was last seen as it is stored. */
  readonly heldSince?: number | null;
}

/**
 * Whether a closing may be told: it counts looks that began after it was seen, so that what it lacks came later. A watched
 * date that was never read is waited for, too.
 */
export function judgeClosing(views: readonly SliceView[], moment: ClosingMoment): Standing {
  const { heldSince, now, seenAt, window } = moment;
  const isHeldForLong = heldSince != null && now - heldSince >= MAX_CLOSING_HOLD_MS;
  const isUnread = views.some(
    ({ slice, lookedAt }) => lookedAt === null && window.from <= slice && slice <= window.to,
  );
  const standing = judgeWait(views, moment, MAX_CLOSING_WAIT_MS);
  const waits = seenAt !== null && now - seenAt < MAX_CLOSING_WAIT_MS && isUnread;
  if (standing !== 'wait' && !waits) return standing;
  return isHeldForLong ? 'reserve' : 'wait';
}

/** The same of the statement of a closing that is told already. */
export function judgeRecount(views: readonly SliceView[], moment: ClosingMoment): Standing {
  return judgeWait(views, moment, MAX_RECOUNT_WAIT_MS);
}

function judgeWait(views: readonly SliceView[], moment: ClosingMoment, maxWaitMs: number): Standing {
  const { seenAt, now } = moment;
  if (findLookedAtBefore(views, moment) === null && holdsOf(views).length === 0) return 'tell';
  return seenAt === null || now - seenAt >= maxWaitMs ? 'reserve' : 'wait';
}

/** Whether people may be reminded of an open period: what is held may be all that is missing. */
export function judgeReminder(views: readonly SliceView[], now: number): Standing {
  const holds = holdsOf(views);
  if (holds.length === 0) return 'tell';
  return holds.every((since) => now - since < MAX_REMINDER_WAIT_MS) ? 'wait' : 'reserve';
}

/** A pay period that is closed and awaits its final statement. */
export interface AwaitedPeriod {
  readonly id: string;
  readonly calendar: string;
  readonly finishDate: string;
  readonly memory: StatementMemory;
}

type SettledBy = NonNullable<Statement['settledBy']>;

/** Why a period is settled whatever of it is processed; null when it is not. `now`: milliseconds since 1970. */
export function findDeadline(
  { id, calendar, finishDate, memory }: AwaitedPeriod,
  periods: readonly KnownPeriod[],
  now: number,
): Exclude<SettledBy, 'processed'> | null {
  const isNext = (other: KnownPeriod) =>
    other.id !== id && other.calendar === calendar && other.startDate > finishDate && other.closed;
  if (periods.some(isNext)) return 'next_closing';
  return now - memory.closedAt >= MAX_WAITING_MS ? 'age' : null;
}

/** What a count says of a final statement. `differs`: it would be due, but the totals of the source say otherwise. */
export type FinalStanding =
  | { readonly standing: 'tell' | 'differs'; readonly settledBy: SettledBy }
  | { readonly standing: 'wait' };

/**
 * Whether the final statement of a period may be published: never while something is held, and not before the count and the
 * totals of the source agree, or have differed for hours.
 */
export function judgeFinal(
  views: readonly SliceView[],
  { manifest, deadline }: { readonly manifest: CloseManifest; readonly deadline: SettledBy | null },
  { differsSince, now }: { readonly differsSince: number | undefined; readonly now: number },
): FinalStanding {
  const isUnreadable = deadline === null && views.some(({ isFailing }) => isFailing);
  if (holdsOf(views).length > 0 || isUnreadable) return { standing: 'wait' };
  const { complete, members, unprocessed, addsUp } = manifest;
  const isProcessed = complete && members !== 'partly' && unprocessed === 0;
  const settledBy = isProcessed ? 'processed' : deadline;
  if (settledBy === null) return { standing: 'wait' };
  const isPatient = differsSince === undefined || now - differsSince < MAX_DISAGREEMENT_MS;
  return { standing: addsUp === false && isPatient ? 'differs' : 'tell', settledBy };
}

/** Whether a final statement that differed from the source may still be corrected. */
export function isCorrectable(publishedAt: number, now: number): boolean {
  return now - publishedAt < MAX_CORRECTION_MS;
}
