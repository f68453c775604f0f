import type { Change } from '../compare/change.ts';
import { findLostFacts } from '../compare/loss-count.ts';
import { isSameScan, type MassChange } from '../compare/mass-change.ts';
import type { FeedDefinition } from '../records/feed-definition.ts';
import type { ConfirmedLoss, RecentLoss } from '../snapshot/confirmed-loss.ts';
import type { SliceHead } from '../snapshot/snapshot.ts';

/** How long a head names its mass changes: more than long enough for another poll to report them. */
const LOSSES_KEPT_MS = 86_400_000;

/** What a scan found about facts that records lost. */
export interface ScanLosses {
  /** Start of the scan. */
  readonly at: number;
  readonly massChanges: readonly MassChange[];
}

/**
 * Notes in the head of a slice what its records lost, in the transaction that holds the events of these losses: the
 * feed's state is saved later, and the poll may end before that. Confirmed mass changes are named there until they are
 * reported; other losses count for a minute together with those of the next scans.
 */
export class LossMarks {
  readonly #definition: FeedDefinition;
  readonly #scan: ScanLosses;
  readonly #now: number;
  /** Losses of the scan that are planned so far, by slice and field. */
  readonly #planned = new Map<string, Map<string, number>>();

  constructor(definition: FeedDefinition, scan: ScanLosses, now: number) {
    this.#definition = definition;
    this.#scan = scan;
    this.#now = now;
  }

  add({ before, after, silent }: Change): void {
    if (before === null || after === null || silent === true) return;
    const { slice, row } = before;
    const planned = this.#planned.get(slice) ?? new Map<string, number>();
    for (const field of findLostFacts(this.#definition, row.state, after.row))
      planned.set(field, (planned.get(field) ?? 0) + 1);
    this.#planned.set(slice, planned);
  }

  /** The head after the changes added so far. `head`: with the marks that it had before any of them. */
  mark({ confirmedLosses = [], recentLosses = [], ...head }: SliceHead): SliceHead {
    const planned = new Map(this.#planned.get(head.slice));
    const confirmed = this.#markConfirmed({ ...head, confirmedLosses }, planned);
    const recent = this.#addRecent(recentLosses, planned);
    return {
      ...head,
      ...(confirmed.length === 0 ? {} : { confirmedLosses: confirmed }),
      ...(recent.length === 0 ? {} : { recentLosses: recent }),
    };
  }

  /** Takes the planned losses that are part of a confirmed one out of `planned`. */
  #markConfirmed(
    { slice, confirmedLosses = [] }: Pick<SliceHead, 'slice' | 'confirmedLosses'>,
    planned: Map<string, number>,
  ): readonly ConfirmedLoss[] {
    const known = confirmedLosses.filter(({ at }) => this.#now - at < LOSSES_KEPT_MS);
    const own = this.#scan.massChanges
      .filter((each) => each.isConfirmed && each.slice === slice)
      .map(({ slice: _, isConfirmed: __, ...loss }) => loss);
    const isKnown = ({ field, since }: ConfirmedLoss) =>
      known.some((each) => each.field === field && each.since === since);
    return [...known, ...own.filter((loss) => !isKnown(loss))].map((loss) => {
      const published = loss.published ?? loss.records;
      const left = planned.get(loss.field) ?? 0;
      const more = Math.min(left, loss.records - published);
      if (more === 0) return loss;
      planned.set(loss.field, left - more);
      return { ...loss, published: published + more };
    });
  }

  #addRecent(recent: readonly RecentLoss[], planned: ReadonlyMap<string, number>): readonly RecentLoss[] {
    const { at } = this.#scan;
    const isOwn = (loss: RecentLoss) => loss.at === at;
    const added = [...planned].map(([field, records]) => {
      const before = recent.find((loss) => isOwn(loss) && loss.field === field)?.records ?? 0;
      return { field, records: before + records, at };
    });
    const replaced = new Set(added.map(({ field }) => field));
    const others = recent.filter(
      (loss) => isSameScan(loss, at) && !(isOwn(loss) && replaced.has(loss.field)),
    );
    return [...others, ...added.filter(({ records }) => records > 0)];
  }
}
