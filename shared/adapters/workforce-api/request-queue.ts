import { SourceError, type SourceErrorCode } from '#shared/core/errors.ts';
import { computeBackoff, WAITS } from '#shared/core/waits.ts';
import { createPace, type Pace, type PacedAnswer } from './pace.ts';

/** The result of one try of a request. */
export type Try<T> = { readonly askedWaitMs: number | null } & (
  | { readonly outcome: 'answered'; readonly answer: T }
  | {
      readonly outcome: 'failed';
      readonly error: SourceError;
      /** There was no whole answer within the timeout of a request. */
      readonly timedOut?: boolean;
    }
);

export interface RequestQueueOptions {
  readonly maxPerSecond: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Longest wait for a source that throttles; longer ones are left to whoever comes when it is over. None when absent. */
  readonly patienceMs?: number;
}

/** All requests with one credential, in their order and at its pace (rule 11). */
export interface RequestQueue {
  /**
   * Sends a request when its turn comes, and again if that may help. Nothing starts at or after `deadline` (ms since
   * 1970). Throws the `SourceError` of the last try, or `source_throttled` if its turn would come too late.
   */
  ask<T>(send: () => Promise<Try<T>>, deadline: number): Promise<T>;
  /** Requests a second that the source takes; null before its first 429. */
  learnedPace(): number | null;
  /** Begins with a pace that was learned earlier. */
  resumePace(perSecond: number): void;
}

/** Each is a whole answer in memory. */
const MAX_UNDER_WAY = 6;

/** Tries of one request, the first one included. Failures with other codes are not retried. */
const MAX_TRIES: Partial<Record<SourceErrorCode, number>> = {
  source_throttled: WAITS.source.tries,
  source_failed: WAITS.source.tries,
  source_unreachable: WAITS.source.tries,
  // One retry may find the conflict resolved, or the answer whole; after that the next poll tries.
  source_conflict: 2,
  source_bad_response: 2,
};
/** Tries of a request that times out: each takes the whole timeout. */
const MAX_TIMED_OUT_TRIES = 2;

/**
 * Retries at the beginning and at most; every request earns a fifth of one, so that a failing source does not get
 * several times the requests of a healthy one.
 */
const FULL_BUDGET = 10;
const EARNED = 0.2;

export function createRequestQueue(options: RequestQueueOptions): RequestQueue {
  const { now, sleep, random, patienceMs = Number.POSITIVE_INFINITY } = options;
  const pace = createPace(options.maxPerSecond);
  /** The source wants no request for longer than anybody waits for it. */
  const isPutOff = (): boolean => pace.blockedUntil(now()) - now() > patienceMs;
  const turns = createTurns({ pace, now, sleep, isPutOff });
  let budget = FULL_BUDGET;

  const sendInTurn = async <T>(send: () => Promise<Try<T>>, deadline: number): Promise<Try<T>> => {
    await turns.take(deadline);
    const startedAt = now();
    try {
      const result = await send();
      const outcome = judgeOutcome(result);
      pace.learn({ ...result, outcome, startedAt, at: now(), random: random() });
      return result;
    } finally {
      turns.end();
    }
  };
  /** When a failed request may be sent again; null for never. */
  const planRetry = (failed: Failed, tries: number, deadline: number): number | null => {
    if (tries >= findMaxTries(failed) || budget < 1 || isPutOff()) return null;
    const at = Math.max(pace.turnAt(now()), now() + random() * computeBackoff(tries, WAITS.source));
    return at < deadline ? at : null;
  };

  return {
    async ask(send, deadline) {
      budget = Math.min(FULL_BUDGET, budget + EARNED);
      for (let tries = 1; ; tries += 1) {
        const result = await sendInTurn(send, deadline);
        if (result.outcome === 'answered') return result.answer;
        const retryAt = planRetry(result, tries, deadline);
        if (retryAt === null) throw result.error;
        budget -= 1;
        await sleep(Math.max(0, retryAt - now()));
      }
    },
    learnedPace: pace.learned,
    resumePace: pace.resume,
  };
}

interface TurnsOptions extends Pick<RequestQueueOptions, 'now' | 'sleep'> {
  readonly pace: Pace;
  readonly isPutOff: () => boolean;
}

interface Waiting {
  readonly deadline: number;
  readonly go: () => void;
  readonly giveUp: (error: SourceError) => void;
}

/** First come, first served, so many at a time. */
function createTurns({ pace, now, sleep, isPutOff }: TurnsOptions) {
  let waiting: Waiting[] = [];
  let underWay = 0;
  let isAsleep = false;

  const rejectLate = (): void => {
    const startAt = Math.max(pace.turnAt(now()), now());
    const late = waiting.filter(({ deadline }) => isPutOff() || deadline <= startAt);
    waiting = waiting.filter((each) => !late.includes(each));
    for (const { giveUp } of late) giveUp(createTooLateError(startAt - now()));
  };
  const wake = (): void => {
    isAsleep = false;
    move();
  };
  const move = (): void => {
    rejectLate();
    while (waiting.length > 0 && !isAsleep && underWay < (pace.isProbing() ? 1 : MAX_UNDER_WAY)) {
      const waitMs = pace.turnAt(now()) - now();
      if (waitMs > 0) {
        isAsleep = true;
        void sleep(waitMs).then(wake);
        return;
      }
      underWay += 1;
      pace.start(now());
      waiting.shift()?.go();
    }
  };

  return {
    /** Throws `source_throttled` when the turn would come too late. */
    take: (deadline: number): Promise<void> =>
      new Promise((go, giveUp) => {
        waiting.push({ deadline, go, giveUp });
        move();
      }),
    end: (): void => {
      underWay -= 1;
      move();
    },
  };
}

type Failed = Extract<Try<unknown>, { readonly outcome: 'failed' }>;

function judgeOutcome(result: Try<unknown>): PacedAnswer['outcome'] {
  if (result.outcome === 'answered') return 'taken';
  const { status } = result.error;
  if (status === 429) return 'refused';
  // A 404 or a bad page is an answer too: the source took the request.
  return status !== null && status < 500 ? 'taken' : 'failed';
}

function findMaxTries({ error, timedOut = false }: Failed): number {
  const tries = error.retryable ? (MAX_TRIES[error.code] ?? 1) : 1;
  return timedOut ? Math.min(tries, MAX_TIMED_OUT_TRIES) : tries;
}

function createTooLateError(waitMs: number): SourceError {
  return new SourceError(
    'source_throttled',
    `the source throttles: the next request could start in ${Math.max(0, Math.ceil(waitMs))} ms, too late for this run; the next run continues`,
    { retryable: true },
  );
}
