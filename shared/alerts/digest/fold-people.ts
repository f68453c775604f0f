import type { Detail } from '../alert.ts';

/** People that a department's line names in a digest; it counts the others. */
const MAX_NAMED = 6;

/**
 * Departments with their people on the same line, for a digest, where they stand below another line already:
 * `Kitchen: 2 of 40 not approved, 15.5 h (Ana Lee: Thu 12 Nov 8 h; Ben Fox: Fri 13 Nov 7.5 h)`.
 */
export function foldPeople(details: readonly Detail[]): Detail[] {
  return details.flatMap((detail, place) => {
    if (detail.isInner) return [];
    const next = details.findIndex(({ isInner }, at) => at > place && !isInner);
    const people = details.slice(place + 1, next < 0 ? details.length : next).map(({ text }) => text);
    return [{ ...detail, text: `${detail.text}${listPeople(people)}`, isInner: true }];
  });
}

function listPeople(people: readonly string[]): string {
  if (people.length === 0) return '';
  const more = people.length - MAX_NAMED;
  return ` (${people.slice(0, MAX_NAMED).join('; ')}${more > 0 ? ` and ${more} more` : ''})`;
}
