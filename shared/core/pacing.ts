/**
 * How fast a source is asked (rule 11), as a state and functions of time. Instants and waits are milliseconds,
 * rates are requests a second, `random` is a number from 0 up to 1.
 *
 * The idea: between two refusals the source took exactly what it is ready to give, whatever its limiter is made of.
 * So the rate measured from one refusal to the next is the ceiling, less a little; from there it creeps up again,
 * slower when it was measured than when it was guessed, faster the longer nothing is refused.
 */

/** Just under what was measured: the creeping upward needs about a hundred requests to use this up. */
const MARGIN = 0.95;
/** The first refusal only says that it was too much: a full bucket hides the rate behind it. */
const FIRST_CUT = 0.5;
/** A later refusal that comes too early to measure anything. */
const GUESSED_CUT = 0.75;
/** Requests that must have been taken since the last refusal before their rate means something. */
const MEASURABLE = 5;
/** Share of waiting in what was measured above which it is doubted: some limiters save up meanwhile, others do not. */
const DOUBTFUL_WAIT = 0.2;
/** Growth of the ceiling per request taken: one refusal in some 150 requests while it probes. */
const MEASURED_GROWTH = 0.0005;
const GUESSED_GROWTH = 0.004;
const MOST_GROWTH = 0.01;
/** Requests taken in a row after which the growth doubles, and one more request may run at the same time. */
const STREAK = 100;
/** Slowest pace, so that a source that refuses everything is still asked now and then. */
const LEAST_PER_SECOND = 0.1;
/** After this long without a request a limiter may have saved up: what was measured says nothing any more. */
const IDLE_MS = 2_000;
/** A source may ask for a longer wait than it needs; no more than this of it counts as time in which it gave nothing. */
const COUNTED_WAIT_MS = 10_000;
/** Wait after the first refusal without `Retry-After`; triples with every further one. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** A source that asks for more than this is asked again after it: a slip there must not stop us for a year. */
const LONGEST_ASKED_MS = 3_600_000;
/** Requests of one credential that run at the same time at most. */
const MOST_AT_ONCE = 4;

/** What a source says about its limit in an answer: nothing of it is certain to be there. */
export interface Quota {
  /** Wait it asks for. */
  readonly retryAfterMs: number | null;
  /** Requests it would still take, and how long until it counts anew. */
  readonly remaining: number | null;
  readonly resetMs: number | null;
}

/** What is known about the pace a source takes. */
export interface Pace {
  readonly maxPerSecond: number;
  /** Requests a second that are sent now at most. */
  readonly ceiling: number;
  /** Requests that may run at the same time. */
  readonly width: number;
  readonly growth: number;
  readonly streak: number;
  readonly learned: boolean;
  readonly lastStart: number;
  readonly lastEnd: number;
  /** Whether the last request came as early as the ceiling allowed: only then does its success prove anything. */
  readonly pressed: boolean;
  readonly blockedUntil: number;
  /** Refusals in a row, and when the first and the last of them came. */
  readonly refusals: number;
  readonly firstRefusal: number;
  readonly lastRefusal: number;
  /** How long the source refused the last time. */
  readonly blockageMs: number;
  readonly measured: Measured;
}

/** Requests taken since an instant. */
interface Measured {
  readonly since: number;
  readonly taken: number;
  /** It began with a refusal, so that nothing was saved up. */
  readonly anchored: boolean;
  /** How much of the time went by with waiting because the source said so. */
  readonly waitedMs: number;
}

/** The pace of a source that nothing is known about. */
export function startPace(maxPerSecond: number): Pace {
  return {
    maxPerSecond,
    ceiling: maxPerSecond,
    width: MOST_AT_ONCE,
    growth: GUESSED_GROWTH,
    streak: 0,
    learned: false,
    lastStart: Number.NEGATIVE_INFINITY,
    lastEnd: Number.NEGATIVE_INFINITY,
    pressed: false,
    blockedUntil: Number.NEGATIVE_INFINITY,
    refusals: 0,
    firstRefusal: Number.NEGATIVE_INFINITY,
    lastRefusal: Number.NEGATIVE_INFINITY,
    blockageMs: 0,
    measured: { since: Number.NEGATIVE_INFINITY, taken: 0, anchored: false, waitedMs: 0 },
  };
}

/** The earliest instant at which the next request may start. */
export function turnAt(pace: Pace): number {
  return Math.max(pace.blockedUntil, pace.lastStart + spacing(pace));
}

/** A request starts. */
export function started(pace: Pace, at: number): Pace {
  const idle = at - Math.max(pace.lastEnd, turnAt(pace)) > IDLE_MS;
  return {
    ...pace,
    lastStart: at,
    pressed: at - pace.lastStart <= 1.5 * spacing(pace),
    measured: idle ? { since: at, taken: 0, anchored: false, waitedMs: 0 } : pace.measured,
  };
}

