import { parseInstant } from '../dates.ts';
import type { Json } from './fields.ts';
import { roundNumber } from './values.ts';

/**
 * The source may write the same value in several ways (ADR 12). Rows keep its notation; a canonical form of their JSON
 * is compared and digested: date-times with an offset in UTC, all with milliseconds, texts well-formed.
 */

const REPLACEMENT = '\ufffd';
/** In JSON: an escape sequence, or an unescaped character that is replaced. */
const ESCAPED_OR_REFUSED = /\\(?:u[0-9a-f]{4}|.)|[\u007f-\u009f\ufffe\uffff]/g;
const IS_ASCII = /^[\x20-\x7e]*$/;
const REFUSED = /[\p{Cc}\p{Cs}\ufffe\uffff]/gu;

/** Whether a text has no control character, no lone surrogate, and neither U+FFFE nor U+FFFF. */
export function isWellFormed(text: string): boolean {
  return IS_ASCII.test(text) || text.search(REFUSED) === -1;
}

/** The text with U+FFFD in place of what `isWellFormed` refuses. */
export function makeWellFormed(text: string): string {
  return isWellFormed(text) ? text : text.replace(REFUSED, REPLACEMENT);
}

/**
 * JSON as `JSON.stringify` writes it, with U+FFFD in place of control characters, lone surrogates, U+FFFE and U+FFFF.
 * Nearly all rows are plain ASCII without an escape sequence: for them this costs three searches.
 */
export function makeJsonWellFormed(json: string): string {
  const isPlain = !json.includes('\\') && !json.includes('\u007f') && Buffer.byteLength(json) === json.length;
  return isPlain
    ? json
    : json.replace(ESCAPED_OR_REFUSED, (found) => (isQuoted(found) ? found : REPLACEMENT));
}

function isQuoted(sequence: string): boolean {
  return sequence === '\\"' || sequence === '\\\\';
}

/** Finds a date-time that may not be canonical; quick, since most rows have none. */
const OTHER_NOTATION = /T\d\d:\d\d(?!:\d\d\.\d{3}Z?")/;
const DATE_TIME_PATTERN =
  '(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d)(?::(\\d\\d)(?:\\.(\\d+))?)?(Z|[+-]\\d\\d:?\\d\\d)?';
const DATE_TIME = new RegExp(`^${DATE_TIME_PATTERN}$`, 'i');
const UPPERCASE_DATE_TIME = new RegExp(`^${DATE_TIME_PATTERN}$`);
const DATE_TIMES_IN_JSON = new RegExp(`(?<=(?<!\\\\)")${DATE_TIME_PATTERN}(?=")`, 'gi');

/** Begins at the first zero of a run alone, so that long runs are read once. */
const TRAILING_ZEROS = /(?<!0)0+$/;

/**
 * Canonical form of a row's JSON: well-formed, each date-time with milliseconds, one with an offset in UTC. A
 * date-time without an offset stays local, so that the digest of a row does not depend on the configuration.
 */
export function canonicalizeJson(json: string): string {
  return canonicalizeDateTimes(makeJsonWellFormed(json));
}

/** As `canonicalizeJson`, for JSON that is known to be well-formed. */
export function canonicalizeDateTimes(text: string): string {
  return OTHER_NOTATION.test(text)
    ? text.replace(DATE_TIMES_IN_JSON, (moment) => canonicalizeDateTime(moment))
    : text;
}

/** A date-time in UTC when it has an offset or a time zone is given, else local; any other text as it is. */
function canonicalizeDateTime(text: string, timeZone?: string): string {
  const [, minute, second = '00', digits = '', offset] = DATE_TIME.exec(text) ?? [];
  if (minute === undefined) return text;
  const local = `${minute.toUpperCase()}:${second}`;
  const wall = Date.parse(`${local}Z`);
  // 30 February or 24:00: it is unclear which instant was meant.
  if (Number.isNaN(wall) || !new Date(wall).toISOString().startsWith(local)) return text;
  const fraction = digits.replace(TRAILING_ZEROS, '').padEnd(3, '0');
  if (offset === undefined && timeZone === undefined) return `${local}.${fraction}`;
  const instant = parseInstant(`${local}${offset?.toUpperCase() ?? ''}`, timeZone ?? 'UTC');
  // toISOString ends in '.000Z' here; the fraction replaces it, since it may be finer than milliseconds.
  return instant === null ? text : `${new Date(instant).toISOString().slice(0, -4)}${fraction}Z`;
}

/**
 * Whether two watched values mean the same. With a time zone, a date-time without an offset equals one with an offset
 * if both are the same instant in that zone.
 */
export function isSameValue(left: Json, right: Json, timeZone?: string): boolean {
  if (left === right) return true;
  if (typeof left === 'string' && typeof right === 'string') return isSameText(left, right, timeZone);
  if (typeof left === 'number' && typeof right === 'number') return roundNumber(left) === roundNumber(right);
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) && Array.isArray(right))
    return (
      left.length === right.length &&
      left.every((value: Json, index) => isSameValue(value, right[index], timeZone))
    );
  if (Array.isArray(left) || Array.isArray(right)) return false;
  const [names, others] = [Object.keys(left), Object.keys(right)];
  const [a, b] = [left, right] as Readonly<Record<string, Json>>[];
  return (
    names.length === others.length &&
    names.every((name) => Object.hasOwn(right, name) && isSameValue(a?.[name], b?.[name], timeZone))
  );
}

/** Of two texts that differ. */
function isSameText(left: string, right: string, timeZone: string | undefined): boolean {
  if (areWrittenAlike(left, right)) return false;
  const [a, b] = [left, right].map((text) => canonicalizeDateTime(makeWellFormed(text)));
  if (a === b) return true;
  // One has an offset, the other has not: only the zone tells whether both are one instant.
  const isMixed = timeZone !== undefined && isLocalDateTime(left) !== isLocalDateTime(right);
  return isMixed && canonicalizeDateTime(left, timeZone) === canonicalizeDateTime(right, timeZone);
}

/** Whether two texts are date-times in one notation, with one offset: they differ as their texts do. */
function areWrittenAlike(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  const [a, b] = [UPPERCASE_DATE_TIME.exec(left), UPPERCASE_DATE_TIME.exec(right)];
  return a !== null && b !== null && a[4] === b[4];
}

function isLocalDateTime(text: string): boolean {
  const found = DATE_TIME.exec(text);
  return found !== null && found[4] === undefined;
}
