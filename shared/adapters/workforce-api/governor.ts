import { SourceError } from '../../core/errors.ts';
import {
  failed,
  type Pace,
  type Quota,
  refused,
  started,
  startPace,
  taken,
  turnAt,
} from '../../core/pacing.ts';
import { earn, FULL_RETRY_BUDGET, nextTry } from '../../core/retry-schedule.ts';

/** How one try of a request ended. */
export type Try<T> =
  | { readonly outcome: 'answered'; readonly answer: T; readonly quota: Quota }
  | { readonly outcome: 'failed'; readonly error: SourceError; readonly quota: Quota };

/** The world as the governor needs it; tests give it virtual time. */
export interface GovernorOptions {
  readonly maxPerSecond: number;
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** Keeps the requests of one credential within what the source takes (rule 11). One per credential. */
export interface Governor {
  /**
   * Sends a request when its turn comes, and again when that can help. Nothing starts at or after `deadline` (ms
   * since 1970). Throws the `SourceError` of the last try, or `source_throttled` when its turn comes too late.
   */
  ask<T>(send: () => Promise<Try<T>>, deadline: number): Promise<T>;
}

export function createGovernor({ maxPerSecond, now, sleep, random }: GovernorOptions): Governor {
  let pace = startPace(maxPerSecond);
  let budget = FULL_RETRY_BUDGET;
  const slots = createSlots(() => pace.width);

  /** Waits and takes the turn in one go: nobody can take it in between. Gives the instant it began. */
  const takeTurn = async (deadline: number): Promise<number> => {
    // Somebody else may have taken the turn, or been refused, while we slept.
    for (;;) {
      const at = turnAt(pace);
      const current = now();
      if (Math.max(at, current) >= deadline) throw tooLate(at - current);
      if (at <= current) {
        pace = started(pace, current);
        return current;
      }
      await sleep(at - current);
    }
  };

  const sendInTurn = async <T>(send: () => Promise<Try<T>>, deadline: number): Promise<Try<T>> => {
    await slots.take();
    try {
      const startedAt = await takeTurn(deadline);
      const result = await send();
      pace = learn(pace, result, { startedAt, at: now(), atOnce: slots.taken(), random: random() });
      return result;
    } finally {
      slots.give();
    }
  };

  return {
    async ask(send, deadline) {
      budget = earn(budget);
      for (let tries = 1; ; tries += 1) {
        const result = await sendInTurn(send, deadline);
        if (result.outcome === 'answered') return result.answer;
        const { error } = result;
        const failure = { code: error.code, final: !error.retryable, tries, deadline, budget };
        const next = nextTry({ ...failure, now: now(), turnAt: turnAt(pace), random: random() });
        if (next.outcome === 'give_up') throw error;
        budget = next.budget;
        await sleep(Math.max(0, next.at - now()));
      }
    },
  };
}

interface Circumstances {
  readonly startedAt: number;
  readonly at: number;
  readonly atOnce: number;
  readonly random: number;
}

function learn(pace: Pace, result: Try<unknown>, circumstances: Circumstances): Pace {
  const { quota } = result;
  if (result.outcome === 'answered') return taken(pace, { ...circumstances, quota });
  const { code, status } = result.error;
  if (code === 'source_throttled') return refused(pace, { ...circumstances, quota });
  // A 404 or a bad page is an answer all the same: the source took the request.
  if (status !== null && status < 500) return taken(pace, { ...circumstances, quota });
  return failed(pace, { at: circumstances.at, retryAfterMs: quota.retryAfterMs });
}

function tooLate(waitMs: number): SourceError {
  const wait = Math.max(0, Math.ceil(waitMs));
  return new SourceError(
    'source_throttled',
    `the next request could start in ${wait} ms, after the time this run has; the next run goes on from here`,
    { retryable: true },
  );
}

/** Room for as many requests at once as the pace allows, first come, first served. */
function createSlots(width: () => number) {
  let taken = 0;
  const waiting: (() => void)[] = [];
  const admit = () => {
    while (taken < width()) {
      const next = waiting.shift();
      if (next === undefined) return;
      taken += 1;
      next();
    }
  };
  return {
    take: () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve);
        admit();
      }),
    give: () => {
      taken -= 1;
      admit();
    },
    taken: () => taken,
  };
}
