import type { CommitInput } from '#shared/core/commit/commit-plan.ts';
import { type CommitStep, digestPageOf, INLINE_DIGEST_LEAVES } from '#shared/core/commit/commit-step.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import {
  DATE,
  DAY_MS,
  leafRow,
  NOW,
  type SampleRecord,
  slice,
  snapshotOf,
  TIMESHEETS,
} from '#test/support/builders.ts';

/** Start of the look at the first of the sample dates, of which everything was seen. */
export const LOOKED_AT = NOW - 1_000;

export function inputOf(
  told: CommitInput['told'],
  records: readonly SampleRecord[],
  others: readonly ReturnType<typeof slice>[] = [],
): CommitInput {
  return {
    feed: TIMESHEETS,
    definition: feedDefinition('timesheets'),
    snapshot: snapshotOf(slice({ rows: records.map((record) => leafRow(record)) }), ...others),
    told,
    observed: new Map([[DATE, LOOKED_AT]]),
    runId: 'run-b',
    now: NOW,
    retentionMs: DAY_MS,
  };
}

export function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

/** As the storage layout writes it: heads, leaves, pages of digests of slices with many leaves, chunks of events. */
export function itemsOf({ heads, leaves, events }: CommitStep): number {
  const pages = heads.map(({ head, changedLeaves }) =>
    head.leafCount > INLINE_DIGEST_LEAVES
      ? new Set(changedLeaves?.map((index) => digestPageOf(index, head.leafCount))).size
      : 0,
  );
  return pages.reduce(
    (sum, count) => sum + count,
    heads.length + leaves.length + (events?.chunks.length ?? 0),
  );
}

export function eventBytesOf({ events }: CommitStep): number {
  return (events?.chunks.flat() ?? []).reduce((sum, text) => sum + bytesOf(text), 0);
}
