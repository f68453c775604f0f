import * as z from 'zod';
import { addDays, isDate, parseInstant, toIso } from '../dates.ts';
import { type Door, isRecord, type Json } from './fields.ts';

/**
 * Readers of single values of a source record: what can be a text, an id, an instant, a fact or a number, for every
 * field of every feed. What they return is canonical: whatever a system writes for "nothing" is null, numbers are
 * rounded. They never throw, and never read a bad value as they would a good one: so a record is digested before it is
 * checked, and only a record whose digest is new is checked.
 */

/** Bound of ids and date-times: far above any real one, and far below what a bucket or an event can hold. */
const MAX_TEXT_CHARACTERS = 200;
/** Of a reference that people write, such as that of a payroll approval. What is longer is kept up to here. */
const MAX_NOTE_CHARACTERS = 1_000;
/** Of a name that every pay period has: the state holds hundreds of them in one item. */
export const MAX_LABEL_CHARACTERS = 200;
const CUT = '…';

/** An empty text, an id of zeros in any format (`0`, `{00000000-0000-0000-0000-000000000000}`, `0_0`), dashes. */
const ZEROS = /^[\s0\-\u2010-\u2015_./{}()]*$/;
const WORDS_FOR_NOTHING = new Set(['null', 'undefined', 'none', 'nil', 'nan', 'false', 'na']);
/** Such a word, with what may stand around it or in it: `n/a`, `(null)`. Few texts need more than this. */
const MAY_BE_WORD = /^[^a-z0-9]*[nuf]/i;
const MAX_WORD_CHARACTERS = 20;
const ZERO = 48;

/** Whether a text is one that other systems write where they have none. */
export function isNothing(value: string): boolean {
  return value === '' || (!isNumbered(value) && (ZEROS.test(value) || isWordForNothing(value)));
}

/** Whether a text begins with a digit that is no zero, as nearly all do: it is something, and needs no pattern. */
function isNumbered(value: string): boolean {
  const first = value.charCodeAt(0);
  return first > ZERO && first <= ZERO + 9;
}

function isWordForNothing(value: string): boolean {
  if (value.length > MAX_WORD_CHARACTERS || !MAY_BE_WORD.test(value)) return false;
  return WORDS_FOR_NOTHING.has(value.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase());
}

/** Not what is left of control characters, which would read as a change. */
function hasLetters(value: string): boolean {
  return isNumbered(value) || /[\p{L}\p{N}]/u.test(value);
}

export const text = z.string().max(MAX_TEXT_CHARACTERS);

/** When something happened, as a date or a date-time; null until it has. Another text does not say that it has. */
export const stamp = text.min(1).refine(isDateOrInstant, 'not a date or date-time').nullable();

function isDateOrInstant(value: string): boolean {
  return isDate(value) || parseInstant(value, 'UTC') !== null;
}

/** Of a record, or of what it refers to. */
export const id = text.min(1).refine((value) => hasLetters(value) && !isNothing(value), 'not an id');

/** Of a part of a record, such as a clock-in. One of zeros takes nothing away from what stands beside it. */
export const partId = text
  .min(1)
  .refine((value) => hasLetters(value) && !isWordForNothing(value), 'not an id');

/** A reference that says by being there that something has happened; null until it has. */
export const reference = z
  .string()
  .min(1)
  .max(MAX_NOTE_CHARACTERS)
  .refine((value) => hasLetters(value) && !isNothing(value), 'not a reference')
  .nullable();

/** More than anybody works, and few enough that the sum of a pay period is a number that people can read. */
const MAX_HOURS = 10_000;

export const hours = z.number().refine((value) => Math.abs(value) <= MAX_HOURS, 'nobody can work so long');
export const minutes = z
  .number()
  .refine((value) => Math.abs(value) <= MAX_HOURS * 60, 'nobody can work so long');

/** A value as it is, numbers rounded. One too large for a double has parsed as infinite: it counts as missing. */
export function readValue(value: unknown): Json {
  if (typeof value !== 'number') return value as Json;
  return Number.isFinite(value) ? roundNumber(value) : undefined;
}

/**
 * A text, or null for nothing. A missing member stays undefined, which no schema accepts: half a record must not look
 * like a revoked approval.
 */
export function nothingToNull(value: unknown): Json {
  return typeof value === 'string' && isNothing(value) ? null : readValue(value);
}

/** Only the id of a reference is watched: a renamed department does not change its timesheets. */
export function readReferenceId(value: unknown): Json {
  return nothingToNull(isRecord(value) ? value.id : value);
}

