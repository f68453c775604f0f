import type { ApproximateIdSet } from '../compare/approximate-id-set.ts';
import type { SliceHead } from '../snapshot/snapshot.ts';
import type { CommitStep } from './commit-step.ts';
import { listOutboxEntries, type OutboxEntry } from './outbox.ts';

/** Heads of slices as last committed: they are loaded, and follow the commits of this process. */
export class KnownHeads {
  readonly #heads = new Map<string, SliceHead>();
  #ids: ApproximateIdSet | null = null;

  constructor(loaded: Iterable<SliceHead>) {
    this.reload(loaded);
  }

  /** By slice; what is read here later is what is known then. */
  get all(): ReadonlyMap<string, SliceHead> {
    return this.#heads;
  }

  get(slice: string): SliceHead | undefined {
    return this.#heads.get(slice);
  }

  /** While the baseline is installed: ids that may be in some slice; null until they are needed. */
  get ids(): ApproximateIdSet | null {
    return this.#ids;
  }

  rememberIds(ids: ApproximateIdSet): void {
    this.#ids = ids;
  }

  /** Heads as they are stored now, after another process committed. */
  reload(loaded: Iterable<SliceHead>): void {
    this.#heads.clear();
    for (const head of loaded) this.#heads.set(head.slice, head);
    // The other one may have committed records that this one would take for new.
    this.#ids = null;
  }

  /** A step that was committed. Returns where its events now wait to be published. */
  follow(step: CommitStep): OutboxEntry[] {
    const entries = listOutboxEntries(step);
    for (const { head } of step.heads) {
      const outbox = this.#heads.get(head.slice)?.outbox ?? [];
      const added = entries.filter(({ slice }) => slice === head.slice).map(({ pointer }) => pointer);
      this.#heads.set(head.slice, { ...head, outbox: [...outbox, ...added] });
    }
    return entries;
  }

  /** Pointers that were taken out of their outboxes. */
  clear(entries: readonly OutboxEntry[]): void {
    for (const { slice, pointer } of entries) {
      const head = slice === null ? undefined : this.#heads.get(slice);
      if (head === undefined) continue;
      const outbox = head.outbox.filter((each) => each !== pointer);
      this.#heads.set(head.slice, { ...head, outbox });
    }
  }
}
