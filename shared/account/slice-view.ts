import { applyLastScan } from '../core/compare/differing-leaves.ts';
import type { FeedState } from '../core/snapshot/feed-state.ts';
import type { SliceHead } from '../core/snapshot/snapshot.ts';

/**
 * Why what is stored of a date may not be what the source has. `unread`: never a complete scan; `moving`: other polls
 * committed during every count; `untold`: rows whose facts are not published (ADR 2); `held`: losses or removals that
 * another look has to confirm, since an instant.
 */
type Doubt =
  | { readonly kind: 'unread' | 'moving' | 'untold' }
  | { readonly kind: 'held'; readonly what: 'losses' | 'removals'; readonly since: number };

export type Hold = Extract<Doubt, { kind: 'held' }>;

/** What is known of a slice, and what of it is in doubt (rule 17). */
export interface SliceView {
  readonly slice: string;
  /** Start of the last complete scan; null when there was none. */
  readonly lookedAt: number | null;
  readonly doubts: readonly Doubt[];
  /** Ids that may be there and could not be read: their rows are as last seen. */
  readonly unseen: ReadonlySet<string>;
}

/** What the feed's state says of its slices. */
export type SliceMemory = Pick<FeedState, 'coverage' | 'massChange' | 'shrunk'>;

/** The view of a slice before its rows are read. `head`: undefined for one that is not stored. */
export function viewSlice(slice: string, head: SliceHead | undefined, memory: SliceMemory): SliceView {
  const coverage = memory.coverage[slice];
  const isCovered = head !== undefined && coverage?.revision === head.revision;
  const seenAt = head === undefined ? null : applyLastScan(head, coverage).observedAt;
  const lookedAt = isCovered ? Math.max(coverage.at, seenAt ?? 0) : seenAt;
  const isRead = head?.baselinedAt != null && lookedAt !== null;
  return {
    slice,
    lookedAt: isRead ? lookedAt : null,
    doubts: [...(isRead ? [] : [{ kind: 'unread' } as const]), ...listHolds(slice, head, memory)],
    unseen: new Set(isCovered ? Object.keys(coverage.unseen ?? {}) : []),
  };
}

/** Losses and removals of a slice that another look has to confirm. */
function listHolds(
  slice: string,
  head: SliceHead | undefined,
  { massChange, shrunk }: SliceMemory,
): readonly Hold[] {
  const isCommitted = (field: string, since: number) =>
    head?.confirmedLosses?.some((loss) => loss.field === field && loss.since === since) === true;
  const losses = Object.entries(massChange).flatMap(([key, { field, since }]) =>
    key === `${slice} ${field}` && !isCommitted(field, since) ? [since] : [],
  );
  const removals = Object.hasOwn(shrunk, slice) ? shrunk[slice] : undefined;
  return [
    ...losses.map((since) => ({ kind: 'held', what: 'losses', since }) as const),
    ...(removals === undefined ? [] : [{ kind: 'held', what: 'removals', since: removals.since } as const]),
  ];
}

/** The holds of some slices. */
export function holdsOf(views: readonly SliceView[]): readonly Hold[] {
  return views.flatMap(({ doubts }) => doubts.filter((doubt) => doubt.kind === 'held'));
}