/** A text that people write: a longer one is cut, with an ellipsis, because it must not make its record unreadable. */
export function readNote(value: unknown, maxCharacters = MAX_NOTE_CHARACTERS): Json {
  if (typeof value !== 'string' || value.length <= maxCharacters) return nothingToNull(value);
  const start = value.slice(0, maxCharacters - CUT.length);
  return `${start.replace(/[\uD800-\uDBFF]$/, '')}${CUT}`;
}

/** No record is older, and no plan reaches further: what stands before or after was never entered. */
const FIRST_YEAR = 2000;
const LAST_YEAR = 2999;
const USUAL_YEAR = /^20\d\d-/;
/** Of a date that begins or ends with it, in the notation of any system. */
const YEAR = /^\s*(?:([+-]\d{4,9}|\d{4})[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.](\d{4}))(?!\d)/;

/** Whether a date or date-time is one that other systems write where they have none: `0001-01-01`, `9999-12-31`. */
export function isOutsideTime(value: string): boolean {
  if (USUAL_YEAR.test(value) || value.length > MAX_TEXT_CHARACTERS) return false;
  const [, first, last] = YEAR.exec(value) ?? [];
  const year = Number(first ?? last ?? FIRST_YEAR);
  return year < FIRST_YEAR || year > LAST_YEAR;
}

const DAY_MS = 86_400_000;
/** A date may be by the clock of any zone, and our own clock be a day late. */
const MAX_DAYS_AHEAD = 2;

/** What is dated later than `lastDate` has not happened, until then. `at`: when the records were requested. */
export function openDoor(timeZone: string, at: number): Door {
  return { timeZone, lastDate: addDays('1970-01-01', Math.floor(at / DAY_MS) + MAX_DAYS_AHEAD) };
}

/** Nearly all date-times are written so already: they need one pattern. */
const CANONICAL = /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const CANONICAL_WALL_CLOCK = /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/;
const HAS_OFFSET = /(?:Z|[+-]\d\d:?\d\d)$/i;

/** When something is, was or is planned: in UTC with milliseconds; a date, and what is neither, as it is. */
export function readInstant(value: unknown, { timeZone }: Door): Json {
  if (typeof value !== 'string') return nothingToNull(value);
  if (CANONICAL.test(value)) return value;
  if (isOutsideTime(value)) return null;
  const instant = parseInstant(value, timeZone);
  return instant === null ? nothingToNull(value) : toIso(instant);
}

/** The same for what a clock on a wall showed: without an offset it stays local, with milliseconds. */
function readWallClock(value: unknown, door: Door): Json {
  if (typeof value !== 'string') return readInstant(value, door);
  if (CANONICAL_WALL_CLOCK.test(value)) return value;
  if (HAS_OFFSET.test(value)) return readInstant(value, door);
  if (isOutsideTime(value)) return null;
  const asUtc = parseInstant(`${value}Z`, 'UTC');
  return asUtc === null ? nothingToNull(value) : toIso(asUtc).slice(0, -1);
}

/** When something happened; null until it has. */
export function readStamp(value: unknown, door: Door): Json {
  return dropLater(readInstant(value, door), door);
}

/** The same as a clock on a wall showed it. */
export function readClockStamp(value: unknown, door: Door): Json {
  return dropLater(readWallClock(value, door), door);
}

function dropLater(read: Json, { lastDate }: Door): Json {
  const date = typeof read === 'string' ? read.slice(0, lastDate.length) : '';
  return date <= lastDate || !isDate(date) ? read : null;
}

/** A reference of a person, a number or a date: not every number with dashes is one. */
export function readReference(value: unknown): Json {
  const isUnset = typeof value === 'string' && isOutsideTime(value) && isDateOrInstant(value);
  return isUnset ? null : readNote(value);
}

/** Finer than anything people enter. */
const PARTS_OF_ONE = 10_000;
/** Of a part. It moves the boundary of rounding away from 0.00005, which sources compute with noise on either side. */
const NOISE = 1e-6;
/** A double has no such part of a larger number. */
const MAX_ROUNDED = 1e11;

/** A number to 1/10,000, without the noise of doubles. Two numbers are the same when they are the same so. */
export function roundNumber(value: number): number {
  if (Math.abs(value) > MAX_ROUNDED) return value;
  // `+ 0`: no negative zero.
  return Math.round(value * PARTS_OF_ONE + NOISE) / PARTS_OF_ONE + 0;
}
