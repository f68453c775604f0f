import type { Look } from '../look/look.ts';
import { checkRow, type FeedDefinition, parseRow } from '../records/feed-definition.ts';
import { digestTexts, findBucket, groupByBucket, type Head, hashId } from '../snapshot/head.ts';
import { type BadMark, type StoredRow, seenText } from '../snapshot/row.ts';

/** A record that differs from its row. */
export interface SeenChange {
  readonly row: StoredRow;
  /** Canonical JSON of its values now. */
  readonly text: string;
}

/** A record that cannot be read. `row`: null when it is new. */
interface SeenBad {
  readonly id: string;
  readonly row: StoredRow | null;
  readonly bad: BadMark;
}

/** What a look says of one bucket whose digest differs. */
export interface Difference {
  /** Of the bucket in its head. */
  readonly index: number;
  readonly stored: readonly StoredRow[];
  readonly changed: readonly SeenChange[];
  /** Seen, and readable, as they are stored. */
  readonly unchanged: readonly StoredRow[];
  /** Readable as before they were bad. */
  readonly readable: readonly StoredRow[];
  readonly bad: readonly SeenBad[];
  /** Ids that the slice has no row of, with their texts. */
  readonly unknown: ReadonlyMap<string, string>;
  /** Missing from a complete look, whether or not they answer by id. */
  readonly absent: readonly StoredRow[];
  /** Of the unknown ones, those that have a row on another date: they moved here. */
  readonly movedIn: readonly SeenChange[];
}

/** What became of a record that its list leaves out. `at`: when it was asked for, in milliseconds since 1970. */
export type Absence =
  | { readonly outcome: 'gone'; readonly at: number }
  /** On this slice or on another one; `text`: its canonical values, `issues`: why they cannot be read, if so. */
  | {
      readonly outcome: 'found';
      readonly at: number;
      readonly slice: string;
      readonly text: string;
      readonly issues: readonly string[];
    }
  /** The request failed, or there was no time: the record keeps its state. */
  | { readonly outcome: 'unknown' };

/** Indexes of the buckets whose digest is not that of the look, in order. */
export function findDiffering(look: Look, head: Head): number[] {
  const groups = groupByBucket(head.buckets, look.texts.keys());
  const textOf = (id: string) => look.texts.get(id) ?? '';
  return groups.flatMap((ids, index) =>
    digestTexts(ids, textOf) === head.buckets[index]?.digest ? [] : [index],
  );
}

export interface ComparedBuckets {
  readonly look: Look;
  readonly head: Head;
  readonly definition: FeedDefinition;
}

/** Compares a look with the rows of some buckets, in the order of their indexes. */
export function compare(
  { look, head, definition }: ComparedBuckets,
  buckets: readonly { readonly index: number; readonly rows: readonly StoredRow[] }[],
): Difference[] {
  const seen = new Map(buckets.map(({ index }) => [index, [] as string[]]));
  for (const id of look.texts.keys()) seen.get(findBucket(head.buckets, hashId(id)))?.push(id);
  return buckets.map(({ index, rows }) =>
    compareBucket({ look, definition }, index, rows, seen.get(index) ?? []),
  );
}

function compareBucket(
  { look, definition }: Pick<ComparedBuckets, 'look' | 'definition'>,
  index: number,
  stored: readonly StoredRow[],
  seen: readonly string[],
): Difference {
  const absent = look.problem === null ? stored.filter(({ id }) => !look.texts.has(id)) : [];
  const texts = new Map(seen.map((id) => [id, look.texts.get(id) ?? '']));
  return { index, stored, ...compareRows(definition, stored, texts), absent, movedIn: [] };
}

/** A difference in which records that answered by id stand as if the list had shown them. */
export function addFound(
  difference: Difference,
  answers: ReadonlyMap<string, Absence>,
  { look: { slice }, definition }: Pick<ComparedBuckets, 'look' | 'definition'>,
): Difference {
  const { absent, changed, readable, bad, unknown } = difference;
  const texts = absent.flatMap(({ id }): [string, string][] => {
    const answer = answers.get(id);
    return answer?.outcome === 'found' && answer.slice === slice ? [[id, answer.text]] : [];
  });
  const found = compareRows(definition, absent, new Map(texts));
  return {
    ...difference,
    changed: [...changed, ...found.changed],
    readable: [...readable, ...found.readable],
    bad: [...bad, ...found.bad],
    unknown: new Map([...unknown, ...found.unknown]),
  };
}

/** Compares rows with what was seen of them, and of others, by id. */
function compareRows(
  definition: FeedDefinition,
  stored: readonly StoredRow[],
  texts: ReadonlyMap<string, string>,
): ComparedRows {
  // A record that was never readable is unknown until it is.
  const [known, stubs] = [
    stored.filter(({ text }) => text !== null),
    stored.filter(({ text }) => text === null),
  ];
  const compared: ComparedRows = { changed: [], unchanged: [], readable: [], bad: [], unknown: new Map() };
  for (const row of known) {
    const text = texts.get(row.id);
    if (text !== undefined) compareRow(definition, row, text, compared);
  }
  const knownIds = new Set(known.map(({ id }) => id));
  for (const [id, text] of texts) {
    if (knownIds.has(id)) continue;
    const bad = compareUnknown(definition, id, text, stubs);
    if (bad === 'readable') compared.unknown.set(id, text);
    else if (bad !== null) compared.bad.push(bad);
  }
  return compared;
}

/** Null for a record that is as unreadable as before. */
function compareUnknown(
  definition: FeedDefinition,
  id: string,
  text: string,
  stubs: readonly StoredRow[],
): SeenBad | 'readable' | null {
  const stub = stubs.find((row) => row.id === id) ?? null;
  if (stub?.bad?.text === text) return null;
  const issues = findIssues(definition, text);
  return issues.length > 0 ? { id, row: stub, bad: { text, issues } } : 'readable';
}

interface ComparedRows {
  readonly changed: SeenChange[];
  readonly unchanged: StoredRow[];
  readonly readable: StoredRow[];
  readonly bad: SeenBad[];
  readonly unknown: Map<string, string>;
}

function compareRow(
  definition: FeedDefinition,
  row: StoredRow,
  text: string,
  { changed, unchanged, readable, bad }: ComparedRows,
): void {
  if (text === row.text) {
    (row.bad === undefined ? unchanged : readable).push(row);
    return;
  }
  if (text === seenText(row)) return;
  const issues = findIssues(definition, text);
  if (issues.length > 0) bad.push({ id: row.id, row, bad: { text, issues } });
  else changed.push({ row, text });
}

function findIssues(definition: FeedDefinition, text: string): readonly string[] {
  const checked = checkRow(definition, parseRow(text));
  return checked.outcome === 'good' ? [] : checked.issues;
}
