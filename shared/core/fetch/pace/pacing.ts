import { isMisdated } from '../../clock-tolerance.ts';
import { type LearnedPace, MAX_CLIMBED, MAX_THROTTLE_COST } from '../../snapshot/learned-state.ts';
import { WAITS } from '../../waits.ts';
import {
  climb,
  computeCeiling,
  type Episode,
  learnRate,
  type RateHypothesis,
  resumeRate,
  startRate,
} from './rate.ts';
import { computeThrottleWait, MAX_ASKED_MS, NO_QUOTA, type Quota } from './throttle-wait.ts';
import {
  isTooWide,
  narrow,
  recordWidthAnswer,
  resumeWidth,
  startWidth,
  suspectWidth,
  type WidthHypothesis,
  widenAgain,
} from './width.ts';

/**
 * How fast to send requests to a source (rule 11), as a state and functions of time. Instants and waits are in
 * milliseconds, rates in requests a second, `random` is a number from 0 up to 1.
 *
 * There are two hypotheses: the source limits requests a second (`rate.ts`) or concurrent requests (`width.ts`). A 429
 * counts against one of them. After a 429 a single request probes whether the source accepts requests again. An episode
 * is the requests from one such probe to the next 429.
 */

/** After this long without a request a limiter may have saved up tokens, and a new episode begins. */
const IDLE_MS = 2_000;
/** Lateness of a timer that the next request makes up for: otherwise it would add up. */
const TIMER_SLACK_MS = 10;

/** A request at its start. */
export interface SentRequest {
  readonly startedAt: number;
  /** Its number among all requests of this pace, from 1. */
  readonly nth: number;
  /** Requests under way then, including itself. */
  readonly atOnce: number;
  /** Whether it started as early as the ceiling allowed: only then is its success evidence. */
  readonly pressed: boolean;
}

/** What is known about the pace that a source accepts. */
export interface Pace {
  readonly rate: RateHypothesis;
  readonly width: WidthHypothesis;
  readonly learnedAt: number | null;
  readonly sent: number;
  /** When the last request was due, and when the last one to end did. */
  readonly lastTurn: number;
  readonly lastEnd: number;
  readonly blockedUntil: number;
  /** 429s in a row, and when the first and the last of them came. */
  readonly throttles: number;
  readonly firstThrottledAt: number;
  readonly lastThrottledAt: number;
  /** How long the source last throttled requests. */
  readonly blockageMs: number;
  /** A single request is under way to probe whether the source accepts requests again. */
  readonly isProbing: boolean;
  /** The first request of the current episode. `anchored`: it began right after a 429, with nothing saved up. */
  readonly episode: { readonly since: number; readonly firstNth: number; readonly anchored: boolean };
  /** The episode that ended in a 429, with the rate before; null once the source accepts requests again. */
  readonly ended: (Episode & { readonly at: number; readonly before: RateHypothesis }) | null;
  /** The rate before the first 429 that the width may have caused. */
  readonly rateUnsuspected: RateHypothesis | null;
  readonly drops: Drops;
}

/** The pace of an unknown source. */
export function startPace(maxPerSecond: number): Pace {
  const never = Number.NEGATIVE_INFINITY;
  return {
    rate: startRate(maxPerSecond),
    width: startWidth(),
    learnedAt: null,
    sent: 0,
    lastTurn: never,
    lastEnd: never,
    blockedUntil: never,
    throttles: 0,
    firstThrottledAt: never,
    lastThrottledAt: never,
    blockageMs: 0,
    isProbing: false,
    episode: { since: never, firstNth: 1, anchored: false },
    ended: null,
    rateUnsuspected: null,
    drops: NO_DROPS,
  };
}

/** The earliest instant at which the next request may start. */
export function computeTurnAt(pace: Pace): number {
  return Math.max(pace.blockedUntil, pace.lastTurn + computeSpacing(pace));
}

/** Whether one more request may run beside `underWay` others. */
export function hasRoom(pace: Pace, underWay: number): boolean {
  // After a 429 for the rate, the probe need not wait for requests that may hang.
  return !pace.isProbing && (underWay < pace.width.limit || pace.ended !== null);
}

