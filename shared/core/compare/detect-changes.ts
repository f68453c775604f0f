import { isMisdated } from '../clock-tolerance.ts';
import { isComplete, type Scan } from '../fetch/scan.ts';
import { isSameValue } from '../records/notation.ts';
import { comparePublishedPositions, toPublishedPosition } from '../snapshot/epochs.ts';
import type { Coverage } from '../snapshot/feed-state.ts';
import type { Tombstone } from '../snapshot/snapshot.ts';
import type { Change, Comparison, RemovalCheck } from './change.ts';
import {
  type ClassifiedRecords,
  findRow,
  indexKnownRows,
  type KnownRow,
  type SeenRecord,
} from './classify-records.ts';
import type { Snapshot } from './differing-leaves.ts';
import { rewriteAsked, rewriteListed, rewriteNotation } from './row-rewrite.ts';
import { isUnproven, recordAsk } from './unlisted.ts';

export interface ComparisonInput {
  readonly scan: Scan;
  readonly snapshot: Snapshot;
  readonly classified: ClassifiedRecords;
  readonly answers: ReadonlyMap<string, RemovalCheck>;
  readonly coverage: Readonly<Record<string, Coverage>>;
  /** The connection's, for date-times without an offset. */
  readonly timeZone: string;
}

/** The changes between the snapshot and a scan (rules 5, 6, 9, 10). */
export function detectChanges(input: ComparisonInput): Comparison {
  const known = indexKnownRows(input.snapshot);
  const tombstones = indexTombstones(input.snapshot);
  const changes: Change[] = input.classified.stale.map((row) => toSilentRemoval(row, input));
  for (const record of input.classified.seen) {
    const [latest, ...older] = sortLatestFirst(known.get(record.id) ?? [], input);
    const row = findRow(known, record.id, record.slice) ?? latest;
    const change = toChange(record, { input, known: row, buried: tombstones.get(record.id) });
    if (change !== null) changes.push(change);
    else if (row?.row.unlisted !== undefined) changes.push(rewriteListed(row, record.requestedAt));
    // `classifyRecords` gives a record with the digest of its row the row's own state.
    else if (row !== undefined && row.row.state !== record.row) changes.push(rewriteNotation(row, record));
    if (row !== undefined && row.slice !== record.slice)
      changes.push(...older.map((each) => toSilentRemoval(each, input)));
  }
  return { changes: [...changes, ...compareAbsent(input, known)], unseen: collectUnseen(input) };
}

/** The change of a record with rows in two slices is published once; its other row is removed silently. */
function compareAbsent(input: ComparisonInput, known: Rows): readonly Change[] {
  const changes: Change[] = [];
  const published = new Set<string>();
  const { absent } = input.classified;
  const ids = new Set(absent.map(({ row }) => row.id));
  const places = ids.size === absent.length ? absent : sortLatestFirst(absent, input);
  for (const row of places) {
    const isDone = published.has(row.row.id);
    if (isDone && changes.some(({ id, rowSlice }) => id === row.row.id && rowSlice === row.slice)) continue;
    const made = isDone ? [toSilentRemoval(row, input)] : compareOneAbsent(row, input, known);
    changes.push(...made);
    for (const { id, silent } of made) if (silent !== true) published.add(id);
  }
  return changes;
}

/**
 * The rows of a record, the latest first: the one with later published events, then the one seen later. There is more
 * than one only after an interrupted baseline.
 */
function sortLatestFirst(places: readonly KnownRow[], input: ComparisonInput): readonly KnownRow[] {
  if (places.length < 2) return places;
  const seen = (place: KnownRow) => findLastSeen(place, input) ?? 0;
  return places.toSorted((a, b) => comparePublishedPositions(b.row, a.row) || seen(b) - seen(a));
}

function compareOneAbsent(absent: KnownRow, input: ComparisonInput, known: Rows): readonly Change[] {
  const answer = input.answers.get(absent.row.id);
  if (answer === undefined) return [];
  switch (answer.outcome) {
    case 'unknown':
      return [rewriteAsked(absent, answer.askedAt, findLastSeen(absent, input))];
    case 'gone':
      // Removed before any event was published; nothing to publish.
      return [absent.row.untold === true ? toSilentRemoval(absent, input) : toRemoval(absent, answer, input)];
    case 'found':
      return compareFound(absent, answer.record, { input, known });
  }
}

type Rows = ReadonlyMap<string, readonly KnownRow[]>;

function compareFound(
  absent: KnownRow,
  record: SeenRecord,
  { input, known }: { readonly input: ComparisonInput; readonly known: Rows },
): readonly Change[] {
  const there = record.slice === absent.slice ? undefined : findRow(known, record.id, record.slice);
  // Back on a date where an old row of it was left, outside the lookback: its events continue from the newer row.
  const isOld = there !== undefined && comparePublishedPositions(there.row, absent.row) < 0;
  if (there !== undefined && !isOld) return [toSilentRemoval(absent, input)];
  const change = toChange(record, { input, known: absent, buried: undefined });
  if (record.slice === absent.slice) return [toUnlistedChange(absent, record, change)];
  return [
    ...(there === undefined ? [] : [toSilentRemoval(there, input)]),
    ...(change === null ? [] : [change]),
  ];
}

/** A record that its list leaves out was seen by id where it is known: as it was, or changed. */
function toUnlistedChange(known: KnownRow, { requestedAt }: SeenRecord, change: Change | null): Change {
  if (change === null) return rewriteAsked(known, requestedAt, requestedAt);
  return { ...change, unlisted: recordAsk(known.row, requestedAt) };
}

interface KnownTombstone {
  readonly slice: string;
  readonly tombstone: Tombstone;
}

