/** What mail programs show of a subject. */
export const MAX_SUBJECT_CHARACTERS = 78;

/** Whether a mail shows it whole. Some letters become two in ASCII. */
export function isSubject(headline: string): boolean {
  const letters = headline.normalize('NFKD').replace(/\p{M}/gu, '');
  return letters.replace(/[ßæœþ]/giu, 'xx').length <= MAX_SUBJECT_CHARACTERS;
}