/** Records the start of a request as one of `atOnce` under way. */
export function recordStart(pace: Pace, at: number, atOnce: number): { pace: Pace; sent: SentRequest } {
  const turn = computeTurnAt(pace);
  const isIdle = at - Math.max(pace.lastEnd, turn) > IDLE_MS;
  const nth = pace.sent + 1;
  return {
    pace: {
      ...pace,
      sent: nth,
      lastTurn: at - turn <= TIMER_SLACK_MS ? turn : at,
      isProbing: pace.throttles > 0,
      episode: isIdle && pace.ended === null ? { since: at, firstNth: nth, anchored: false } : pace.episode,
    },
    sent: { startedAt: at, nth, atOnce, pressed: at - turn <= computeSpacing(pace) / 2 },
  };
}

/** Records an answer that was not a 429. */
export function recordAnswer(
  pace: Pace,
  sent: SentRequest,
  { at, quota }: { at: number; quota: Quota },
): Pace {
  const isThrottling = pace.throttles > 0 || pace.ended !== null;
  const isProbe = isThrottling && sent.startedAt >= Math.max(pace.lastThrottledAt, pace.ended?.at ?? 0);
  const lifted = isProbe ? lift(pace, sent) : pace;
  const counted: Pace = {
    ...lifted,
    rate: sent.pressed && !isProbe ? climb(lifted.rate) : lifted.rate,
    width: recordWidthAnswer(lifted.width, sent.atOnce),
    learnedAt: at,
    lastEnd: at,
    drops: { ...lifted.drops, inRow: 0 },
  };
  const { remaining, resetMs } = quota;
  if (remaining !== 0 || resetMs === null || resetMs <= 0 || counted.ended !== null) return counted;
  // The source announces that the next request is one too many: as good as a 429, at no cost.
  const wait = Math.min(resetMs, WAITS.throttled.maxMs);
  return endEpisode(
    { ...counted, blockedUntil: Math.max(counted.blockedUntil, at + wait) },
    { at, requests: pace.sent - pace.episode.firstNth + 1 },
  );
}

/** Records a throttled request (429), which is evidence against the width or against the rate. */
export function recordThrottling(
  pace: Pace,
  sent: SentRequest,
  throttling: { readonly at: number; readonly quota: Quota; readonly random: number },
): Pace {
  const { at, quota, random } = throttling;
  const isFirst = pace.throttles === 0;
  // 429s of requests that ran beside a throttled one are no new evidence.
  const isSame = isFirst ? sent.nth < pace.episode.firstNth : sent.startedAt < pace.lastThrottledAt;
  const width = isSame ? pace.width : suspectWidth(pace.width, sent.atOnce);
  const isTooMany = isTooWide(width);
  const throttles = isSame ? pace.throttles : pace.throttles + 1;
  const { firstMs: firstWaitMs } = isTooMany ? WAITS.throttledWidth : WAITS.throttled;
  const { blockageMs } = pace;
  const waitMs = computeThrottleWait({ throttles, quota, random, firstWaitMs, blockageMs });
  const blocked: Pace = {
    ...pace,
    learnedAt: at,
    lastEnd: at,
    throttles,
    firstThrottledAt: isFirst ? at : pace.firstThrottledAt,
    lastThrottledAt: at,
    blockedUntil: Math.max(pace.blockedUntil, at + waitMs),
    isProbing: isSame ? pace.isProbing : false,
  };
  if (isTooMany)
    return { ...blocked, ended: null, width: narrow(width), rate: pace.rateUnsuspected ?? pace.rate };
  if (isSame || pace.ended !== null) return { ...blocked, width };
  const requests = sent.nth - pace.episode.firstNth;
  return {
    ...endEpisode(blocked, { at: sent.startedAt, requests }),
    width: width === pace.width ? widenAgain(width) : width,
    rateUnsuspected: width.suspected === 1 ? pace.rate : pace.rateUnsuspected,
  };
}

/**
 * Records another failure. `retryAfterMs`: the wait that the source asked for. `isDrop`: there was no answer at all, or
 * one that overloaded servers give.
 */
