import { isComplete, type Scan } from '../fetch/scan.ts';
import type { StateRow } from '../records/feed-definition.ts';
import { isSameValue } from '../records/notation.ts';
import { compareTold, toldUntil } from '../snapshot/epochs.ts';
import type { Coverage } from '../snapshot/feed-state.ts';
import type { LeafRow, Tombstone } from '../snapshot/snapshot.ts';
import { type KnownRow, knownRows, type OpenQuestions, rowIn, type SeenRecord } from './classify-records.ts';
import type { Snapshot } from './differing-leaves.ts';
import { earlier, lastLook, lastSeen, latest } from './last-seen.ts';
import { isToRewrite, outdatedLeaves } from './outdated-leaves.ts';
import { asked, listedAgain, renoted } from './rewriting.ts';
import { askedAgain, type Unlisted } from './unlisted.ts';

/** What the source said when asked for one absent record by id (rule 6). */
export type Answer =
  /** 404: the only proof of a removal. */
  | { readonly outcome: 'gone'; readonly requestedAt: number; readonly receivedAt: number }
  /** It is there, on its old date or on another one. */
  | { readonly outcome: 'found'; readonly record: SeenRecord }
  /** It was asked for in vain, or the answer does not fit the schema: it stays as it is known. */
  | { readonly outcome: 'unknown'; readonly askedAt: number };

/** What differs between the snapshot and the scan for one record. */
export interface Change {
  readonly id: string;
  /** As last committed; null when it is new, or was taken over with its facts untold. */
  readonly before: KnownRow | null;
  /** Where the row stands now, also when it counts as new: it must leave that place. */
  readonly standsIn: string | null;
  /** As seen now; null when it is gone. */
  readonly after: { readonly slice: string; readonly row: StateRow } | null;
  /** Where its events go on: as the row or the tombstone says, or from 0. */
  readonly sequence: number;
  /** Their epoch: that of the row or the tombstone, or the instant at which the record was found; absent for none. */
  readonly epoch?: number;
  readonly tombstoneIn: string | null;
  /** Last time the old state was seen, and first time the new one was (rule 10). */
  readonly observed: { readonly after: number | null; readonly by: number };
  /** An instant at which the new state was certainly seen. */
  readonly seenAt: number;
  /** Nothing happened to the record: the row is only tidied away, or rewritten. */
  readonly silent?: true;
  /** The row that takes the place of the one before, without a word. */
  readonly rewritten?: LeafRow;
  /** Seen by id alone: its list leaves it out. */
  readonly unlisted?: Unlisted;
}

export interface Comparison {
  readonly changes: readonly Change[];
  /** Per scanned slice: ids that were there, or may be, but could not be read; with when they were last seen. */
  readonly unseen: ReadonlyMap<string, Readonly<Record<string, number | null>>>;
}

export interface ComparisonInput {
  readonly scan: Scan;
  readonly snapshot: Snapshot;
  readonly questions: OpenQuestions;
  readonly answers: ReadonlyMap<string, Answer>;
  readonly coverage: Readonly<Record<string, Coverage>>;
  /** The connection's, for date-times without an offset; UTC when it is not given. */
  readonly timeZone?: string;
}

/** Compares a scan with what is known (rules 5, 6, 9, 10). */
export function compare(input: ComparisonInput): Comparison {
  const known = knownRows(input.snapshot);
  const outdated = outdatedLeaves(input.snapshot);
  const tombstones = knownTombstones(input.snapshot);
  const changes: Change[] = input.questions.stale.map((row) => tidied(row, input));
  for (const record of input.questions.seen) {
    const [latest, ...older] = latestFirst(known.get(record.id) ?? [], input);
    const row = rowIn(known, record.id, record.slice) ?? latest;
    const change = changeOf(record, { input, known: row, buried: tombstones.get(record.id) });
    if (change !== null) changes.push(change);
    else if (row?.row.unlisted !== undefined) changes.push(listedAgain(row, record.requestedAt));
    else if (row !== undefined && isToRewrite(record, row, outdated)) changes.push(renoted(row, record));
    if (row !== undefined && row.slice !== record.slice)
      changes.push(...older.map((each) => tidied(each, input)));
  }
  return { changes: [...changes, ...changesOfAbsent(input, known)], unseen: unseenOf(input) };
}

/** What became of a record that stands in two slices is told of one of them; the other is tidied away. */
function changesOfAbsent(input: ComparisonInput, known: Rows): readonly Change[] {
  const changes: Change[] = [];
  const told = new Set<string>();
  const { absent } = input.questions;
  const ids = new Set(absent.map(({ row }) => row.id));
  const places = ids.size === absent.length ? absent : latestFirst(absent, input);
  for (const row of places) {
    const isDone = told.has(row.row.id);
    if (isDone && changes.some(({ id, standsIn }) => id === row.row.id && standsIn === row.slice)) continue;
    const made = isDone ? [tidied(row, input)] : changesOfOne(row, input, known);
    changes.push(...made);
    for (const { id, silent } of made) if (silent !== true) told.add(id);
  }
  return changes;
}

/**
 * The places where a record stands, the one it was seen on last first: more than one only when its date was taken
 * over twice, after an interrupted first look. Where events of it were told, it was seen later.
 */
function latestFirst(places: readonly KnownRow[], input: ComparisonInput): readonly KnownRow[] {
  if (places.length < 2) return places;
  const seen = (place: KnownRow) => lastSeen(place, input) ?? 0;
  return places.toSorted((a, b) => compareTold(b.row, a.row) || seen(b) - seen(a));
}

