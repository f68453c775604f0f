interface Event {
  readonly type: string;
  readonly source: string;
  readonly subject?: string;
  readonly epoch?: string;
  readonly sequence: number;
}

/** They count by feed, whatever their subject. */
const OF_WATCHING = /^workforce\.(?:baseline|feed|trouble)\./;

/**
 * Records of which an event is missing, with the sequences that are there: those of an epoch begin with 1 and have no
 * gap. `texts`: events as they were published, in any order, each once or more.
 */
export function findGaps(texts: readonly string[]): readonly string[] {
  const events = texts.map((text) => JSON.parse(text) as Event);
  const ofRecords = events.filter(({ type, subject }) => subject !== undefined && !OF_WATCHING.test(type));
  return [...Map.groupBy(ofRecords, ({ source, subject, epoch }) => `${source} ${subject} ${epoch}`)].flatMap(
    ([record, all]) => {
      const sequences = new Set(all.map(({ sequence }) => sequence));
      // A snapshot at 0 is no change.
      sequences.delete(0);
      const isWhole = sequences.size === 0 || Math.max(...sequences) === sequences.size;
      return isWhole ? [] : [`${record}: ${[...sequences].join(', ')}`];
    },
  );
}
