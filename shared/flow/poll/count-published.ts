import { computeDetectionDelay } from '#shared/core/outcome/detection-delay.ts';
import type { Clock } from '../system.ts';
import type { EventPublisher } from './ports.ts';

/** What a poll published. */
export interface PublishedEvents {
  /**
   * Members of its line of the log: events by type, such as `published_timesheet_approved`, and `lag_ms`, the longest
   * time from when a change was first seen to when its event was published.
   */
  readonly counts: Readonly<Record<string, number>>;
  /** Seconds from each change to its publication, where that is known. */
  readonly delays: readonly number[];
}

interface PublishedEvent {
  readonly type: string;
  readonly time: string;
  readonly data: Parameters<typeof computeDetectionDelay>[0];
}

/** A publisher that counts what it publishes. */
export function countPublished({
  publisher,
  clock,
}: {
  readonly publisher: EventPublisher;
  readonly clock: Clock;
}): PublishedEvents & { readonly publisher: EventPublisher } {
  const counts: Record<string, number> = {};
  const delays: number[] = [];
  const add = (text: string) => {
    // Checked against its schema before it was committed.
    const { type, time, data } = JSON.parse(text) as PublishedEvent;
    const now = clock.now();
    const member = type.replace('workforce.', 'published_').replaceAll('.', '_');
    counts[member] = (counts[member] ?? 0) + 1;
    counts.lag_ms = Math.max(counts.lag_ms ?? 0, now - Date.parse(time));
    const delay = computeDetectionDelay(data, now);
    if (delay !== null) delays.push(delay);
  };
  return {
    counts,
    delays,
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
