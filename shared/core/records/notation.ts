import { parseInstant } from '../dates.ts';
import type { Json } from './fields.ts';

/**
 * The source may write the same thing in several ways. Rows keep its notation; what is compared and digested is a
 * canonical form of their JSON: date-times with an offset in UTC, all with milliseconds, texts well-formed.
 */

const REPLACEMENT = '\ufffd';
/** In JSON: an escape sequence, or a character that is not escaped although no text should hold it. */
const ESCAPED_OR_REFUSED = /\\(?:u[0-9a-f]{4}|.)|[\u007f-\u009f\ufffe\uffff]/g;
const IS_ASCII = /^[\x20-\x7e]*$/;
const REFUSED = /[\p{Cc}\p{Cs}\ufffe\uffff]/u;

/** Whether a text has no control character, no half of a surrogate pair, and neither U+FFFE nor U+FFFF. */
export function isWellFormed(text: string): boolean {
  return IS_ASCII.test(text) || !REFUSED.test(text);
}

/** The text with U+FFFD in place of what `isWellFormed` refuses. */
export function makeWellFormed(text: string): string {
  return isWellFormed(text) ? text : (JSON.parse(makeJsonWellFormed(JSON.stringify(text))) as string);
}

/**
 * JSON as `JSON.stringify` writes it, with U+FFFD in place of control characters, halves of surrogate pairs, U+FFFE
 * and U+FFFF. Nearly all rows are plain ASCII without an escape sequence: for them this costs three searches.
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

/** Finds a date-time that is not in canonical form; quick, since most rows have none. */
const OTHER_NOTATION = /T\d\d:\d\d(?!:\d\d\.\d{3}Z?")/;
const DATE_TIME_PATTERN =
  '(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d)(?::(\\d\\d)(?:\\.(\\d+))?)?(Z|[+-]\\d\\d:?\\d\\d)?';
const DATE_TIME = new RegExp(`^${DATE_TIME_PATTERN}$`, 'i');
const DATE_TIMES_IN_JSON = new RegExp(`(?<=(?<!\\\\)")${DATE_TIME_PATTERN}(?=")`, 'gi');

/**
 * Canonical form of a row's JSON: well-formed, each date-time with milliseconds, one with an offset in UTC. One
 * without stays local, so that the digest of a row does not depend on the configuration.
 */
export function canonicalizeJson(json: string): string {
  return canonicalizeDateTimes(makeJsonWellFormed(json));
}

/** The same of JSON that is well-formed. */
export function canonicalizeDateTimes(text: string): string {
  return OTHER_NOTATION.test(text)
    ? text.replace(DATE_TIMES_IN_JSON, (moment) => canonicalizeDateTime(moment))
    : text;
}

/** A date-time in UTC when it has an offset or its time zone is given, else local; another text as it is. */
function canonicalizeDateTime(text: string, timeZone?: string): string {
  const [, minute, second = '00', digits = '', offset] = DATE_TIME.exec(text) ?? [];
  if (minute === undefined) return text;
  const local = `${minute.toUpperCase()}:${second}`;
  const wall = Date.parse(`${local}Z`);
  // The 30th of February, or 24 o'clock: nobody knows which instant was meant.
  if (Number.isNaN(wall) || !new Date(wall).toISOString().startsWith(local)) return text;
  const fraction = digits.replace(/0+$/, '').padEnd(3, '0');
  if (offset === undefined && timeZone === undefined) return `${local}.${fraction}`;
  const instant = parseInstant(`${local}${offset?.toUpperCase() ?? ''}`, timeZone ?? 'UTC');
  // The last three digits are zeros here; finer ones than milliseconds must not get lost.
  return instant === null ? text : `${new Date(instant).toISOString().slice(0, -4)}${fraction}Z`;
}

/**
 * Whether two watched values mean the same. With a time zone, a date-time without an offset is the same as one with
 * it when both are one instant there.
 */
export function isSameValue(left: Json, right: Json, timeZone?: string): boolean {
  if (left === right) return true;
  if (typeof left === 'string' && typeof right === 'string') return isSameText(left, right, timeZone);
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const [names, others] = [Object.keys(left), Object.keys(right)];
  const [a, b] = [left, right] as Readonly<Record<string, Json>>[];
  return (
    names.length === others.length &&
    names.every((name) => Object.hasOwn(right, name) && isSameValue(a?.[name], b?.[name], timeZone))
  );
}

function isSameText(left: string, right: string, timeZone: string | undefined): boolean {
  const [a, b] = [left, right].map((text) => canonicalizeDateTime(makeWellFormed(text)));
  if (a === b) return true;
  // Without an offset and with it: only the zone tells whether both are one instant.
  const isMixed = timeZone !== undefined && isLocalDateTime(left) !== isLocalDateTime(right);
  return isMixed && canonicalizeDateTime(left, timeZone) === canonicalizeDateTime(right, timeZone);
}

function isLocalDateTime(text: string): boolean {
  const found = DATE_TIME.exec(text);
  return found !== null && found[4] === undefined;
}