export function recordFailure(
  pace: Pace,
  sent: SentRequest,
  failure: {
    readonly at: number;
    readonly retryAfterMs: number | null;
    readonly isDrop: boolean;
    readonly random: number;
  },
): Pace {
  const { at, retryAfterMs, isDrop, random } = failure;
  const wait = Math.min(MAX_ASKED_MS, retryAfterMs ?? 0);
  const isProbe = pace.isProbing && sent.startedAt >= pace.lastThrottledAt;
  const ended: Pace = {
    ...pace,
    lastEnd: at,
    isProbing: isProbe ? false : pace.isProbing,
    blockedUntil: Math.max(pace.blockedUntil, at + wait),
  };
  return isDrop ? recordDrop(ended, sent, { at, random }) : ended;
}

function computeSpacing(pace: Pace): number {
  return 1_000 / computeCeiling(pace.rate);
}

/** Ends the current episode with a 429 at `at`, after so many requests. */
function endEpisode(pace: Pace, { at, requests }: { at: number; requests: number }): Pace {
  const { since, anchored } = pace.episode;
  const activeMs = Number.isFinite(since) ? Math.max(0, at - since) : 0;
  const ended = { requests, activeMs, anchored, at, before: pace.rate };
  return { ...pace, ended, rate: learnRate(pace.rate, ended, Math.max(0, pace.blockedUntil - at)) };
}

/** The first accepted request after 429s begins a new episode. */
function lift(pace: Pace, { startedAt, nth }: SentRequest): Pace {
  const { ended, drops } = pace;
  const blockageMs =
    pace.throttles === 0
      ? pace.blockageMs
      : Math.max(startedAt - pace.firstThrottledAt, pace.blockageMs * 0.8);
  const lifted: Pace = { ...pace, throttles: 0, isProbing: false, blockageMs, ended: null };
  if (ended === null) return lifted;
  const rate = isOutage(drops) ? ended.before : learnRate(ended.before, ended, startedAt - ended.at);
  return { ...lifted, rate, episode: { since: startedAt, firstNth: nth, anchored: true } };
}

/** An unanswered request counts as throttled while others are answered. */
function recordDrop(pace: Pace, sent: SentRequest, { at, random }: { at: number; random: number }): Pace {
  const { nth } = sent;
  if (pace.throttles > 0) return { ...pace, drops: countDrop(pace.drops, nth) };
  const { firstNth } = pace.episode;
  const verdict = judgeDrop(pace.drops, { nth, firstNth, lastNth: pace.sent, rate: pace.rate });
  const slower = verdict.isThrottled ? recordThrottling(pace, sent, { at, quota: NO_QUOTA, random }) : pace;
  return { ...slower, rate: verdict.restored ?? slower.rate, drops: verdict.drops };
}

/** A second unanswered request within this many requests counts as a 429. */
const DROPS_WITHIN = 50;
/** After this many suspicions in a row, each within fewer requests than this, going slower does not help. */
const NOISE = { suspicions: 4, requests: 100, ignoredFor: 2_000 } as const;
/** Unanswered requests in a row that are an outage, whatever they were taken for before. */
const OUTAGE = 8;

/** Unanswered requests: some limiters drop excess requests, and some networks drop any. `Nth`: number of a request. */
interface Drops {
  readonly lastNth: number;
  readonly inRow: number;
  /** Drops in a row that were taken for 429s, and the rate before the first of them. */
  readonly suspicions: number;
  readonly rateBefore: RateHypothesis | null;
  readonly ignoredUntilNth: number;
}

const NO_DROPS: Drops = {
  lastNth: Number.NEGATIVE_INFINITY,
  inRow: 0,
  suspicions: 0,
  rateBefore: null,
  ignoredUntilNth: 0,
};

/** An unanswered request, and the episode to which it belongs. */
interface Drop {
  readonly nth: number;
  /** The first request of the episode, and the last one that was sent. */
  readonly firstNth: number;
  readonly lastNth: number;
  readonly rate: RateHypothesis;
}

interface DropVerdict {
  readonly drops: Drops;
  /** The request counts as throttled. */
  readonly isThrottled: boolean;
  /** Going slower did not help: the rate to go back to. */
  readonly restored: RateHypothesis | null;
}

