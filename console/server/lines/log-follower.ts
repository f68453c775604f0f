import { randomBytes } from 'node:crypto';
import type { Line } from '#console/routes/lines.ts';
import { listPolledFeeds } from '#shared/config/schema/directory.ts';
import type { ConsoleContext } from '../context.ts';
import { describeBatch } from './describe-line.ts';
import { compareKeys } from './list-lines.ts';

/** Lines that a page may have missed while it was not connected. Older ones are listed anew. */
const MAX_KEPT_LINES = 20_000;
/** Between two reads of the log: on one machine, and in AWS, where reads cost money. */
const LOCAL_PAUSE_MS = 500;
const AWS_PAUSE_MS = 2_000;
/** A batch carries a time from before its commit, and a poll may take a while to commit. */
const OVERLAP_MS = 120_000;
/** The log is followed so long after the last page went away, so that a reload misses nothing. */
const IDLE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A line and its place in the order in which this process saw lines. */
export interface Arrival {
  readonly position: number;
  readonly line: Line;
}

/** Follows the event log for the pages that look at it. */
export interface LogFollower {
  /** Follows for a while, and says what to pass to `since` later. */
  touch(): Promise<string>;
  /** What arrived since a position; null when that is not known any more. */
  since(position: string): readonly Arrival[] | null;
  /** The text of a position. */
  format(position: number): string;
  /** Calls back after each read that found lines. Returns a function that ends it. */
  listen(onLines: () => void): () => void;
  /** Why the last read failed; null when it did not. */
  trouble(): string | null;
  stop(): void;
}

export function createLogFollower(context: ConsoleContext): LogFollower {
  return new Follower(context);
}

class Follower implements LogFollower {
  readonly #context: ConsoleContext;
  /** Positions of an earlier process mean nothing here. */
  readonly #session = randomBytes(6).toString('hex');
  readonly #listeners = new Set<() => void>();
  /** Batches that were seen, with the instants of their commits. */
  readonly #seen = new Map<string, number>();
  #arrivals: Arrival[] = [];
  #nextPosition = 1;
  #readUntil: number | null = null;
  #wantedUntil = 0;
  #timer: NodeJS.Timeout | null = null;
  #reading: Promise<void> | null = null;
  #trouble: string | null = null;
  #isStopped = false;

  constructor(context: ConsoleContext) {
    this.#context = context;
  }

  async touch(): Promise<string> {
    this.#wantedUntil = performance.now() + IDLE_MS;
    if (this.#timer === null && this.#reading === null) await this.#read();
    return this.format(this.#nextPosition - 1);
  }

  since(text: string): readonly Arrival[] | null {
    const [session, number = ''] = text.split(':');
    const position = Number(number);
    if (session !== this.#session || !Number.isInteger(position)) return null;
    const oldest = this.#arrivals[0]?.position ?? this.#nextPosition;
    if (position < oldest - 1 || position >= this.#nextPosition) return null;
    return this.#arrivals.slice(position + 1 - oldest);
  }

  format(position: number): string {
    return `${this.#session}:${position}`;
  }

  listen(onLines: () => void): () => void {
    this.#listeners.add(onLines);
    void this.touch();
    return () => {
      this.#listeners.delete(onLines);
      this.#wantedUntil = performance.now() + IDLE_MS;
    };
  }

  trouble(): string | null {
    return this.#trouble;
  }

  stop(): void {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  async #read(): Promise<void> {
    this.#reading = this.#readOnce().finally(() => {
      this.#reading = null;
      this.#schedule();
    });
    await this.#reading;
  }

  #schedule(): void {
    if (this.#isStopped) return;
    if (this.#listeners.size === 0 && performance.now() > this.#wantedUntil) return;
    const { target, readEveryMs } = this.#context;
    const pause = readEveryMs ?? (target.redirects ? LOCAL_PAUSE_MS : AWS_PAUSE_MS);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#read();
    }, pause);
    this.#timer.unref();
  }

  async #readOnce(): Promise<void> {
    const { system, speed } = this.#context.target;
    const now = Math.floor(system.now());
    const overlap = OVERLAP_MS + LOCAL_PAUSE_MS * 4 * speed;
    const from = Math.min(this.#readUntil ?? now, now) - overlap;
    try {
      const found = await this.#readNew({ from, to: now + DAY_MS });
      this.#readUntil = now;
      this.#trouble = null;
      this.#forget(from - overlap);
      if (found.length > 0) this.#add(found);
    } catch (error) {
      this.#trouble = error instanceof Error ? error.message : String(error);
    }
  }

  async #readNew(between: { readonly from: number; readonly to: number }): Promise<Line[]> {
    const { target, log, knowledge } = this.#context;
    const lines: Line[] = [];
    const seen: [string, number][] = [];
    for (const { name: connection } of target.connections) {
      for (const feed of listPolledFeeds(target.config)) {
        for await (const batch of log.read({ connection, feed }, between)) {
          const key = `${connection}|${feed}|${batch.pointer}`;
          if (this.#seen.has(key)) continue;
          seen.push([key, batch.committedAt]);
          const known = await knowledge.load(connection);
          for (const line of describeBatch(batch, { feed, knowledge: known })) lines.push(line);
        }
      }
    }
    // Only now: after a failure all of it is read again.
    for (const [key, at] of seen) this.#seen.set(key, at);
    return lines.sort(compareKeys);
  }

  /** Batches that no later read can find. */
  #forget(before: number): void {
    for (const [key, at] of this.#seen) if (at < before) this.#seen.delete(key);
  }

  #add(lines: readonly Line[]): void {
    for (const line of lines) this.#arrivals.push({ position: this.#nextPosition++, line });
    if (this.#arrivals.length > MAX_KEPT_LINES) this.#arrivals = this.#arrivals.slice(-MAX_KEPT_LINES);
    for (const onLines of this.#listeners) onLines();
  }
}