/** An answer that was no refusal came at `at` to a request that started at `startedAt`. */
export function taken(pace: Pace, request: { startedAt: number; at: number; quota: Quota }): Pace {
  const { startedAt, at, quota } = request;
  const lifted = pace.refusals > 0 && startedAt >= pace.lastRefusal ? lift(pace, startedAt) : pace;
  const { measured } = lifted;
  const counted = {
    ...grow(lifted),
    lastEnd: at,
    measured: { ...measured, taken: measured.taken + 1 },
  };
  const { remaining, resetMs } = quota;
  if (remaining !== 0 || resetMs === null || resetMs <= 0) return counted;
  // The source says that the next request is one too many: as good as a refusal, and it cost nothing.
  const wait = Math.min(resetMs, LONGEST_WAIT_MS);
  return {
    ...lower(counted, at),
    blockedUntil: Math.max(counted.blockedUntil, at + wait),
    measured: { since: at, taken: 0, anchored: true, waitedMs: wait },
  };
}

/** A request that started at `startedAt` was refused for being one too many (429), with `atOnce` requests running. */
export function refused(
  pace: Pace,
  refusal: { startedAt: number; at: number; quota: Quota; atOnce: number; random: number },
): Pace {
  const { startedAt, at, quota, atOnce, random } = refusal;
  // Requests that ran beside a refused one tell the same story, not a new one.
  const again = pace.refusals > 0 && startedAt < pace.lastRefusal;
  const first = pace.refusals === 0;
  const refusals = again ? pace.refusals : pace.refusals + 1;
  const narrower = atOnce > 1;
  const lowered = first && !narrower ? lower(pace, at) : pace;
  return {
    ...lowered,
    width: narrower ? Math.min(pace.width, atOnce - 1) : pace.width,
    streak: 0,
    lastEnd: at,
    refusals,
    firstRefusal: first ? at : pace.firstRefusal,
    lastRefusal: at,
    blockedUntil: Math.max(pace.blockedUntil, at + waitAfter({ pace, refusals, quota, random })),
  };
}

/** A request failed in another way; `retryAfterMs` when the source said how long to stay away. */
export function failed(pace: Pace, failure: { at: number; retryAfterMs: number | null }): Pace {
  const { at, retryAfterMs } = failure;
  const blockedUntil = at + Math.min(LONGEST_ASKED_MS, retryAfterMs ?? 0);
  return { ...pace, lastEnd: at, streak: 0, blockedUntil: Math.max(pace.blockedUntil, blockedUntil) };
}

function spacing(pace: Pace): number {
  return 1_000 / pace.ceiling;
}

/** The first request that is taken after refusals. */
function lift(pace: Pace, startedAt: number): Pace {
  const waited = startedAt - pace.lastRefusal;
  const since = pace.firstRefusal + Math.max(0, waited - COUNTED_WAIT_MS);
  return {
    ...pace,
    refusals: 0,
    blockageMs: Math.max(startedAt - pace.firstRefusal, pace.blockageMs * 0.8),
    measured: { since, taken: 0, anchored: true, waitedMs: Math.min(waited, COUNTED_WAIT_MS) },
  };
}

function grow(pace: Pace): Pace {
  if (!pace.pressed) return pace;
  const streak = pace.streak + 1;
  const onward = streak % STREAK === 0;
  return {
    ...pace,
    streak,
    ceiling: Math.min(pace.maxPerSecond, pace.ceiling * (1 + pace.growth)),
    growth: onward ? Math.min(MOST_GROWTH, pace.growth * 2) : pace.growth,
    width: onward ? Math.min(MOST_AT_ONCE, pace.width + 1) : pace.width,
  };
}

/** Less than what was just too much. */
function lower(pace: Pace, at: number): Pace {
  const { since, taken: count, anchored, waitedMs } = pace.measured;
  const seconds = (at - since) / 1_000;
  const enough = count >= MEASURABLE && seconds > 0;
  const rate = enough ? Math.min(pace.ceiling, count / seconds) : pace.ceiling;
  const sure = enough && anchored;
  const certain = sure && waitedMs / 1_000 < seconds * DOUBTFUL_WAIT;
  // The average still has the slower beginning in it, the ceiling is a little too much: the truth is between them.
  const middle = certain ? Math.min(rate * 1.05, (rate + pace.ceiling) / 2) : rate;
  const cut = sure ? MARGIN : pace.learned ? GUESSED_CUT : FIRST_CUT;
  return {
    ...pace,
    ceiling: Math.max(Math.min(LEAST_PER_SECOND, pace.maxPerSecond), middle * cut),
    growth: certain ? MEASURED_GROWTH : GUESSED_GROWTH,
    streak: 0,
    learned: true,
  };
}

/**
 * Obeys the source, and doubts it when waiting that long did not help. Without its word: half of the wait is
 * certain, since a source that has just refused must not be asked at once, the other half is jitter; a third of the
 * last blockage is the least, so that a blockage that is known costs three refusals at most.
 */
function waitAfter(refusal: { pace: Pace; refusals: number; quota: Quota; random: number }): number {
  const { pace, refusals, quota, random } = refusal;
  const base = Math.max(FIRST_WAIT_MS, pace.blockageMs / 8);
  const own = Math.min(LONGEST_WAIT_MS, base * 3 ** (refusals - 1)) * (0.7 + random * 0.3);
  const asked = quota.retryAfterMs ?? (quota.remaining === 0 ? quota.resetMs : null);
  if (asked === null) return own;
  const jittered = Math.min(LONGEST_ASKED_MS, asked + random * Math.min(1_000, asked / 10));
  return refusals > 1 ? Math.max(jittered, own) : jittered;
}
