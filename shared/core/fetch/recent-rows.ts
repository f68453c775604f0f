import { makeJsonWellFormed } from '../records/notation.ts';
import { digestWellFormed, type RecordDigest } from '../snapshot/digests.ts';

/** The JSON of a row as it is stored, and its digest. */
export interface DigestedRow {
  readonly rowText: string;
  readonly digest: RecordDigest;
}

interface RecentRow extends DigestedRow {
  /** The row's JSON with the texts as the source wrote them. */
  readonly json: string;
}

/** Rows of one generation. Two generations of about 600 bytes a row take some 6 MB. */
const MAX_ROWS = 5_000;

/**
 * Recently seen rows, by id. Comparing a row's JSON costs a tenth of digesting it, and most records of a page have not
 * changed. Rows that were not seen for a whole generation are forgotten.
 */
export class RecentRows {
  readonly #maxRows: number;
  #rows = new Map<string, RecentRow>();
  #before: ReadonlyMap<string, RecentRow> = new Map();

  constructor(maxRows = MAX_ROWS) {
    this.#maxRows = maxRows;
  }

  /** `json`: the watched values of a record as the source wrote them. */
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
