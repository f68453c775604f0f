/**
 * How fast a source is asked (rule 11), as a state and functions of time. Instants and waits are milliseconds,
 * rates are requests a second, `random` is a number from 0 up to 1.
 *
 * Two hypotheses are kept apart: a source limits requests a second (`pace-rate.ts`) or requests at the same time
 * (`pace-width.ts`). A refusal counts against one of them. After a refusal one request alone finds out whether the
 * source takes requests again.
 */
import { countDrop, type Drops, isOutage, judgeDrop, NO_DROPS } from './drops.ts';
import { climb, computeCeiling, type Episode, learnRate, type RateHypothesis, startRate } from './rate.ts';
import {
  computeRefusalWait,
  FIRST_WAIT_MS,
  MAX_ASKED_MS,
  MAX_WAIT_MS,
  NO_QUOTA,
  type Quota,
  WIDTH_WAIT_MS,
} from './refusal-wait.ts';
import {
  isTooWide,
  narrow,
  recordWidthAnswer,
  startWidth,
  suspectWidth,
  type WidthHypothesis,
  widenAgain,
} from './width.ts';

/** After this long without a request a limiter may have saved up: what was measured says nothing any more. */
const IDLE_MS = 2_000;
/** A timer that is this late may be made up for: else each request would be late by it. */
const TIMER_SLACK_MS = 10;

/** A request as it was when it started. */
export interface SentRequest {
  readonly startedAt: number;
  /** Its number among all requests, from 1. */
  readonly nth: number;
  /** Requests that were under way then, itself included. */
  readonly atOnce: number;
  /** Whether it came as early as the ceiling allowed: only then does its success prove anything. */
  readonly pressed: boolean;
}

/** What is known about the pace a source takes. */
export interface Pace {
  readonly rate: RateHypothesis;
  readonly width: WidthHypothesis;
  readonly learnedAt: number | null;
  readonly sent: number;
  /** The turn of the last request, and when the last one ended. */
  readonly lastTurn: number;
  readonly lastEnd: number;
  readonly blockedUntil: number;
  /** Refusals in a row, and when the first and the last of them came. */
  readonly refusals: number;
  readonly firstRefusal: number;
  readonly lastRefusal: number;
  /** How long the source refused the last time. */
  readonly blockageMs: number;
  /** One request is under way to find out whether the source takes requests again. */
  readonly isProbing: boolean;
  /** The first request since the source took requests again, and whether nothing was saved up before it. */
  readonly episode: { readonly since: number; readonly firstNth: number; readonly anchored: boolean };
  /** An episode that ended in a refusal, with what was known before: the wait after it is not over. */
  readonly ended: (Episode & { readonly at: number; readonly before: RateHypothesis }) | null;
  /** The rate before the first refusal that may have been for the width. */
  readonly rateUnsuspected: RateHypothesis | null;
  readonly drops: Drops;
}

/** The pace of a source that nothing is known about. */
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
    refusals: 0,
    firstRefusal: never,
    lastRefusal: never,
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

/** Whether one more request may run beside so many. */
export function hasRoom(pace: Pace, underWay: number): boolean {
  // After too high a rate the scout need not wait for requests that may hang.
  return !pace.isProbing && (underWay < pace.width.limit || pace.ended !== null);
}

/** A request starts as one of `atOnce` that are under way then. */
export function recordStart(pace: Pace, at: number, atOnce: number): { pace: Pace; sent: SentRequest } {
  const turn = computeTurnAt(pace);
  const isIdle = at - Math.max(pace.lastEnd, turn) > IDLE_MS;
  const nth = pace.sent + 1;
  return {
    pace: {
      ...pace,
      sent: nth,
      lastTurn: at - turn <= TIMER_SLACK_MS ? turn : at,
      isProbing: pace.refusals > 0,
      episode: isIdle && pace.ended === null ? { since: at, firstNth: nth, anchored: false } : pace.episode,
    },
    sent: { startedAt: at, nth, atOnce, pressed: at - turn <= computeSpacing(pace) / 2 },
  };
}