/** Two unanswered requests among answered ones count as 429s, until going slower turns out not to help. */
function judgeDrop(before: Drops, { nth, firstNth, lastNth, rate }: Drop): DropVerdict {
  const drops = countDrop(before, nth);
  const isLone = before.suspicions === 0 && nth - before.lastNth > DROPS_WITHIN;
  const isOld = nth < firstNth || nth <= before.ignoredUntilNth;
  if (isLone || isOld) return { drops, isThrottled: false, restored: null };
  const suspicions = nth - firstNth < NOISE.requests ? before.suspicions + 1 : 1;
  const rateBefore = suspicions === 1 ? rate : before.rateBefore;
  if (suspicions < NOISE.suspicions)
    return { drops: { ...drops, suspicions, rateBefore }, isThrottled: true, restored: null };
  const ignored = { suspicions: 0, rateBefore: null, ignoredUntilNth: lastNth + NOISE.ignoredFor };
  return { drops: { ...drops, ...ignored }, isThrottled: false, restored: rateBefore };
}

/** Counts an unanswered request without a verdict. */
function countDrop(drops: Drops, nth: number): Drops {
  return { ...drops, lastNth: nth, inRow: drops.inRow + 1 };
}

/** Whether so many requests in a row went unanswered that it says nothing about the rate. */
function isOutage({ inRow }: Drops): boolean {
  return inRow >= OUTAGE;
}

/** A measured rate of this age counts as a guess only; a pace of this age is ignored. */
const DOUBTED_MS = 2 * 3_600_000;
const FORGOTTEN_MS = 24 * 3_600_000;

/** The pace for other processes; `null` while nothing was learned. */
export function toLearnedPace(pace: Pace): LearnedPace | null {
  if (pace.learnedAt === null) return null;
  const { knowledge, target, throttleCost, steps, plateau } = pace.rate;
  return {
    rate: target,
    measured: knowledge === 'measured',
    climbed: Math.min(steps / plateau, MAX_CLIMBED),
    width: pace.width.limit,
    isWidthLimited: pace.width.before !== null,
    refusalCost: Math.min(throttleCost, MAX_THROTTLE_COST),
    blockedUntil: Math.max(0, pace.blockedUntil),
    at: pace.learnedAt,
  };
}

/** The pace continued from what another process learned, unless this process learned something later. */
export function resumePace(pace: Pace, learned: LearnedPace, now: number): Pace {
  const age = now - learned.at;
  if ((pace.learnedAt ?? 0) >= learned.at || isMisdated(learned.at, now) || age > FORGOTTEN_MS) return pace;
  const measured = learned.measured && age <= DOUBTED_MS;
  return {
    ...pace,
    rate: resumeRate(pace.rate, {
      ...{ target: learned.rate, measured, throttleCost: learned.refusalCost },
      // A measure that is doubted is tried from below again.
      climbed: measured === learned.measured ? learned.climbed : 0,
    }),
    width: resumeWidth(pace.width, { width: learned.width, isLimited: learned.isWidthLimited }),
    blockedUntil: Math.max(pace.blockedUntil, Math.min(learned.blockedUntil, now + MAX_ASKED_MS)),
    learnedAt: learned.at,
    episode: { since: now, firstNth: pace.sent + 1, anchored: false },
  };
}

/**
 * The pace when a clock was set back: what is known of the source stays, and every instant is forgotten. A wait that the
 * source asked for is over then, at most a 429 early.
 */
export function forgetMisdatedPace(pace: Pace, now: number): Pace {
  const { lastTurn, lastEnd, lastThrottledAt, learnedAt, blockedUntil } = pace;
  const latest = Math.max(lastTurn, lastEnd, lastThrottledAt, learnedAt ?? lastTurn);
  if (!isMisdated(latest, now) && !isMisdated(blockedUntil, now, MAX_ASKED_MS)) return pace;
  const { rate, width, sent, drops } = pace;
  const episode = { since: now, firstNth: sent + 1, anchored: false };
  return { ...startPace(1), rate, width, sent, drops, episode };
}
