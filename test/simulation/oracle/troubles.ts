import { groupBy } from '#shared/core/group-by.ts';
import { type Evidence, isGood } from './evidence.ts';

/** So long an outage is heard of, whatever else happens. */
const LONG_MS = 3 * 3_600_000;

/** A trouble is told once when it begins and once when it ends; where nothing fails, none is told. */
export function judgeTroubles(evidence: Evidence): void {
  const { faults, settings, spells, journal, world } = evidence.history;
  const troubles = evidence.told.filter(({ type }) => type.startsWith('trouble.'));
  const lines = groupBy(
    troubles,
    ({ feed, subject, data, table }) => `${table} ${feed} ${data.kind} ${subject}`,
  );
  for (const [line, events] of lines) {
    for (const [place, { type }] of events.entries()) {
      const expected = place % 2 === 0 ? 'trouble.began' : 'trouble.ended';
      // A restored table tells anew what lasts.
      if (type !== expected && settings.renewal === null) evidence.violate(line, `${type} is told twice`);
    }
    const isOpen = events.at(-1)?.type === 'trouble.began';
    if (isOpen && settings.renewal === null) evidence.violate(line, 'is never said to have ended');
  }
  const isCalm = faults.isCalm && settings.renewal === null && world.massLosses === 0;
  for (const { data } of isCalm ? troubles : [])
    evidence.violate(`${data.kind}`, 'is told where nothing failed');
  for (const { from, to } of spells.outages) {
    const during = journal.polls.filter(
      ({ startedAt, endedAt, report }) =>
        startedAt > from && (endedAt ?? to) < to && report !== null && report.outcome !== 'skipped',
    );
    const isPolled = during.length >= 6 && to - from > LONG_MS && !during.some(isGood);
    const late = during.at(-1)?.startedAt ?? 0;
    const isSpread = late - (during[0]?.startedAt ?? 0) > LONG_MS / 2;
    if (isPolled && isSpread && !troubles.some(({ at }) => at > from))
      evidence.violate('source', 'failed for hours, and nothing was told');
  }
}
