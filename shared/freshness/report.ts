import { EVENT_TYPES, type EventType } from '../core/event-types.ts';
import type { Cause } from './causes.ts';
import { FRESHNESS_CLASSES, type FreshnessClass } from './classes.ts';
import { findPercentile, type MeasuredEvent } from './freshness.ts';

/** Seconds within which events of a class should be published, and accepted by webhooks. */
export type Objectives = Readonly<Partial<Record<FreshnessClass, number>>>;

/** How an event came to a place: to its publication, or to a receiver. */
export interface Arrival {
  readonly event: Pick<MeasuredEvent, 'type' | 'class'>;
  /** From its start to its arrival, or until now while it waits. */
  readonly seconds: number;
  /** `waiting`: not there yet. `lost`: given up. */
  readonly outcome: 'arrived' | 'waiting' | 'lost';
  /** The known cause, should it be late. */
  readonly findCause: () => Cause;
}

/** Freshness of some events. Seconds; null of events that never arrive. */
export interface Freshness {
  readonly events: number;
  /** Of them not there yet: they count with the seconds so far. */
  readonly waiting: number;
  /** Of them given up: they count as never. */
  readonly lost: number;
  readonly p50: number | null;
  readonly p99: number | null;
  readonly longest: number | null;
}

/** Freshness of the events of one type. */
interface TypeFreshness extends Freshness {
  readonly type: EventType;
  readonly class: FreshnessClass;
}

/** How events of a class kept their objective. */
export interface KeptObjective {
  readonly class: FreshnessClass;
  readonly seconds: number;
  readonly events: number;
  readonly kept: number;
  /** Why the others are late, the most frequent first. */
  readonly late: readonly { readonly cause: Cause; readonly events: number }[];
}

/** Freshness at one place. */
export interface PlaceFreshness {
  /** Of all types together; null when there were no events. */
  readonly all: Freshness | null;
  readonly types: readonly TypeFreshness[];
  /** One for each class that has an objective and events. */
  readonly objectives: readonly KeptObjective[];
}

/** Sums up what arrived at one place, by type in the order of the catalogue. */
export function summarizeArrivals(arrivals: readonly Arrival[], objectives: Objectives): PlaceFreshness {
  const byType = Map.groupBy(arrivals, ({ event }) => event.type);
  const byClass = Map.groupBy(arrivals, ({ event }) => event.class);
  return {
    all: summarize(arrivals),
    types: EVENT_TYPES.flatMap((type) => summarizeType(type, byType.get(type) ?? [])),
    objectives: FRESHNESS_CLASSES.flatMap((each) => judge(each, byClass.get(each) ?? [], objectives[each])),
  };
}

function summarizeType(type: EventType, arrivals: readonly Arrival[]): TypeFreshness[] {
  const [first] = arrivals;
  const summary = summarize(arrivals);
  return first === undefined || summary === null ? [] : [{ type, class: first.event.class, ...summary }];
}

function summarize(arrivals: readonly Arrival[]): Freshness | null {
  if (arrivals.length === 0) return null;
  const seconds = arrivals.map(secondsOf);
  const percentile = (share: number) => toFinite(findPercentile(seconds, share));
  const count = (wanted: Arrival['outcome']) => arrivals.filter(({ outcome }) => outcome === wanted).length;
  return {
    events: arrivals.length,
    waiting: count('waiting'),
    lost: count('lost'),
    p50: percentile(0.5),
    p99: percentile(0.99),
    longest: percentile(1),
  };
}

function judge(
  freshnessClass: FreshnessClass,
  arrivals: readonly Arrival[],
  seconds: number | undefined,
): KeptObjective[] {
  // What still has time is neither kept nor late.
  const decided = arrivals.filter(
    ({ outcome, ...each }) => outcome !== 'waiting' || each.seconds > (seconds ?? 0),
  );
  if (seconds === undefined || decided.length === 0) return [];
  const late = decided.filter((each) => secondsOf(each) > seconds);
  const causes = [...Map.groupBy(late, ({ findCause }) => findCause())].map(([cause, { length }]) => ({
    cause,
    events: length,
  }));
  return [
    {
      class: freshnessClass,
      seconds,
      events: decided.length,
      kept: decided.length - late.length,
      late: causes.sort((a, b) => b.events - a.events),
    },
  ];
}

function secondsOf({ seconds, outcome }: Arrival): number {
  return outcome === 'lost' ? Number.POSITIVE_INFINITY : seconds;
}

function toFinite(seconds: number | null): number | null {
  return seconds === null || !Number.isFinite(seconds) ? null : seconds;
}
