import { NotifierError } from '#shared/core/errors.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import type { KnownPeriod } from '#shared/core/records/pay-period.ts';
import { countRecords, describeBucket, findBucket, type Head, hashId } from '#shared/core/snapshot/head.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import { readKnownPeriod } from '#shared/core/snapshot/stored-state.ts';
import type { BucketKey, Store } from './poll/ports.ts';

/** Readings of one slice that is committed to each time. */
const MAX_READINGS = 5;

export type RecordStore = Pick<Store, 'loadHeads' | 'readBuckets'>;

/** Which stored records of a feed. */
export interface RecordSelection {
  readonly feed: FeedName;
  /** Only these; each slice has one place where one may lie. */
  readonly ids?: readonly string[];
  /** Only of these slices. */
  readonly covers?: (slice: string) => boolean;
}

/** Rows of one slice, as one commit left them. */
export interface SliceRows {
  readonly slice: string;
  readonly rows: readonly StoredRow[];
}

/**
 * The selected rows, slice by slice, without the lease. A record that moves meanwhile to a slice that was read already is
 * left out, and one that moves ahead is read twice: its move is an event. Throws a retryable `NotifierError`
 * (`records_moved`) where polls commit to a slice during each of several readings.
 */
export async function* walkRows(
  connection: string,
  selection: RecordSelection,
  store: RecordStore,
): AsyncGenerator<SliceRows, void> {
  const { feed, covers = () => true } = selection;
  for (const head of await store.loadHeads(connection)) {
    if (head.feed !== feed || !covers(head.slice) || countRecords(head) === 0) continue;
    const rows = await readSlice(connection, head, { selection, store });
    if (rows.length > 0) yield { slice: head.slice, rows };
  }
}

interface Reading {
  readonly selection: RecordSelection;
  readonly store: RecordStore;
}

async function readSlice(
  connection: string,
  known: Head,
  { selection: { ids }, store }: Reading,
): Promise<readonly StoredRow[]> {
  const wanted = ids === undefined ? null : new Set(ids);
  let head = known;
  for (let readings = 0; readings < MAX_READINGS; readings += 1) {
    const { feed, slice } = head;
    const keys = selectBuckets(head, ids);
    const buckets = keys.length === 0 ? [] : await store.readBuckets(connection, keys);
    if (isAsDescribed(head, keys, buckets))
      return buckets.flat().filter(({ id }) => wanted === null || wanted.has(id));
    const now = (await store.loadHeads(connection)).find(
      (each) => each.feed === feed && each.slice === slice,
    );
    if (now === undefined) return [];
    head = now;
  }
  throw new NotifierError('records_moved', `polls keep committing to ${known.slice}; run it again`, {
    retryable: true,
  });
}

function selectBuckets({ feed, slice, buckets }: Head, ids: readonly string[] | undefined): BucketKey[] {
  const places = ids === undefined ? null : new Set(ids.map((id) => findBucket(buckets, hashId(id))));
  return buckets.flatMap(({ from, count }, place) =>
    count > 0 && (places === null || places.has(place)) ? [{ feed, slice, from }] : [],
  );
}

/** A poll may divide a bucket, or write to it, between the reading of its head and its own. */
function isAsDescribed(
  { buckets }: Head,
  keys: readonly BucketKey[],
  read: readonly (readonly StoredRow[])[],
): boolean {
  return keys.every(({ from }, place) => {
    const { count, digest } = describeBucket(from, read[place] ?? []);
    return buckets.some((each) => each.from === from && each.count === count && each.digest === digest);
  });
}

/** Heads of a feed in the order of their slices. */
export async function loadHeadsOf(
  connection: string,
  feed: FeedName,
  store: Pick<Store, 'loadHeads'>,
): Promise<Head[]> {
  return (await store.loadHeads(connection)).filter((head) => head.feed === feed);
}

/** The pay periods of a connection; null before their list was read whole. */
export async function loadPeriods(connection: string, store: RecordStore): Promise<KnownPeriod[] | null> {
  const [head] = await loadHeadsOf(connection, 'pay-periods', store);
  if (head?.baselinedAt == null) return null;
  const periods: KnownPeriod[] = [];
  for await (const { rows } of walkRows(connection, { feed: 'pay-periods' }, store))
    periods.push(...rows.flatMap((row) => readKnownPeriod(row) ?? []));
  return periods;
}
