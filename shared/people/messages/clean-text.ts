const MAX_NAME_CHARACTERS = 80;
/** Of a name as it came, which may be mostly spaces. */
const MAX_RAW_CHARACTERS = 1_000;
const MAX_LINE_CHARACTERS = 600;
const CUT = '...';

/** Invisible characters, which are removed: zero-width characters, direction marks, fillers and tags. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]+/gu;
/**
 * Control characters, lone surrogates, private use, noncharacters and every kind of space: each run becomes one space.
 */
const SPACES = /[\p{Cc}\p{Cs}\p{Co}\p{Noncharacter_Code_Point}\p{Z}\u2800]+/gu;
/** Combining marks beyond the third on one letter would run into the lines above and below. */
const TOO_MANY_MARKS = /(\p{M}{3})\p{M}+/gu;

/**
 * Where a mail client would see an address: `://`, an at sign within a word, and a dot (or what counts as one in a host
 * name) before two letters. A space after it makes two words of it.
 */
const IN_ADDRESS = /:(?=\/\/)|(?<=\S)@(?=\S)|(?<=\S)[.\u3002\uff0e\uff61](?=\p{L}{2})/gu;

/**
 * A text from outside on one line without invisible characters, and without an address that a mail client would make a
 * link. At most 80 characters, a longer one is cut and ends in `...`; may be empty.
 */
export function cleanText(text: string): string {
  return cutTo(breakAddresses(toLine(text)), MAX_NAME_CHARACTERS);
}

/** Without an address that a mail client would make a link. */
export function breakAddresses(text: string): string {
  return text.replace(IN_ADDRESS, '$& ');
}

/** The same for names of types and fields, whose dots stay. */
export function cleanCode(text: string): string {
  return cutTo(toLine(text), MAX_NAME_CHARACTERS);
}

function toLine(text: string): string {
  return text
    .slice(0, MAX_RAW_CHARACTERS)
    .replace(INVISIBLE, '')
    .replace(TOO_MANY_MARKS, '$1')
    .replace(SPACES, ' ')
    .trim();
}

/** A sentence of at most 600 characters; when it is longer, `text` is cut and the ending stays. */
export function fitLine(text: string, ending = ''): string {
  return `${cutTo(text, MAX_LINE_CHARACTERS - ending.length)}${ending}`;
}

const MAX_HEADING_CHARACTERS = 150;

/** A heading on one line of at most 150 characters. */
export function fitHeading(text: string): string {
  return cutTo(text, MAX_HEADING_CHARACTERS);
}

/** At most `max` UTF-16 units; never splits a surrogate pair. */
export function cutTo(text: string, max: number): string {
  if (text.length <= max) return text;
  const start = text.slice(0, max - CUT.length);
  return `${start.replace(/[\uD800-\uDBFF]$/, '').trimEnd()}${CUT}`;
}
