import type { WorldFigures } from './world-figures.ts';

/** Where a sentence is checked: one of the minutes in which it may have been seen. */
export interface ClaimContext {
  readonly figures: WorldFigures;
  /** In milliseconds since 1970. */
  readonly at: number;
  /** When the message was seen. */
  readonly seenAt: number;
}

export type Groups = Readonly<Record<string, string | undefined>>;

/** A part of a sentence with figures, and whether they are true of a subject at an instant. */
export interface Claim<Subject> {
  readonly pattern: RegExp;
  readonly holds: (groups: Groups, subject: Subject, context: ClaimContext) => boolean;
}

export interface Checked {
  /** What is wrong, or null. */
  readonly wrong: string | null;
  /** How many figures were compared. */
  readonly figures: number;
}

/** The last clause of a heading that was cut. */
const CUT_CLAUSE = /(?:^|, |: | \()(?:(?!, |: | \().)*\.\.\.$/;
const FIGURES = /\d[\d,.:]*/g;

/**
 * Compares all that a text says of a subject, at each of the minutes until everything holds at once. A figure that no
 * claim takes is wrong too: nothing is left out by oversight.
 */
export function checkClaims<Subject>(
  text: string,
  claims: readonly Claim<Subject>[],
  {
    minutes,
    subjectAt,
  }: {
    readonly minutes: readonly ClaimContext[];
    readonly subjectAt: (context: ClaimContext) => Subject | null;
  },
): Checked {
  // What a heading has no room for stands below it.
  const { found, rest } = findClaims(text.replace(CUT_CLAUSE, ''), claims);
  const unclaimed = rest.match(FIGURES);
  if (unclaimed !== null)
    return { wrong: `nothing checks ${unclaimed.join(' and ')} of: ${text}`, figures: 0 };
  const figures = text.match(FIGURES)?.length ?? 0;
  if (found.length === 0) return { wrong: null, figures };
  let nearest: readonly string[] = ['there is no such record'];
  for (const context of minutes) {
    const subject = subjectAt(context);
    if (subject === null) continue;
    const failed = found
      .filter(({ claim, groups }) => !claim.holds(groups, subject, context))
      .map(({ groups }) => JSON.stringify(groups));
    if (failed.length === 0) return { wrong: null, figures };
    nearest = failed;
  }
  return { wrong: `${text}\n  not true at any minute: ${nearest.join(' ')}`, figures: 0 };
}

/** What a text claims, and what is left of it. */
function findClaims<Subject>(text: string, claims: readonly Claim<Subject>[]) {
  let rest = text;
  const found = claims.flatMap((claim) => {
    const match = claim.pattern.exec(rest);
    if (match === null) return [];
    rest = `${rest.slice(0, match.index)} ~ ${rest.slice(match.index + match[0].length)}`;
    return [{ claim, groups: match.groups ?? {} }];
  });
  return { found, rest };
}

export function toNumber(text: string | undefined): number {
  return Number((text ?? '').replaceAll(',', ''));
}
