import { SourceError, type SourceErrorCode } from '#shared/core/errors.ts';

/** Failures, without any answer, after which the source is taken not to answer this at all. */
const MAX_FAILURES_UNANSWERED = 8;
/** Failures after which asking about others is pointless, or would cost them their requests. */
const ENDS_ASKING: ReadonlySet<SourceErrorCode> = new Set([
  'source_unauthorised',
  'source_throttled',
  'source_unreachable',
]);

/** How asking the source about one employee after another went. */
export class Asking {
  answers = 0;
  failures = 0;
  #isEnded = false;

  /** The source wants no further question, or answers none. */
  get isOver(): boolean {
    return this.#isEnded || (this.answers === 0 && this.failures >= MAX_FAILURES_UNANSWERED);
  }

  /** Whether the source was asked and answered for nobody. */
  get isUnanswered(): boolean {
    return this.answers === 0 && this.failures > 0;
  }

  /** The answer; null when the source fails for this employee; undefined when it is not to be asked any more. */
  async ask<Answer>(question: () => Promise<Answer>): Promise<Answer | null | undefined> {
    try {
      const answer = await question();
      this.answers += 1;
      return answer;
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      this.failures += 1;
      if (!ENDS_ASKING.has(error.code)) return null;
      this.#isEnded = true;
      return undefined;
    }
  }
}

/** Works through values, several at a time, until it is over. */
export async function forEachInTurn<Value>(
  values: Iterable<Value>,
  { atOnce, isOver }: { readonly atOnce: number; readonly isOver: () => boolean },
  work: (value: Value) => Promise<void>,
): Promise<void> {
  const waiting = values[Symbol.iterator]();
  const workInTurn = async () => {
    for (let next = waiting.next(); next.done !== true; next = waiting.next()) {
      if (isOver()) return;
      await work(next.value);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, workInTurn));
}
