/** Longest name or id in a line; a longer one says no more. */
const MAX_NAME_CHARACTERS = 80;
/** Longest line. */
const MAX_LINE_CHARACTERS = 600;
const CUT = '...';

/**
 * What nobody sees and what turns the direction of a line, with the marks that would hang on it: left out. Default
 * ignorable are zero-width characters, marks of direction, fillers and tags.
 */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}]+/gu;
/** Control characters, halves of characters, private ones, none at all, and every kind of space: one space. */
const SPACES = /[\p{Cc}\p{Cs}\p{Co}\p{Noncharacter_Code_Point}\p{Z}\u2800]+/gu;
/** More marks than this on one letter grow out of the line. */
const TOO_MANY_MARKS = /(\p{M}{3})\p{M}+/gu;

/** A text from outside, on one line, with nothing in it that is not seen. At most 80 characters; may be empty. */
export function cleanText(text: string): string {
  const line = text.replace(UNSEEN, '').replace(TOO_MANY_MARKS, '$1').replace(SPACES, ' ').trim();
  return cutTo(line, MAX_NAME_CHARACTERS);
}

/** A sentence of at most 600 characters; when it is too long, what comes before its ending is cut. */
export function fitLine(text: string, ending = ''): string {
  return `${cutTo(text, MAX_LINE_CHARACTERS - ending.length)}${ending}`;
}

/** At most so many UTF-16 units, no character cut in half. */
function cutTo(text: string, most: number): string {
  if (text.length <= most) return text;
  const start = text.slice(0, most - CUT.length);
  return `${start.replace(/[\uD800-\uDBFF]$/, '').trimEnd()}${CUT}`;
}
