import type { Evidence } from './evidence.ts';
import { isCertainly } from './first-looks.ts';
import { mayBeClosed } from './pay-period-lists.ts';
import type { RecordStory } from './story.ts';

/** Unprocessed timesheets of a closed pay period up to this share do not keep their date active. */
const MAX_LEFT_OVER_SHARE = 0.1;

/**
 * Whether a date was active for a record, from a change until the planning of a poll: the record was not processed, and
 * not one of the few that are left over in a closed pay period (ADR 14).
 */
export function isActive(
  evidence: Evidence,
  story: RecordStory,
  { date, since, at }: { readonly date: string; readonly since: number; readonly at: number },
): boolean {
  if (!isUnsettled(story, date, Math.min(since, at)) || !isUnsettled(story, date, at)) return false;
  return !mayBeClosed(evidence, date, at) || !hasFewUnsettled(evidence, date, at);
}

/** By the last answer about each timesheet before an instant. */
function hasFewUnsettled(evidence: Evidence, date: string, at: number): boolean {
  const { served, gone } = evidence.history.journal;
  let [known, unsettled] = [0, 0];
  for (const [id, answers] of served.timesheets) {
    const last = answers.findLast(({ receivedAt, shape }) => receivedAt <= at && shape === 'good');
    if (last === undefined || evidence.slice('timesheets', id, last.version) !== date) continue;
    const isGone = gone.timesheets
      .get(id)
      ?.some(({ receivedAt }) => last.receivedAt < receivedAt && receivedAt <= at);
    if (isGone === true) continue;
    known += 1;
    if (evidence.watched('timesheets', id, last.version)?.processed === null) unsettled += 1;
  }
  return unsettled <= MAX_LEFT_OVER_SHARE * known;
}

/**
 * Whether the record, as known on this date at that time, was not processed yet: as subscribers knew it, and as the
 * engine knew it, which is earlier while a topic refuses.
 */
function isUnsettled({ chapters, bases, sights }: RecordStory, date: string, at: number): boolean {
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
