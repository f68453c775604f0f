import type { GenerationPlan } from '#shared/core/commit/generation.ts';
import type { Change, Comparison, RemovalCheck } from '#shared/core/compare/change.ts';
import {
  type ClassifiedRecords,
  classifyRecords,
  type ScanPortion,
  type SeenRecord,
} from '#shared/core/compare/classify-records.ts';
import { detectChanges } from '#shared/core/compare/detect-changes.ts';
import {
  findCandidateLeavesInSlice,
  findDifferingLeaves,
  type Snapshot,
} from '#shared/core/compare/differing-leaves.ts';
import { checkForm } from '#shared/core/compare/source-form.ts';
import type { Scan } from '#shared/core/fetch/scan.ts';
import { readRow } from '#shared/core/records/feed-definition.ts';
import type { Coverage } from '#shared/core/snapshot/feed-state.ts';
import { type LeafRef, toLeafKey, toLeafRef } from '#shared/core/snapshot/snapshot.ts';
import { createSnapshot, type SampleRecord, TIME_ZONE } from '#test/support/builders.ts';

/** What is known, what was seen, and what the source said when it was asked. */
export interface ComparisonSetup {
  readonly known: readonly GenerationPlan[];
  readonly scan: Scan;
  readonly answers?: Readonly<Record<string, RemovalCheck>>;
  readonly coverage?: Readonly<Record<string, Coverage>>;
}

export interface ComparisonOutcome {
  /** Keys of the leaves that had to be read. */
  readonly read: readonly string[];
  readonly classified: ClassifiedRecords;
  readonly comparison: Comparison;
  readonly changes: readonly Change[];
}

/** Compares as a poll does, reading no more leaves than it would. */
export function runComparison({
  known,
  scan,
  answers = {},
  coverage = {},
}: ComparisonSetup): ComparisonOutcome {
  const store = createSnapshot(...known);
  const read = new Map<string, LeafRef>();
  const snapshot = (): Snapshot => ({
    heads: store.heads,
    leaves: new Map([...store.leaves].filter(([key]) => read.has(key))),
  });
  const readAll = (refs: readonly LeafRef[]) => {
    for (const ref of refs) read.set(toLeafKey(ref), ref);
  };
  const portion = wholeScan(scan, store.heads);
  readAll(findDifferingLeaves(scan, store.heads));
  const unknown = classifyRecords(scan, snapshot(), portion).unknownRecords.map(({ id }) => id);
  readAll(findCandidateLeaves(unknown, scan, snapshot()));
  const classified = classifyRecords(scan, snapshot(), portion);
  for (const answer of Object.values(answers)) {
    const head = answer.outcome === 'found' ? store.heads.get(answer.record.slice) : undefined;
    if (head !== undefined && answer.outcome === 'found') readAll([toLeafRef(head, answer.record.id)]);
  }
  const comparison = detectChanges({
    scan,
    snapshot: snapshot(),
    classified,
    answers: new Map(Object.entries(answers)),
    coverage,
    timeZone: TIME_ZONE,
  });
  return { read: [...read.keys()], classified, comparison, changes: comparison.changes };
}

/** The answer to a question by id: the record is there. */
export function createFoundAnswer(
  record: SampleRecord,
  { definition }: Scan,
  times: Pick<SeenRecord, 'requestedAt' | 'receivedAt'>,
): RemovalCheck {
  const slice = definition.sliceOf(record) ?? '';
  return { outcome: 'found', record: { id: record.id, slice, row: readRow(definition, record), ...times } };
}

/** A scan as the only portion of itself. */
export function wholeScan(scan: Scan, heads: Snapshot['heads']): ScanPortion {
  const { invalid } = checkForm(scan, heads);
  return { records: [...scan.records.values()], invalid, isInOtherPortion: () => false };
}

/** Unread leaves that may hold earlier rows or tombstones of records (rule 6). */
export function findCandidateLeaves(ids: Iterable<string>, scan: Scan, snapshot: Snapshot): LeafRef[] {
  const all = [...ids];
  const differing = new Set<string>();
  return [...snapshot.heads.values()]
    .flatMap((head) => findCandidateLeavesInSlice(all, head, { scan, differing }))
    .filter((ref) => !snapshot.leaves.has(toLeafKey(ref)));
}
