import type { Evidence } from './evidence.ts';
import { FACTS } from './reading.ts';
import type { RecordStory } from './story.ts';

/** Whether a clocking was set, corrected or removed since a topic began to refuse, or was waiting then. */
export function hasClocking(evidence: Evidence, { feed, id }: RecordStory, since: number): boolean {
  const record = evidence.history.world.truth[feed].get(id);
  const clocks = FACTS[feed].filter(({ off }) => off.includes('clock')).map(({ field }) => field);
  const last = (record?.versions.length ?? 0) - 1;
  for (let version = Math.max(0, (record?.indexAt(since) ?? 0) - 3); version <= last; version += 1) {
    const [now, before] = [evidence.watched(feed, id, version), evidence.watched(feed, id, version - 1)];
    if (
      clocks.some((field) => JSON.stringify(now?.[field] ?? null) !== JSON.stringify(before?.[field] ?? null))
    )
      return true;
  }
  return false;
}
