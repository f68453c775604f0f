import { type OpenQuestions, openQuestions, type SeenRecord } from '#shared/core/compare/classify-records.ts';
import { type Answer, type Change, type Comparison, compare } from '#shared/core/compare/compare.ts';
import { differingLeaves, hideoutsOf, type Snapshot } from '#shared/core/compare/differing-leaves.ts';
import type { Scan } from '#shared/core/fetch/scan.ts';
import { readRow } from '#shared/core/records/feed-definition.ts';
import type { Coverage } from '#shared/core/snapshot/feed-state.ts';
import { type GenerationPlan, type LeafRef, leafKey, leafRefOf } from '#shared/core/snapshot/snapshot.ts';
import { type SampleRecord, snapshotOf } from '#test/support/builders.ts';

/** What is known, what was seen, and what the source said when it was asked. */
export interface Look {
  readonly known: readonly GenerationPlan[];
  readonly scan: Scan;
  readonly answers?: Readonly<Record<string, Answer>>;
  readonly coverage?: Readonly<Record<string, Coverage>>;
}

export interface Looked {
  /** Keys of the leaves that had to be read. */
  readonly read: readonly string[];
  readonly questions: OpenQuestions;
  readonly comparison: Comparison;
  readonly changes: readonly Change[];
}

/** Compares as a poll does, reading no more leaves than it would. */
export function lookAt({ known, scan, answers = {}, coverage = {} }: Look): Looked {
  const store = snapshotOf(...known);
  const read = new Map<string, LeafRef>();
  const snapshot = (): Snapshot => ({
    heads: store.heads,
    leaves: new Map([...store.leaves].filter(([key]) => read.has(key))),
  });
  const readAll = (refs: readonly LeafRef[]) => {
    for (const ref of refs) read.set(leafKey(ref), ref);
  };
  readAll(differingLeaves(scan, store.heads));
  const strangers = openQuestions(scan, snapshot()).strangers.map(({ id }) => id);
  readAll(hideoutsOf(strangers, scan, snapshot()));
  const questions = openQuestions(scan, snapshot());
  for (const answer of Object.values(answers)) {
    const head = answer.outcome === 'found' ? store.heads.get(answer.record.slice) : undefined;
    if (head !== undefined && answer.outcome === 'found') readAll([leafRefOf(head, answer.record.id)]);
  }
  const comparison = compare({
    scan,
    snapshot: snapshot(),
    questions,
    answers: new Map(Object.entries(answers)),
    coverage,
  });
  return { read: [...read.keys()], questions, comparison, changes: comparison.changes };
}

/** The answer to a question by id: the record is there. */
export function foundAnswer(
  record: SampleRecord,
  { definition }: Scan,
  times: Pick<SeenRecord, 'requestedAt' | 'receivedAt'>,
): Answer {
  const slice = definition.sliceOf(record) ?? '';
  return { outcome: 'found', record: { id: record.id, slice, row: readRow(definition, record), ...times } };
}
