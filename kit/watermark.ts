import {
  type CountedEvent,
  computeEventsDigest,
  PARTS,
} from '../shared/core/definitions/watermark-contents.ts';
import type { EventType } from '../shared/core/event-types.ts';
import type { WorkforceEvent } from './workforce-event.ts';

/** An event that was received: the members that a watermark counts by. */
export type ReceivedEvent = CountedEvent;

export interface WatermarkOptions {
  /** The types that the receiver gets; all of them when left out. */
  readonly types?: readonly EventType[];
}

export interface CheckedWatermark<Received extends ReceivedEvent> {
  /** `begins`: the watermark follows none, and counts nothing. */
  readonly outcome: 'complete' | 'incomplete' | 'begins';
  /** Ids of events that did not arrive, where the watermark lists ids. */
  readonly missing: readonly string[];
  /** Where it does not: types and first digits of ids of which something did not arrive. */
  readonly doubtful: readonly { readonly type: string; readonly digit: string }[];
  /** What it does not count: to be checked with the next watermark. */
  readonly later: readonly Received[];
}

/**
 * Whether everything that a watermark counts has arrived. `received`: what came of its feed since the watermark before,
 * in any order and however often, with what the check of that one left as `later`. A queue may bring a watermark before
 * the events that it counts: check again after some minutes before something counts as lost.
 */
export function checkWatermark<Received extends ReceivedEvent>(
  received: Iterable<Received>,
  { data: { events } }: WorkforceEvent<'workforce.feed.complete'>,
  { types }: WatermarkOptions = {},
): CheckedWatermark<Received> {
  const unique = new Map([...received].map((event) => [event.id, event]));
  if (events === null) return { outcome: 'begins', missing: [], doubtful: [], later: [...unique.values()] };
  const found = events.types
    .filter(({ eventType }) => types === undefined || types.some((each) => each === eventType))
    .map((tally) => findOfType(unique, tally));
  const counted = new Set(found.flatMap((each) => each.counted));
  const missing = found.flatMap((each) => each.missing);
  const doubtful = found.flatMap((each) => each.doubtful);
  const outcome = missing.length + doubtful.length === 0 ? 'complete' : 'incomplete';
  return { outcome, missing, doubtful, later: [...unique.values()].filter(({ id }) => !counted.has(id)) };
}

interface CountedType {
  readonly eventType: string;
  readonly ids?: readonly string[] | undefined;
  readonly parts?: readonly string[] | undefined;
}

interface FoundOfType extends Pick<CheckedWatermark<ReceivedEvent>, 'missing' | 'doubtful'> {
  /** Ids. */
  readonly counted: readonly string[];
}

function findOfType(
  received: ReadonlyMap<string, ReceivedEvent>,
  { eventType, ids, parts = [] }: CountedType,
): FoundOfType {
  if (ids !== undefined)
    return { counted: ids, missing: ids.filter((id) => !received.has(id)), doubtful: [] };
  const alike = [...received.values()].filter(({ type }) => type === eventType);
  const found = [...PARTS].map((digit, place) => {
    const ofPart = alike.filter(({ id }) => id.startsWith(digit));
    return { digit, counted: findCounted(ofPart, parts[place] ?? '') };
  });
  return {
    counted: found.flatMap(({ counted }) => counted ?? []).map(({ id }) => id),
    missing: [],
    doubtful: found.flatMap(({ digit, counted }) => (counted === null ? [{ type: eventType, digit }] : [])),
  };
}

/** The events of a digest: all of them, or all but the last that came; null when some are missing. */
function findCounted(alike: readonly ReceivedEvent[], digest: string): readonly ReceivedEvent[] | null {
  for (let count = alike.length; count >= 0; count -= 1) {
    const first = alike.slice(0, count);
    if (computeEventsDigest(first) === digest) return first;
  }
  return null;
}
