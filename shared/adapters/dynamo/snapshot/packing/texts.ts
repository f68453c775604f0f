/**
 * A text taken apart into a pattern and numbers. Ids, references and dates share their pattern with their
 * neighbours, and their numbers lie close together. Putting the numbers back gives the same text, whatever it was.
 *
 * Two kinds of pattern: `=0_0` of `2429_1`, where `1` to `9` stand for a number of that many digits and `0` for one
 * without leading zeros; and `@m.Z` of `2026-03-05T08:30:00.000Z`, one number of minutes since 1970 (`s` seconds,
 * `i` milliseconds) with `.` when the text has milliseconds and then its zone.
 */
export interface TextParts {
  readonly pattern: string;
  readonly numbers: readonly number[];
}

const PLAIN = '=';
const MOMENT = '@';
const MOMENT_TEXT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?(Z|[+-]\d{2}:\d{2})?$/;
const UNITS = [
  { name: 'm', milliseconds: 60_000 },
  { name: 's', milliseconds: 1000 },
  { name: 'i', milliseconds: 1 },
] as const;

/** Digits beside one of these belong to a date or a time, whose numbers have a fixed width. */
const MARKS_OF_TIME = '-:.';
const MAX_FIXED_DIGITS = 9;
/** Numbers of more digits would not be exact. */
const DIGIT_RUNS = /\d{1,15}/g;

export function splitText(text: string): TextParts {
  return splitMoment(text) ?? splitPlain(text);
}

/** Puts the numbers of texts of one pattern back into it. */
export function patternWriter(pattern: string): (numbers: readonly number[]) => string {
  if (pattern.startsWith(MOMENT)) return ([number = 0]) => formatMoment(pattern, number);
  const [start = '', ...parts] = pattern.slice(1).split(/(\d)/);
  return (numbers) => {
    let text = start;
    for (const [slot, number] of numbers.entries()) {
      text += String(number).padStart(Number(parts[slot * 2]), '0') + parts[slot * 2 + 1];
    }
    return text;
  };
}

/** How many numbers a pattern takes. */
export function countSlots(pattern: string): number {
  return pattern.startsWith(MOMENT) ? 1 : (pattern.match(/\d/g)?.length ?? 0);
}

/** Milliseconds of one unit of a moment's number; null when the pattern is not that of a moment. */
function unitOf(pattern: string): number | null {
  if (!pattern.startsWith(MOMENT)) return null;
  return UNITS.find(({ name }) => name === pattern[1])?.milliseconds ?? null;
}

function splitMoment(text: string): TextParts | null {
  const match = MOMENT_TEXT.exec(text);
  if (match === null) return null;
  const [, fraction, zone = ''] = match;
  const milliseconds = Date.parse(`${text.slice(0, text.length - zone.length)}Z`);
  const unit = UNITS.find((each) => milliseconds % each.milliseconds === 0);
  if (unit === undefined) return null;
  // The 30th of February and 24 o'clock are read as another day.
  const date = new Date(milliseconds);
  if (date.getUTCDate() !== Number(text.slice(8, 10))) return null;
  return {
    pattern: `${MOMENT}${unit.name}${fraction === undefined ? '' : '.'}${zone}`,
    numbers: [milliseconds / unit.milliseconds],
  };
}

function formatMoment(pattern: string, number: number): string {
  const iso = new Date(number * (unitOf(pattern) ?? 1)).toISOString();
  const fraction = pattern[2] === '.';
  return `${iso.slice(0, fraction ? 23 : 19)}${pattern.slice(fraction ? 3 : 2)}`;
}

function splitPlain(text: string): TextParts {
  const numbers: number[] = [];
  const pattern = text.replace(DIGIT_RUNS, (digits, offset: number) => {
    const neighbours = [text[offset - 1], text[offset + digits.length]];
    const fixed = (digits.length > 1 && digits.startsWith('0')) || neighbours.some(isMark);
    const width = fixed ? MAX_FIXED_DIGITS : digits.length;
    let widths = '';
    for (let from = 0; from < digits.length; from += width) {
      const chunk = digits.slice(from, from + width);
      numbers.push(Number(chunk));
      widths += fixed ? chunk.length : '0';
    }
    return widths;
  });
  return { pattern: `${PLAIN}${pattern}`, numbers };
}

function isMark(character: string | undefined): boolean {
  return character !== undefined && MARKS_OF_TIME.includes(character);
}

/** Patterns of the source, by which they are written. Append only: stored items count on their positions. */
export const KNOWN_PATTERNS = ['=0_0', '@m.Z', '@s.Z', '@s.', '@m.', '@mZ', '@sZ', '@m', '@s', '=4-2-2', '='];

/** What a moment's number is counted from. */
export function computeOrigin(pattern: string, origin: number): number {
  return Math.floor(origin / (unitOf(pattern) ?? Number.POSITIVE_INFINITY));
}
