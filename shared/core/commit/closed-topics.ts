import type { EventAddress } from '../snapshot/held-events.ts';

/** A topic that fails this many records in one call, and accepts none, is not tried again in this poll. */
const RECORDS_TO_CLOSE_A_TOPIC = 3;

/**
 * The topics that accepted nothing of several records. `sent`: the events of one call, those of a record in order.
 * `held`: positions of those that did not go out.
 */
export function findClosedTopics(sent: readonly EventAddress[], held: ReadonlySet<number>): string[] {
  const tried = Map.groupBy(listTried(sent, held), ([, { topic }]) => topic);
  return [...tried].flatMap(([topic, events]) => {
    const marks = new Set(events.map(([, { mark }]) => mark));
    const isClosed = marks.size >= RECORDS_TO_CLOSE_A_TOPIC && events.every(([index]) => held.has(index));
    return isClosed ? [topic] : [];
  });
}

/** Events behind a held one of their record say nothing of their topic: the held one may have another. */
function listTried(sent: readonly EventAddress[], held: ReadonlySet<number>): [number, EventAddress][] {
  const behind = new Set<string>();
  return [...sent.entries()].filter(([index, { mark }]) => {
    if (behind.has(mark)) return false;
    if (held.has(index)) behind.add(mark);
    return true;
  });
}