function changesOfOne(absent: KnownRow, input: ComparisonInput, known: Rows): readonly Change[] {
  const answer = input.answers.get(absent.row.id);
  if (answer === undefined) return [];
  switch (answer.outcome) {
    case 'unknown':
      return [asked(absent, answer.askedAt, lastSeen(absent, input))];
    case 'gone':
      // Removed before any event was published; nothing to publish.
      return [absent.row.untold === true ? tidied(absent, input) : removalOf(absent, answer, input)];
    case 'found':
      return changesOfFound(absent, answer.record, { input, known });
  }
}

type Rows = ReadonlyMap<string, readonly KnownRow[]>;

function changesOfFound(
  absent: KnownRow,
  record: SeenRecord,
  { input, known }: { readonly input: ComparisonInput; readonly known: Rows },
): readonly Change[] {
  const there = record.slice === absent.slice ? undefined : rowIn(known, record.id, record.slice);
  // Back where an old row of it was left, outside the lookback: what was told since is told on.
  const isOld = there !== undefined && compareTold(there.row, absent.row) < 0;
  if (there !== undefined && !isOld) return [tidied(absent, input)];
  const change = changeOf(record, { input, known: absent, buried: undefined });
  if (record.slice === absent.slice) return [lookById(absent, record, change)];
  return [...(there === undefined ? [] : [tidied(there, input)]), ...(change === null ? [] : [change])];
}

/** A record that its list leaves out was seen by id where it is known: as it was, or changed. */
function lookById(known: KnownRow, { requestedAt }: SeenRecord, change: Change | null): Change {
  if (change === null) return asked(known, requestedAt, requestedAt);
  return { ...change, unlisted: askedAgain(known.row, requestedAt) };
}

interface Buried {
  readonly slice: string;
  readonly tombstone: Tombstone;
}

function knownTombstones(snapshot: Snapshot): Map<string, Buried> {
  const buried = new Map<string, Buried>();
  for (const { slice, tombstones } of snapshot.leaves.values()) {
    for (const tombstone of tombstones) {
      const other = buried.get(tombstone.id)?.tombstone;
      if (other === undefined || compareTold(other, tombstone) < 0)
        buried.set(tombstone.id, { slice, tombstone });
    }
  }
  return buried;
}

interface Past {
  readonly input: ComparisonInput;
  readonly known: KnownRow | undefined;
  readonly buried: Buried | undefined;
}

function changeOf(record: SeenRecord, { input, known, buried }: Past): Change | null {
  const observed = { by: record.receivedAt };
  const after = { slice: record.slice, row: record.row };
  const common = { id: record.id, after, seenAt: record.requestedAt };
  if (known !== undefined) {
    // Of an untold row too: what was to be told of it was taken back meanwhile.
    if (known.slice === record.slice && isSameValue(known.row.state, record.row, input.timeZone ?? 'UTC'))
      return null;
    const untold = known.row.untold === true;
    return {
      ...common,
      before: untold ? null : known,
      standsIn: known.slice,
      ...toldUntil(known.row),
      tombstoneIn: null,
      observed: { ...observed, after: untold ? null : lastSeen(known, input) },
    };
  }
  // Nobody looked at all of this slice yet: who is new on it will be taken over when somebody does (rule 5).
  if (input.snapshot.heads.get(record.slice)?.baselinedAt == null) return null;
  return {
    ...common,
    before: null,
    standsIn: null,
    ...(buried === undefined ? { sequence: 0, epoch: record.receivedAt } : toldUntil(buried.tombstone)),
    tombstoneIn: buried?.slice ?? null,
    observed: { ...observed, after: lastSeenWithout(record, { input, buried }) },
  };
}

/** The record is gone from the place where its row stands. */
function removalOf(
  known: KnownRow,
  { requestedAt, receivedAt }: { readonly requestedAt: number; readonly receivedAt: number },
  input: ComparisonInput,
): Change {
  return {
    id: known.row.id,
    before: known,
    standsIn: known.slice,
    after: null,
    ...toldUntil(known.row),
    tombstoneIn: null,
    observed: { after: lastSeen(known, input), by: receivedAt },
    seenAt: requestedAt,
  };
}

/** A row goes without a word: the record stands elsewhere as well, or nobody was told of it. */
function tidied(known: KnownRow, input: ComparisonInput): Change {
  const at = input.scan.startedAt ?? 0;
  return { ...removalOf(known, { requestedAt: at, receivedAt: at }, input), silent: true };
}

function lastSeenWithout(
  record: SeenRecord,
  { input, buried }: Pick<Past, 'input' | 'buried'>,
): number | null {
  const removedAt = earlier(buried?.tombstone.removedAt ?? null, input);
  return latest(removedAt, lastLook(record.id, record.slice, input));
}

function unseenOf(input: ComparisonInput): Comparison['unseen'] {
  if (!isComplete(input.scan)) return new Map();
  const { bad, unreadable, absent } = input.questions;
  // Who was asked for in vain carries his own mark.
  const unproven = absent.filter(({ row }) => row.unlisted === undefined && !input.answers.has(row.id));
  const unseen = [
    ...bad.map(({ id, slice }) => ({ slice, id, at: lastLook(id, slice, input) })),
    ...[...unreadable, ...unproven].map((known) => ({
      slice: known.slice,
      id: known.row.id,
      at: lastSeen(known, input),
    })),
  ];
  const slices = Map.groupBy(unseen, ({ slice }) => slice);
  return new Map(
    [...slices].map(([slice, ids]) => [slice, Object.fromEntries(ids.map(({ id, at }) => [id, at]))]),
  );
}