function indexTombstones(snapshot: Snapshot): Map<string, KnownTombstone> {
  const buried = new Map<string, KnownTombstone>();
  for (const { slice, tombstones } of snapshot.leaves.values()) {
    for (const tombstone of tombstones) {
      const other = buried.get(tombstone.id)?.tombstone;
      if (other === undefined || comparePublishedPositions(other, tombstone) < 0)
        buried.set(tombstone.id, { slice, tombstone });
    }
  }
  return buried;
}

interface PriorState {
  readonly input: ComparisonInput;
  readonly known: KnownRow | undefined;
  readonly buried: KnownTombstone | undefined;
}

function toChange(record: SeenRecord, { input, known, buried }: PriorState): Change | null {
  const observed = { by: record.receivedAt };
  const after = { slice: record.slice, row: record.row };
  const common = { id: record.id, after, seenAt: record.requestedAt };
  if (known !== undefined) {
    // Also for an `untold` row: its facts were taken back before they were published.
    if (known.slice === record.slice && isSameValue(known.row.state, record.row, input.timeZone)) return null;
    const untold = known.row.untold === true;
    return {
      ...common,
      before: untold ? null : known,
      rowSlice: known.slice,
      ...toPublishedPosition(known.row),
      tombstoneSlice: null,
      observed: { ...observed, after: untold ? null : findLastSeen(known, input) },
    };
  }
  // A slice without a baseline: its first complete scan will include the record (rule 5).
  if (input.snapshot.heads.get(record.slice)?.baselinedAt == null) return null;
  return {
    ...common,
    before: null,
    rowSlice: null,
    ...(buried === undefined
      ? { sequence: 0, epoch: record.receivedAt }
      : toPublishedPosition(buried.tombstone)),
    tombstoneSlice: buried?.slice ?? null,
    ...(buried?.tombstone.closing === undefined ? {} : { closing: buried.tombstone.closing }),
    observed: { ...observed, after: findLastSeenWithout(record, { input, buried }) },
  };
}

/** The record was removed from the slice of its row. */
function toRemoval(
  known: KnownRow,
  { requestedAt, receivedAt }: { readonly requestedAt: number; readonly receivedAt: number },
  input: ComparisonInput,
): Change {
  return {
    id: known.row.id,
    before: known,
    rowSlice: known.slice,
    after: null,
    ...toPublishedPosition(known.row),
    tombstoneSlice: null,
    observed: { after: findLastSeen(known, input), by: receivedAt },
    seenAt: requestedAt,
  };
}

/** A row goes without an event: the record has another row, or no event of it was published. */
function toSilentRemoval(known: KnownRow, input: ComparisonInput): Change {
  const at = input.scan.startedAt ?? 0;
  return { ...toRemoval(known, { requestedAt: at, receivedAt: at }, input), silent: true };
}

function findLastSeenWithout(
  record: SeenRecord,
  { input, buried }: Pick<PriorState, 'input' | 'buried'>,
): number | null {
  const removedAt = clampToScanStart(buried?.tombstone.removedAt ?? null, input);
  return laterOf(removedAt, findLastScan(record.id, record.slice, input));
}

function collectUnseen(input: ComparisonInput): Comparison['unseen'] {
  const { startedAt } = input.scan;
  if (!isComplete(input.scan) || startedAt === null) return new Map();
  const { bad, undecided, absent } = input.classified;
  // Records whose request by id failed have the note `unlisted` instead, until the next one is due.
  const unproven = absent.filter(({ row }) => isUnproven(row, input.answers, startedAt));
  const unseen = [
    ...bad.map(({ id, slice }) => ({ slice, id, at: findLastScan(id, slice, input) })),
    ...[...undecided, ...unproven].map((known) => ({
      slice: known.slice,
      id: known.row.id,
      at: findLastSeen(known, input),
    })),
  ];
  const slices = Map.groupBy(unseen, ({ slice }) => slice);
  return new Map(
    [...slices].map(([slice, ids]) => [slice, Object.fromEntries(ids.map(({ id, at }) => [id, at]))]),
  );
}

/** What is known about earlier scans. */
interface ScanHistory {
  readonly snapshot: Snapshot;
  readonly coverage: Readonly<Record<string, Coverage>>;
  /** The scan that is compared now: earlier scans cannot be later than its start. */
  readonly scan?: { readonly startedAt: number | null };
}

/** When a record was last seen in its known state; null when unknown. */
function findLastSeen({ slice, row }: KnownRow, input: ScanHistory): number | null {
  const seenAt = clampToScanStart(row.seenAt ?? null, input);
  // Scans of its slice do not see an unlisted record.
  if (row.unlisted !== undefined) return seenAt;
  return laterOf(seenAt, findLastScan(row.id, slice, input));
}

/** When a slice was last seen as committed, as far as this id is concerned; null when unknown. */
export function findLastScan(id: string, slice: string, input: ScanHistory): number | null {
  const head = input.snapshot.heads.get(slice);
  if (head === undefined) return null;
  const observedAt = clampToScanStart(head.observedAt, input);
  const covered = input.coverage[slice];
  if (covered?.revision !== head.revision) return observedAt;
  if (covered.unseen !== undefined && Object.hasOwn(covered.unseen, id))
    return clampToScanStart(covered.unseen[id] ?? null, input);
  return laterOf(clampToScanStart(covered.at, input), observedAt);
}

/** The instant, but not after the start of the scan; null when it is so far ahead that a wrong clock stored it. */
export function clampToScanStart(at: number | null, { scan }: Pick<ScanHistory, 'scan'>): number | null {
  const now = scan?.startedAt ?? null;
  if (at === null || now === null || at <= now) return at;
  return isMisdated(at, now) ? null : now;
}

export function laterOf(left: number | null, right: number | null): number | null {
  if (left === null || right === null) return left ?? right;
  return Math.max(left, right);
}
