/** What mail programs show of a subject, which is the heading. */
const MAX_CHARACTERS = 78;
const CUT = '...';
/** It is cut at a word unless that leaves less than this. */
const MIN_CHARACTERS = 50;

/** A heading of at most 78 characters; what is longer ends in dots. */
export function cutHeading(heading: string): string {
  if (heading.length <= MAX_CHARACTERS) return heading;
  const start = heading.slice(0, MAX_CHARACTERS - CUT.length + 1);
  const end = start.lastIndexOf(' ');
  const whole = end >= MIN_CHARACTERS ? start.slice(0, end) : start.slice(0, -1);
  return `${whole.replace(/[\s,;:(-]+$/, '').toWellFormed()}${CUT}`;
}
