/** What mail programs show of a subject, which is the heading. */
export const MAX_HEADING_CHARACTERS = 78;

/** Whether a mail shows it whole. Some letters become two in ASCII. */
export function fitsHeading(heading: string): boolean {
  const letters = heading.normalize('NFKD').replace(/\p{M}/gu, '');
  return letters.replace(/[ßæœþ]/giu, 'xx').length <= MAX_HEADING_CHARACTERS;
}
