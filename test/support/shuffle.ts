export interface ShuffleOptions {
  /** The part of the events that come twice, from 0 to 1; 0.2 when left out. */
  readonly repeat?: number;
  /** How many places an event may be overtaken by: 0 keeps the order; 10 when left out. */
  readonly reorder?: number;
  /** The same seed gives the same order. */
  readonly seed: number;
}

/** Events as a queue may bring them: each at least once, some twice, and not in order. */
export function shuffle<Event>(
  events: readonly Event[],
  { repeat = 0.2, reorder = 10, seed }: ShuffleOptions,
): Event[] {
  const random = createRandom(seed);
  return events
    .flatMap((event, index) => {
      const copies = random() < repeat ? [event, event] : [event];
      return copies.map((copy) => ({ copy, at: index + random() * (reorder + 1) }));
    })
    .sort((left, right) => left.at - right.at)
    .map(({ copy }) => copy);
}

/** Numbers from 0 up to 1 (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = state;
    value = Math.imul(value ^ (value >>> 15), value | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}