/** An answer that was no refusal came at `at`. */
export function recordAnswer(
  pace: Pace,
  sent: SentRequest,
  { at, quota }: { at: number; quota: Quota },
): Pace {
  const isRefusing = pace.refusals > 0 || pace.ended !== null;
  const isProbe = isRefusing && sent.startedAt >= Math.max(pace.lastRefusal, pace.ended?.at ?? 0);
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
  // The source says that the next request is one too many: as good as a refusal, and it cost nothing.
  const wait = Math.min(resetMs, MAX_WAIT_MS);
  return endEpisode(
    { ...counted, blockedUntil: Math.max(counted.blockedUntil, at + wait) },
    { at, requests: pace.sent - pace.episode.firstNth + 1 },
  );
}

/** A request was refused for being one too many (429): that speaks against the width or against the rate. */
export function recordRefusal(
  pace: Pace,
  sent: SentRequest,
  refusal: { readonly at: number; readonly quota: Quota; readonly random: number },
): Pace {
  const { at, quota, random } = refusal;
  const isFirst = pace.refusals === 0;
  // Requests that ran beside a refused one tell the same story, not a new one.
  const isSame = isFirst ? sent.nth < pace.episode.firstNth : sent.startedAt < pace.lastRefusal;
  const width = isSame ? pace.width : suspectWidth(pace.width, sent.atOnce);
  const isTooMany = isTooWide(width);
  const refusals = isSame ? pace.refusals : pace.refusals + 1;
  const firstWaitMs = isTooMany ? WIDTH_WAIT_MS : FIRST_WAIT_MS;
  const waitMs = computeRefusalWait({ refusals, quota, random, firstWaitMs, blockageMs: pace.blockageMs });
  const blocked: Pace = {
    ...pace,
    learnedAt: at,
    lastEnd: at,
    refusals,
    firstRefusal: isFirst ? at : pace.firstRefusal,
    lastRefusal: at,
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
 * A request failed in another way. `retryAfterMs` when the source said how long to stay away; `isDrop` when there was
 * no answer at all, or one that servers give when they have too much to do.
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
  const isProbe = pace.isProbing && sent.startedAt >= pace.lastRefusal;
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

/** What was given from the first request since the last refusal to the one that was refused at `at`. */
function endEpisode(pace: Pace, { at, requests }: { at: number; requests: number }): Pace {
  const { since, anchored } = pace.episode;
  const activeMs = Number.isFinite(since) ? Math.max(0, at - since) : 0;
  const ended = { requests, activeMs, anchored, at, before: pace.rate };
  return { ...pace, ended, rate: learnRate(pace.rate, ended, Math.max(0, pace.blockedUntil - at)) };
}

/** The first request that is taken after refusals. */
function lift(pace: Pace, { startedAt, nth }: SentRequest): Pace {
  const { ended, drops } = pace;
  const blockageMs =
    pace.refusals === 0 ? pace.blockageMs : Math.max(startedAt - pace.firstRefusal, pace.blockageMs * 0.8);
  const lifted: Pace = { ...pace, refusals: 0, isProbing: false, blockageMs, ended: null };
  if (ended === null) return lifted;
  const rate = isOutage(drops) ? ended.before : learnRate(ended.before, ended, startedAt - ended.at);
  return { ...lifted, rate, episode: { since: startedAt, firstNth: nth, anchored: true } };
}

/** No answer came: as good as a refusal where others were answered. */
function recordDrop(pace: Pace, sent: SentRequest, { at, random }: { at: number; random: number }): Pace {
  const { nth } = sent;
  if (pace.refusals > 0) return { ...pace, drops: countDrop(pace.drops, nth) };
  const { firstNth } = pace.episode;
  const verdict = judgeDrop(pace.drops, { nth, firstNth, lastNth: pace.sent, rate: pace.rate });
  const slower = verdict.isRefusal ? recordRefusal(pace, sent, { at, quota: NO_QUOTA, random }) : pace;
  return { ...slower, rate: verdict.restored ?? slower.rate, drops: verdict.drops };
}
