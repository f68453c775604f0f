import { groupBy } from '#shared/core/group-by.ts';
import { type Evidence, isGood, type Told } from './evidence.ts';

/** So long an outage is heard of, whatever else happens. */
const LONG_MS = 3 * 3_600_000;
const MANY_POLLS = 6;

/** A trouble is told once when it begins and once when it ends; where nothing fails, none is told. */
export function judgeTroubles(evidence: Evidence): void {
  const { faults, settings, world } = evidence.history;
  const troubles = evidence.told.filter(({ type }) => type.startsWith('trouble.'));
  // A restored table tells anew what lasts.
  if (settings.renewal === null) judgePairs(evidence, troubles);
  const isCalm = faults.isCalm && settings.renewal === null && world.massLosses === 0;
  for (const { data } of isCalm ? troubles : [])
    evidence.violate(`${data.kind}`, 'is told where nothing failed');
  judgeOutages(evidence, troubles);
}

function judgePairs(evidence: Evidence, troubles: readonly Told[]): void {
  const lines = groupBy(troubles, ({ feed, subject, data }) => `${feed} ${data.kind} ${subject}`);
  for (const [line, events] of lines) {
    for (const [place, { type }] of events.entries())
      if (type !== (place % 2 === 0 ? 'trouble.began' : 'trouble.ended'))
        evidence.violate(line, `${type} is told twice`);
    // A topic that refused something for good is well again once it takes something, which may never come.
    const isOver = events.at(-1)?.type !== 'trouble.began' || line.includes(' publish_failed ');
    if (!isOver) evidence.violate(line, 'is never said to have ended');
  }
}

function judgeOutages(evidence: Evidence, troubles: readonly Told[]): void {
  const { spells, journal } = evidence.history;
  for (const { from, to } of spells.outages) {
    const during = journal.polls.filter(
      ({ startedAt, endedAt, report }) =>
        startedAt > from && (endedAt ?? to) < to && report !== null && report.outcome !== 'skipped',
    );
    const [first, last] = [during[0]?.startedAt ?? 0, during.at(-1)?.startedAt ?? 0];
    const isPolled = during.length >= MANY_POLLS && last - first > LONG_MS && !during.some(isGood);
    if (isPolled && !troubles.some(({ at }) => at > from))
      evidence.violate('source', 'failed for hours, and nothing was told');
  }
}
