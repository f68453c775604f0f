import type { FreshnessClass } from '#shared/freshness/classes.ts';
import {
  computeSeconds,
  findFreshnessClass,
  isLastSeenBeforeRestore,
  type MeasuredEvent,
  measureEvent,
} from '#shared/freshness/freshness.ts';
import type { Clock } from '../system.ts';
import type { EventPublisher } from './ports.ts';

/** Keeps how fresh events were, of some classes. */
export interface FreshnessMeter {
  readonly classes: ReadonlySet<FreshnessClass>;
  /** Seconds from the start of events of a class to their publication. */
  add(freshnessClass: FreshnessClass, seconds: readonly number[]): void;
}

/** Type and time of an event come before its data, which may hold members of any name. */
const TYPE = /"type":"workforce\.([a-z_.]+)"/;
const TIME = /"time":"([^"]+)"/;

/**
 * What a poll published, as members of its line of the log: events by type, such as `published_timesheet_approved`, and
 * `lag_ms`, the longest time from when a change was first seen to when its event was published.
 */
type PublishedCounts = Readonly<Record<string, number>>;

/** What a poll published. */
export interface PublishedEvents {
  readonly counts: PublishedCounts;
  /** Gives the meter what was published, once. `restoredAt`: when the table was recognised as a restored one, if ever. */
  reportFreshness(restoredAt: number | undefined): void;
}

interface MeasuredPorts {
  readonly publisher: EventPublisher;
  readonly clock: Clock;
  readonly freshness?: FreshnessMeter;
}

/** A publisher that counts what it publishes. */
export function countPublished({
  publisher,
  clock,
  freshness,
}: MeasuredPorts): PublishedEvents & { readonly publisher: EventPublisher } {
  const counts: Record<string, number> = {};
  const measured: Measurement[] = [];
  const add = (text: string) => {
    const type = TYPE.exec(text)?.[1];
    const now = clock.now();
    const lagMs = now - Date.parse(TIME.exec(text)?.[1] ?? '');
    if (type === undefined) return;
    const member = `published_${type.replaceAll('.', '_')}`;
    counts[member] = (counts[member] ?? 0) + 1;
    if (lagMs >= 0) counts.lag_ms = Math.max(counts.lag_ms ?? 0, lagMs);
    const freshnessClass = findFreshnessClass(`workforce.${type}`);
    if (freshnessClass === null || freshness?.classes.has(freshnessClass) !== true) return;
    const event = measureEvent(text, {});
    if (typeof event !== 'string')
      measured.push({ class: event.class, observed: event.observed, seconds: computeSeconds(event, now) });
  };
  return {
    counts,
    reportFreshness: (restoredAt) => {
      const kept = measured.filter(({ observed }) => !isLastSeenBeforeRestore(observed, restoredAt));
      for (const [freshnessClass, events] of Map.groupBy(kept, (each) => each.class))
        freshness?.add(
          freshnessClass,
          events.map(({ seconds }) => seconds),
        );
    },
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

interface Measurement extends Pick<MeasuredEvent, 'class' | 'observed'> {
  readonly seconds: number;
}
