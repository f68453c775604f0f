import { type DateRange, listDates } from '../dates.ts';
import type { FeedName } from '../feeds.ts';
import type { LookReason } from '../outcome/look-reasons.ts';
import {
  type FeedDefinition,
  feedDefinition,
  readRecordText,
  refuseRecord,
  WHOLE_LIST,
} from '../records/feed-definition.ts';
import { type Door, isRecord, type SourceRecord } from '../records/fields.ts';
import { type PayPeriodTotals, readTotals } from '../records/pay-period.ts';
import { isNothing, openDoor } from '../records/values.ts';
import { isWellFormed } from '../records/well-formed.ts';
import type { SliceKey } from '../snapshot/head.ts';

/** One reading of a slice. Instants in milliseconds since 1970. */
export interface Look extends SliceKey {
  /** When its first page was requested, and its last one received. */
  readonly startedAt: number;
  readonly at: number;
  /** Canonical JSON of the watched values by id, unchecked. */
  readonly texts: ReadonlyMap<string, string>;
  /** Why the look is not complete; null for one that is. */
  readonly problem: LookReason | null;
  /** Of pay periods: the source's own totals by id. */
  readonly totals: ReadonlyMap<string, PayPeriodTotals | null>;
}

/** What a page of a list says. */
export interface SeenPage {
  readonly records: readonly unknown[];
  readonly totalRecords: number;
}

/** Gathers the pages of one list into a look at each of its slices (rule 7). */
export class Looking {
  readonly #feed: FeedName;
  readonly #slices: readonly string[];
  readonly #definition: FeedDefinition;
  readonly #door: Door;
  readonly #startedAt: number;
  readonly #texts = new Map<string, Map<string, string>>();
  /** The slice that last showed each record: while a list is read, a record may move. */
  readonly #places = new Map<string, string | null>();
  readonly #totals = new Map<string, PayPeriodTotals | null>();
  #nameless = 0;
  #copies = 0;
  #announced: number | null = null;
  #problem: LookReason | null = null;

  /** `startedAt`: when the first page was requested. */
  constructor(
    feed: FeedName,
    range: DateRange | null,
    { timeZone, startedAt }: { readonly timeZone: string; readonly startedAt: number },
  ) {
    this.#feed = feed;
    this.#slices = range === null ? [WHOLE_LIST] : listDates(range);
    this.#definition = feedDefinition(feed);
    this.#door = openDoor(timeZone, startedAt);
    this.#startedAt = startedAt;
    for (const slice of this.#slices) this.#texts.set(slice, new Map());
  }

  /** Distinct records so far. */
  get records(): number {
    return this.#places.size;
  }

  /** The first problem stays. */
  fail(problem: LookReason): void {
    this.#problem ??= problem;
  }

  take({ records, totalRecords }: SeenPage): void {
    this.#announced ??= totalRecords;
    if (totalRecords !== this.#announced) this.fail('drifted');
    const onPage = new Set<string>();
    for (const record of records) {
      const id = readId(record);
      if (id === null) {
        this.#nameless += 1;
        // Any that is missing may be this one.
        this.fail('nameless');
        continue;
      }
      // A copy on the same page is the source's way of writing; one on another page moved there.
      const isCopy = onPage.has(id);
      if (isCopy) this.#copies += 1;
      onPage.add(id);
      this.#read(id, record as SourceRecord, isCopy);
    }
  }

  #read(id: string, record: SourceRecord, isCopy: boolean): void {
    const slice = this.#findSlice(record);
    const before = this.#places.get(id);
    const known = before == null ? undefined : this.#texts.get(before)?.get(id);
    if (before != null) this.#texts.get(before)?.delete(id);
    this.#places.set(id, slice);
    if (slice === null) return;
    const text = readRecordText(this.#definition, record, this.#door);
    // Of two records with one id on a page nobody knows which it is.
    const isOther = isCopy && (text !== known || slice !== before);
    this.#texts.get(slice)?.set(id, isOther ? refuseRecord('id') : text);
    if (this.#feed === 'pay-periods') this.#totals.set(id, readTotals(record));
  }

  /** A record that does not say its date is on the one that was asked for; of several nobody knows. */
  #findSlice(record: SourceRecord): string | null {
    const slice =
      this.#definition.sliceOf(record) ?? (this.#slices.length === 1 ? (this.#slices[0] ?? null) : null);
    if (slice !== null && this.#texts.has(slice)) return slice;
    this.fail(slice === null ? 'undated' : 'drifted');
    return null;
  }

  /** `at`: when the last page was received. */
  end(at: number): Look[] {
    // Some sources count a record for each time that they list it.
    const seen = this.#places.size + this.#nameless;
    if (seen !== this.#announced && seen + this.#copies !== this.#announced) this.fail('drifted');
    return this.#slices.map((slice) => ({
      feed: this.#feed,
      slice,
      startedAt: this.#startedAt,
      at,
      texts: this.#texts.get(slice) ?? new Map(),
      problem: this.#problem,
      totals: this.#totals,
    }));
  }
}

/** Longer ones are no ids. */
const MAX_ID_CHARACTERS = 100;

/** Null for what cannot be the id of a record. */
export function readId(record: unknown): string | null {
  const id = isRecord(record) ? record.id : undefined;
  if (typeof id !== 'string' || id.length > MAX_ID_CHARACTERS) return null;
  return isNothing(id) || !isWellFormed(id) ? null : id;
}
