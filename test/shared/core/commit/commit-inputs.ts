import type { CommitInput } from '#shared/core/commit/commit-plan.ts';
import {
  type CommitStep,
  findDigestPage,
  MAX_INLINE_DIGEST_LEAVES,
} from '#shared/core/commit/commit-step.ts';
import type { Snapshot } from '#shared/core/compare/differing-leaves.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import type { SliceHead } from '#shared/core/snapshot/snapshot.ts';
import {
  createSnapshot,
  DATE,
  DAY_MS,
  leafRow,
  NOW,
  type SampleRecord,
  slice,
  TIMESHEETS,
} from '#test/support/builders.ts';

/** Start of the complete scan of the first sample date. */
export const SCANNED_AT = NOW - 1_000;

export function createCommitInput(
  changeEvents: CommitInput['changeEvents'],
  records: readonly SampleRecord[],
  others: readonly ReturnType<typeof slice>[] = [],
): CommitInput {
  return {
    feed: TIMESHEETS,
    definition: feedDefinition('timesheets'),
    snapshot: createSnapshot(slice({ rows: records.map((record) => leafRow(record)) }), ...others),
    changeEvents,
    observed: new Map([[DATE, SCANNED_AT]]),
    runId: 'run-b',
    now: NOW,
    retentionMs: DAY_MS,
  };
}

/** The heads of a snapshot once some steps are committed. */
export function listHeadsAfter({ heads }: Snapshot, steps: readonly CommitStep[]): Map<string, SliceHead> {
  const written = steps.flatMap((step) => step.heads).map(({ head }) => [head.slice, head] as const);
  return new Map([...heads, ...written]);
}

export function countBytes(text: string): number {
  return Buffer.byteLength(text);
}

/** As the storage layout writes it: heads, leaves, pages of digests of slices with many leaves, chunks of events. */
export function countItems({ heads, leaves, events }: CommitStep): number {
  const pages = heads.map(({ head, changedLeaves }) =>
    head.leafCount > MAX_INLINE_DIGEST_LEAVES
      ? new Set(changedLeaves?.map((index) => findDigestPage(index, head.leafCount))).size
      : 0,
  );
  return pages.reduce(
    (sum, count) => sum + count,
    heads.length + leaves.length + (events?.chunks.length ?? 0),
  );
}

export function countEventBytes({ events }: CommitStep): number {
  return (events?.chunks.flat() ?? []).reduce((sum, text) => sum + countBytes(text), 0);
}
