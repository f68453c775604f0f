import type { Clock } from '../../system.ts';
import type { EventPublisher } from '../ports.ts';

/** Type and time of an event come before its data, which may hold members of any name. */
const TYPE = /"type":"workforce\.([a-z_.]+)"/;
const TIME = /"time":"([^"]+)"/;

/**
 * What a poll published, as members of its line of the log: events by type, such as `published_timesheet_approved`, and
 * `lag_ms`, the longest time from when a change was first seen to when its event was published.
 */
export type PublishedCounts = Readonly<Record<string, number>>;

/** A publisher that counts what it publishes. */
export function countPublished(
  publisher: EventPublisher,
  clock: Clock,
): { readonly publisher: EventPublisher; readonly counts: PublishedCounts } {
  const counts: Record<string, number> = {};
  const add = (text: string) => {
    const type = TYPE.exec(text)?.[1];
    const lagMs = clock.now() - Date.parse(TIME.exec(text)?.[1] ?? '');
    if (type === undefined) return;
    const member = `published_${type.replaceAll('.', '_')}`;
    counts[member] = (counts[member] ?? 0) + 1;
    if (lagMs >= 0) counts.lag_ms = Math.max(counts.lag_ms ?? 0, lagMs);
  };
  return {
    counts,
    publisher: {
      async publish(texts) {
        const result = await publisher.publish(texts);
        const unpublished = new Set(result.unpublished);
        for (const [position, text] of texts.entries()) if (!unpublished.has(position)) add(text);
        return result;
      },
    },
  };
}
