import type { AbsenceRules } from '../../absences/absences.ts';
import {
  checkRow,
  type FeedDefinition,
  readRow,
  readValues,
  type StateRow,
  toState,
} from '../records/feed-definition.ts';
import { isRecord, kindOf, type SourceRecord } from '../records/fields.ts';
import { isSameValue, isWellFormed, makeWellFormed } from '../records/notation.ts';
import { type PayPeriodHint, type PayPeriodState, readPayPeriodHint } from '../records/pay-period.ts';
import { isSameRecord, type RecordDigest } from '../snapshot/digests.ts';
import { idOf, type Page } from './pages.ts';
import { RecentRows } from './recent-rows.ts';

/**
 * A record without a usable id or slice, with invalid members, or listed twice. `issues`: paths of members, never
 * values.
 */
export interface BadRecord {
  readonly id: string | null;
  readonly issues: readonly string[];
  /** The kind of value of the invalid member: `string`, `null`, `missing`. */
  readonly kind?: string;
  /** One answer lists it twice, and `issues` differ: which one is right cannot be known. */
  readonly isListedTwice?: true;
}

/** What follows from a record, and for missing clockings from when it was requested. Not checked yet. */
export interface RecordReading {
  readonly id: string;
  readonly slice: string;
  /** Its watched values as JSON. */
  readonly rowText: string;
  readonly digest: RecordDigest;
  readonly payPeriod: PayPeriodHint | null;
}

/** How the records of a scan are read. */
interface Reader {
  readonly definition: FeedDefinition;
  readonly absences: AbsenceRules | null;
}

interface PageReadings {
  readonly definition: FeedDefinition;
  /** Key of the rules by which missing clockings were judged; null without any. */
  readonly rules: string | null;
  readonly readings: readonly (RecordReading | BadRecord)[];
  /** For pages requested from this instant on, and before the other, the readings are the same. */
  readonly from: number;
  readonly until: number;
}

/** Readings of frozen pages, which the reader returns again when the source's answer is the same as before. */
const knownReadings = new WeakMap<readonly unknown[], PageReadings>();

/** Never throws for a bad record (rule 9). */
export function readPage(
  { definition, absences }: Reader,
  { records, requestedAt }: Page,
): PageReadings['readings'] {
  const rules = absences?.key ?? null;
  const known = knownReadings.get(records);
  const isCurrent = known !== undefined && known.from <= requestedAt && requestedAt < known.until;
  if (isCurrent && known.definition === definition && known.rules === rules) return known.readings;
  let until = Number.POSITIVE_INFINITY;
  const all = records.map((record) => {
    const { reading, nextChangeAt } = readRecord({ definition, absences }, record, requestedAt);
    until = Math.min(until, nextChangeAt);
    return reading;
  });
  const readings = setListedTwiceAside(all, definition);
  const isFinal = Object.isFrozen(records) && records.every((record) => Object.isFrozen(record));
  const from = absences === null ? Number.NEGATIVE_INFINITY : requestedAt;
  if (isFinal) knownReadings.set(records, { definition, rules, readings, from, until });
  return readings;
}

/**
 * A page is of one moment: two different copies of a record on it are no drift. Neither counts, or a list that has them
 * in turn would change the record for ever.
 */
function setListedTwiceAside(
  readings: PageReadings['readings'],
  definition: FeedDefinition,
): PageReadings['readings'] {
  const first = new Map<string, RecordReading>();
  const twice = new Map<string, Set<string>>();
  for (const reading of readings) {
    if (!('slice' in reading)) continue;
    const other = first.get(reading.id);
    if (other === undefined) first.set(reading.id, reading);
    else if (!isSameRecord(other.digest, reading.digest)) {
      const differing = twice.get(reading.id) ?? new Set();
      for (const field of listDiffering(definition, other, reading)) differing.add(field);
      twice.set(reading.id, differing);
    }
  }
  if (twice.size === 0) return readings;
  const bad = [...twice].map(([id, differing]): BadRecord => {
    const issues = definition.fields.map(({ name }) => name).filter((name) => differing.has(name));
    return { id, issues, kind: 'two values', isListedTwice: true };
  });
  return [...readings.filter((reading) => !('slice' in reading && twice.has(reading.id))), ...bad];
}

function listDiffering({ fields }: FeedDefinition, left: RecordReading, right: RecordReading): string[] {
  const [one, other] = [left, right].map(({ rowText }) => JSON.parse(rowText) as StateRow);
  return fields
    .filter((_, index) => !isSameValue(one?.[index] ?? null, other?.[index] ?? null))
    .map(({ name }) => name);
}

/** Shared by all scans: the digest of a row follows from its values alone. */
const recentRows = new RecentRows();

interface TimedReading {
  readonly reading: RecordReading | BadRecord;
  /** Until this instant, in milliseconds since 1970, the record is read the same. */
  readonly nextChangeAt: number;
}

function readRecord({ definition, absences }: Reader, record: unknown, at: number): TimedReading {
  const id = idOf(record);
  if (id === null || !isRecord(record))
    return bad({ id, issues: ['id'], kind: kindOf(isRecord(record) ? record.id : record) });
  // It can be neither stored nor published as it is, and its well-formed version may be the id of another record.
  if (!isWellFormed(id)) return bad({ id: makeWellFormed(id), issues: ['id'], kind: kindOf(id) });
  const slice = definition.sliceOf(record);
  if (slice === null) return bad({ id, issues: ['date'], kind: kindOf(record.date) });
  const { json, nextChangeAt } = readValues(definition, record, { absences, at });
  const { rowText, digest } = recentRows.digested(id, json);
  const payPeriod = definition.name === 'pay-periods' ? readPayPeriod(definition, record, id) : null;
  return { reading: { id, slice, rowText, digest, payPeriod }, nextChangeAt };
}

function bad(reading: BadRecord): TimedReading {
  return { reading, nextChangeAt: Number.POSITIVE_INFINITY };
}

function readPayPeriod(definition: FeedDefinition, record: SourceRecord, id: string): PayPeriodHint | null {
  const row = readRow(definition, record);
  if (checkRow(definition, row).outcome === 'bad') return null;
  return readPayPeriodHint(id, toState(definition, row) as PayPeriodState, record);
}
