import { makeJsonWellFormed } from '../records/notation.ts';
import { digestWellFormed, type RecordDigest } from '../snapshot/digests.ts';

/** What a row is stored and digested as. */
export interface DigestedRow {
  readonly rowText: string;
  readonly digest: RecordDigest;
}

interface RecentRow extends DigestedRow {
  /** The row's JSON with the texts as the source wrote them. */
  readonly json: string;
}

/** Rows of one generation; two are kept, about 600 bytes a row: some 6 MB. */
const MAX_ROWS = 5_000;

/**
 * Rows seen lately, by id: to see that a row's JSON is the one of before costs a tenth of digesting it, and of a page
 * that changed most records have not. What was not seen for a whole generation is forgotten.
 */
export class RecentRows {
  readonly #maxRows: number;
  #rows = new Map<string, RecentRow>();
  #before: ReadonlyMap<string, RecentRow> = new Map();

  constructor(maxRows = MAX_ROWS) {
    this.#maxRows = maxRows;
  }

  /** `json` is the watched values of a record as the source wrote them. */
  digested(id: string, json: string): DigestedRow {
    const known = this.#rows.get(id);
    if (known?.json === json) return known;
    const older = this.#before.get(id);
    const row = older?.json === json ? older : digest(id, json);
    if (this.#rows.size >= this.#maxRows) {
      this.#before = this.#rows;
      this.#rows = new Map();
    }
    this.#rows.set(id, row);
    return row;
  }
}

function digest(id: string, json: string): RecentRow {
  const rowText = makeJsonWellFormed(json);
  return { json, rowText, digest: digestWellFormed(id, rowText) };
}
