import { isAbsence } from './absence-events.ts';
import type { Evidence, Told } from './evidence.ts';
import { FACTS } from './reading.ts';
import type { RecordStory } from './story.ts';

/**
 * Whether a clocking of a record was ever set, corrected, removed or missing: its other events may wait behind one that
 * its topic refuses.
 */
export function hasClocking(evidence: Evidence, { feed, id }: RecordStory): boolean {
  if (feed === 'timesheets' && wasMissing(evidence, id)) return true;
  const record = evidence.history.world.truth[feed].get(id);
  const clocks = FACTS[feed].filter(({ off }) => off.includes('clock')).map(({ field }) => field);
  const last = (record?.versions.length ?? 0) - 1;
  for (let version = 0; version <= last; version += 1) {
    const [now, before] = [evidence.watched(feed, id, version), evidence.watched(feed, id, version - 1)];
    if (
      clocks.some((field) => JSON.stringify(now?.[field] ?? null) !== JSON.stringify(before?.[field] ?? null))
    )
      return true;
  }
  return false;
}

/** Whether an event about a missing clocking was committed, published or not. */
function wasMissing({ history }: Evidence, id: string): boolean {
  return history.journal.committed.some(({ text }) => {
    if (!text.includes('_missing')) return false;
    const { type, subject } = JSON.parse(text) as Pick<Told, 'type'> & { readonly subject?: string };
    return subject === id && isAbsence({ type });
  });
}
