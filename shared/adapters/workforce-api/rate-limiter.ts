import { SourceError } from '#shared/core/errors.ts';
import {
  computeTurnAt,
  forgetMisdatedPace,
  hasRoom,
  type Pace,
  recordAnswer,
  recordFailure,
  recordStart,
  recordThrottling,
  resumePace,
  type SentRequest,
  startPace,
  toLearnedPace,
} from '#shared/core/fetch/pace/pacing.ts';
import type { Quota } from '#shared/core/fetch/pace/throttle-wait.ts';
import { earnRetry, FULL_RETRY_BUDGET, planNextTry } from '#shared/core/fetch/retry-schedule.ts';
import type { LearnedPace } from '#shared/core/snapshot/learned-state.ts';

/** The result of one try of a request. */
export type Try<T> =
  | { readonly outcome: 'answered'; readonly answer: T; readonly quota: Quota }
  | {
      readonly outcome: 'failed';
      readonly error: SourceError;
      readonly quota: Quota;
      /** There was no whole answer within the timeout of a request. */
      readonly timedOut?: boolean;
    };

export interface RateLimiterOptions {
  readonly maxPerSecond: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Longest wait for a source that throttles; longer ones are left to whoever comes when it is over. None when absent. */
  readonly patienceMs?: number;
}

/** Keeps the requests of one credential within what the source takes (rule 11). */
export interface RateLimiter {
  /**
   * Sends a request when its turn comes, and again if that may help. Nothing starts at or after `deadline` (ms since
   * 1970), nor once the signal is aborted. Throws the `SourceError` of the last try, `source_throttled` if its turn
   * would come too late, or the signal's reason.
   */
  ask<T>(send: () => Promise<Try<T>>, deadline: number, signal?: AbortSignal): Promise<T>;
  /** What was learned about the pace that the source takes; `null` if nothing yet. */
  learnedPace(): LearnedPace | null;
  /** Starts from what another process learned, unless this one has learned something later. */
  resumePace(learned: LearnedPace): void;
}

export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { now, sleep, random } = options;
  const keeper = createPaceKeeper(options);
  let budget = FULL_RETRY_BUDGET;
  const queue = createQueue({ ...keeper, now, sleep });

  const sendInTurn = async <T>(send: () => Promise<Try<T>>, turn: Turn): Promise<Try<T>> => {
    const sent = await queue.wait(turn);
    let result: Try<T> | null = null;
    try {
      result = await send();
      return result;
    } finally {
      keeper.end(result, { sent, at: now(), random: random() });
      queue.move();
    }
  };

  return {
    async ask(send, deadline, signal) {
      budget = earnRetry(budget);
      for (let tries = 1; ; tries += 1) {
        const result = await sendInTurn(send, { deadline, signal });
        if (result.outcome === 'answered') return result.answer;
        const { error, timedOut = false } = result;
        const failure = { code: error.code, final: !error.retryable, timedOut, tries, budget };
        const waitUntil = keeper.isPutOff() ? now() : deadline;
        const turn = { deadline: waitUntil, now: now(), turnAt: keeper.turnAt(), random: random() };
        const next = planNextTry({ ...failure, ...turn });
        if (next.outcome === 'give_up') throw error;
        budget = next.budget;
        await sleep(Math.max(0, next.at - now()));
      }
    },
    learnedPace: keeper.learned,
    resumePace: keeper.resume,
  };
}

/** The pace of a source as requests start and end, and how many are under way. */
function createPaceKeeper({ maxPerSecond, now, patienceMs = Number.POSITIVE_INFINITY }: RateLimiterOptions) {
  let pace = startPace(maxPerSecond);
  let underWay = 0;
  const current = (): Pace => {
    pace = forgetMisdatedPace(pace, now());
    return pace;
  };
  return {
    turnAt: () => computeTurnAt(current()),
    hasRoom: () => hasRoom(pace, underWay),
    isPutOff: () => current().blockedUntil - now() > patienceMs,
    start: (): SentRequest => {
      underWay += 1;
      const step = recordStart(pace, now(), underWay);
      pace = step.pace;
      return step.sent;
    },
    end: (result: Try<unknown> | null, attempt: AttemptContext) => {
      pace = learn(pace, result, attempt);
      underWay -= 1;
    },
    learned: () => toLearnedPace(pace),
    resume: (learned: LearnedPace) => {
      pace = resumePace(current(), learned, now());
    },
  };
}

interface AttemptContext {
  readonly sent: SentRequest;
  readonly at: number;
  readonly random: number;
}

function learn(pace: Pace, result: Try<unknown> | null, { sent, at, random }: AttemptContext): Pace {
  if (result === null) return recordFailure(pace, sent, { at, retryAfterMs: null, isDrop: false, random });
  const { quota } = result;
  if (result.outcome === 'answered') return recordAnswer(pace, sent, { at, quota });
  const { code, status } = result.error;
  if (code === 'source_throttled') return recordThrottling(pace, sent, { at, quota, random });
  // A 404 or a bad page is an answer too: the source took the request.
  if (status !== null && status < 500) return recordAnswer(pace, sent, { at, quota });
  // Instead of answering 429, some sources drop requests or answer 503.
  const isDrop = code === 'source_unreachable' || status === 503;
  return recordFailure(pace, sent, { at, retryAfterMs: quota.retryAfterMs, isDrop, random });
}

interface Turn {
  /** Milliseconds since 1970, until which the request may wait to be started. */
  readonly deadline: number;
  /** Cancels the wait. */
  readonly signal: AbortSignal | undefined;
}

interface QueueOptions extends Pick<RateLimiterOptions, 'now' | 'sleep'> {
  readonly turnAt: () => number;
  readonly hasRoom: () => boolean;
  /** The source wants no request for longer than anybody waits for it. */
  readonly isPutOff: () => boolean;
  /** Takes the turn now. */
  readonly start: () => SentRequest;
}

interface Waiting extends Turn {
  readonly go: (sent: SentRequest) => void;
  readonly giveUp: (reason: unknown) => void;
}

/** Requests that wait for their turn, first come, first served. */
function createQueue({ now, sleep, turnAt: nextTurn, hasRoom: isFree, isPutOff, start }: QueueOptions) {
  let waiting: Waiting[] = [];
  let isAsleep = false;

  const move = (): void => {
    const startAt = Math.max(nextTurn(), now());
    const isTooLate = isPutOff() ? () => true : ({ deadline }: Waiting) => deadline <= startAt;
    const expired = waiting.filter(isTooLate);
    waiting = waiting.filter((each) => !expired.includes(each));
    for (const { giveUp } of expired) giveUp(tooLateError(startAt - now()));
    if (isAsleep || waiting.length === 0 || !isFree()) return;
    const wait = nextTurn() - now();
    if (wait > 0) {
      isAsleep = true;
      void sleep(wait).then(() => {
        isAsleep = false;
        move();
      });
      return;
    }
    waiting.shift()?.go(start());
    move();
  };

  return {
    wait: ({ deadline, signal }: Turn) =>
      new Promise<SentRequest>((go, giveUp) => {
        signal?.throwIfAborted();
        const entry: Waiting = { deadline, signal, go, giveUp };
        signal?.addEventListener('abort', () => {
          waiting = waiting.filter((other) => other !== entry);
          giveUp(signal.reason);
        });
        waiting.push(entry);
        move();
      }),
    move,
  };
}

function tooLateError(waitMs: number): SourceError {
  const wait = Math.max(0, Math.ceil(waitMs));
  return new SourceError(
    'source_throttled',
    `the source throttles: the next request could start in ${wait} ms, too late for this run; the next run continues`,
    { retryable: true },
  );
}
