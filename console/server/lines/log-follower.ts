import type { Line } from '#console/answers/lines.ts';
import type { ConsoleContext } from '../context.ts';
import { describeCommit, toCommitKey } from './describe-line.ts';
import { compareKeys } from './list-lines.ts';

/** Between two reads of the log: on one machine, and in AWS, where reads cost money. */
const LOCAL_PAUSE_MS = 500;
const AWS_PAUSE_MS = 2_000;
/** An item of the log carries a time from before its commit, which may take a while. */
const OVERLAP_MS = 120_000;
const DAY_MS = 86_400_000;

type Listener = (lines: readonly Line[]) => void;

/** Follows the event log while pages look at it. */
export class LogFollower {
  readonly #context: ConsoleContext;
  readonly #listeners = new Set<Listener>();
  /** Commits that were seen, with their instants. */
  readonly #seen = new Map<string, number>();
  #readUntil: number | null = null;
  #timer: NodeJS.Timeout | null = null;
  #trouble: unknown = null;

  constructor(context: ConsoleContext) {
    this.#context = context;
  }

  /**
   * Calls back with the lines of each read, at first those of the last minutes. Whoever lists the log after that misses
   * nothing. Returns a function that ends it.
   */
  listen(onLines: Listener): () => void {
    this.#listeners.add(onLines);
    if (this.#listeners.size === 1) void this.#follow();
    return () => {
      this.#listeners.delete(onLines);
      if (this.#listeners.size === 0) this.stop();
    };
  }

  /** What the last read failed with; null when it did not. */
  trouble(): unknown {
    return this.#trouble;
  }

  stop(): void {
    this.#listeners.clear();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#readUntil = null;
    this.#trouble = null;
  }

  async #follow(): Promise<void> {
    this.#timer = null;
    await this.#readOnce();
    if (this.#listeners.size === 0 || this.#timer !== null) return;
    const { target, readEveryMs } = this.#context;
    const pause = readEveryMs ?? (target.redirects ? LOCAL_PAUSE_MS : AWS_PAUSE_MS);
    this.#timer = setTimeout(() => void this.#follow(), pause).unref();
  }

  async #readOnce(): Promise<void> {
    const { system, speed } = this.#context.target;
    const now = Math.floor(system.now());
    const overlap = OVERLAP_MS + LOCAL_PAUSE_MS * 4 * speed;
    const from = Math.min(this.#readUntil ?? now, now) - overlap;
    try {
      const lines = await this.#readNew({ from, to: now + DAY_MS });
      this.#readUntil = now;
      this.#trouble = null;
      // No later read finds them.
      for (const [key, at] of this.#seen) if (at < from - overlap) this.#seen.delete(key);
      if (lines.length > 0) for (const onLines of this.#listeners) onLines(lines);
    } catch (error) {
      this.#trouble = error;
    }
  }

  async #readNew(between: { readonly from: number; readonly to: number }): Promise<Line[]> {
    const { target, log, knowledge } = this.#context;
    const lines: Line[] = [];
    const seen: [string, number][] = [];
    for (const { name: connection } of target.connections) {
      for await (const commit of log.read(connection, between)) {
        const key = toCommitKey(commit, connection);
        if (this.#seen.has(key)) continue;
        seen.push([key, commit.committedAt]);
        lines.push(...describeCommit(commit, await knowledge.load(connection)));
      }
    }
    // Only now: after a failure all of it is read again.
    for (const [key, at] of seen) this.#seen.set(key, at);
    return lines.sort(compareKeys);
  }
}
