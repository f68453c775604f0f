import { isMisdated } from '#shared/core/clock-tolerance.ts';

/** Longest wait that a source can ask for: a mistake there must not stop polling for a year. */
const MAX_ASKED_MS = 3_600_000;
/** Wait after the first 429 without `Retry-After`; four times as long after each further one in a row. */
const FIRST_WAIT_MS = 500;
const MAX_OWN_WAIT_MS = 60_000;
/** Lateness of a timer that the next request makes up for: otherwise it would add up. */
const TIMER_SLACK_MS = 10;
/** What is taken to be the limit, as a part of the rate that was refused: after many answers, and after few. */
const TAKEN = 0.95;
const TAKEN_SOON = 0.75;
/** Fewer answers between two 429s mean that the rate is far above the limit. */
const FEW_ANSWERS = 50;
/** Answers that bring a halved rate back to what is taken, and those that raise it by a tenth from there. */
const ANSWERS_BACK = 4;
const ANSWERS_BEYOND = 800;

/** An answer to a request, as far as the pace learns from it. Instants in milliseconds since 1970. */
export interface PacedAnswer {
  readonly startedAt: number;
  readonly at: number;
  /** Refused by 429, taken by any other answer of the source, or failed: no answer, or 5xx. */
  readonly outcome: 'taken' | 'refused' | 'failed';
  /** What the source asks for by `Retry-After` or `RateLimit`; null when it says nothing. */
  readonly askedWaitMs: number | null;
  /** From 0 up to 1. */
  readonly random: number;
}

/** How fast a source is asked (rule 11). Instants in milliseconds since 1970. */
export interface Pace {
  /** When the next request may start. */
  turnAt(now: number): number;
  /** Until when the source wants no request; in the past when it takes them. */
  blockedUntil(now: number): number;
  /** After a 429 one request alone finds out whether the source takes them again. */
  isProbing(): boolean;
  start(now: number): void;
  learn(answer: PacedAnswer): void;
  /** Requests a second that the source takes; null before its first 429. */
  learned(): number | null;
  resume(perSecond: number): void;
}

/**
 * Additive increase up to a maximum, halved on 429. The steps are large up to what is taken, a little less than the
 * rate that was refused last, and small beyond: so a limit is met about once in hundreds of requests, and nearly all of
 * it is used.
 */
function createRate(maxPerSecond: number) {
  let rate = maxPerSecond / 2;
  let taken: number | null = null;
  let answers = 0;
  return {
    perSecond: () => rate,
    taken: () => taken,
    increase(): void {
      answers += 1;
      const goal = taken ?? maxPerSecond;
      const step = rate < goal ? goal / 2 / ANSWERS_BACK : goal / 10 / ANSWERS_BEYOND;
      rate = Math.min(maxPerSecond, rate + step);
      if (taken !== null) taken = Math.max(taken, rate);
    },
    decrease(): void {
      taken = rate * (answers < FEW_ANSWERS ? TAKEN_SOON : TAKEN);
      rate /= 2;
      answers = 0;
    },
    resume(perSecond: number): void {
      rate = Math.min(maxPerSecond, perSecond);
      taken = rate;
    },
  };
}

export function createPace(maxPerSecond: number): Pace {
  const rate = createRate(maxPerSecond);
  let nextAt = 0;
  let blockedUntil = 0;
  let refusals = 0;
  let refusedAt = 0;

  // A clock that was set back stops nothing: what lies further ahead than it was put is forgotten.
  const findBlock = (now: number): number => (isMisdated(blockedUntil, now, MAX_ASKED_MS) ? 0 : blockedUntil);
  const findNext = (now: number): number => (nextAt > now + 2_000 / rate.perSecond() ? now : nextAt);

  return {
    turnAt: (now) => Math.max(findNext(now), findBlock(now)),
    blockedUntil: findBlock,
    isProbing: () => refusals > 0,
    start(now) {
      nextAt = Math.max(findNext(now), now - TIMER_SLACK_MS) + 1_000 / rate.perSecond();
    },
    learn({ startedAt, at, outcome, askedWaitMs, random }) {
      // What was under way at a 429 says nothing new about the rate.
      const isNews = startedAt >= refusedAt || refusedAt > at;
      if (outcome === 'refused' && isNews) {
        // A row of them says how long the source wants no request, not which rate it takes.
        if (refusals === 0) rate.decrease();
        refusals += 1;
        refusedAt = at;
      } else if (outcome === 'taken' && isNews) {
        refusals = 0;
        rate.increase();
      }
      const waitMs = outcome === 'refused' ? computeWait({ refusals, askedWaitMs, random }) : askedWaitMs;
      if (waitMs !== null) blockedUntil = Math.max(findBlock(at), at + Math.min(waitMs, MAX_ASKED_MS));
    },
    learned: rate.taken,
    resume: rate.resume,
  };
}

/** What the source asks for with jitter, or our own wait where it says nothing or too little. */
function computeWait({
  refusals,
  askedWaitMs,
  random,
}: Pick<PacedAnswer, 'askedWaitMs' | 'random'> & { readonly refusals: number }): number {
  const own = Math.min(MAX_OWN_WAIT_MS, FIRST_WAIT_MS * 4 ** (refusals - 1)) * (0.75 + random / 4);
  if (askedWaitMs === null) return own;
  const asked = askedWaitMs + random * Math.min(1_000, askedWaitMs / 10);
  return refusals > 1 ? Math.max(asked, own) : asked;
}
