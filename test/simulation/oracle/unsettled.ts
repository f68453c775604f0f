import { isCertainly } from './first-looks.ts';
import type { RecordStory } from './story.ts';

/**
 * Whether the record, as known on this date at that time, was not processed yet: as subscribers knew it, and as the
 * engine knew it, which is earlier while a topic refuses.
 */
export function isUnsettled({ chapters, bases, sights }: RecordStory, date: string, at: number): boolean {
  const told = chapters.findLast(({ toldAt }) => toldAt <= at);
  if (told === undefined && !sights.some((each) => isCertainly(each, 'silent'))) return false;
  const learned = chapters.findLast(({ since }) => since <= at);
  const silent = told === undefined ? bases.filter(({ toldAt }) => toldAt <= at) : [told];
  const known = learned === undefined ? silent : [...silent, learned];
  return (
    known.length > 0 &&
    known.every(({ watched }) => watched !== null && watched.date === date && watched.processed === null)
  );
}
