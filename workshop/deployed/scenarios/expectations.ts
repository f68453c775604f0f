/** An event as far as the scenarios look into it. */
export interface Event {
  readonly id: string;
  readonly type: string;
  readonly connection: string;
  readonly source: string;
  /** Empty without a record. */
  readonly subject: string;
  readonly epoch?: string;
  readonly sequence: number;
}

export function parseEvent(text: string): Event {
  return { subject: '', ...(JSON.parse(text) as Omit<Event, 'subject'>) };
}

export function expectEqual(got: unknown, wanted: unknown, what: string): void {
  if (got !== wanted) throw new Error(`${what}: ${String(got)}, expected ${String(wanted)}`);
}

export async function expectFailure(work: Promise<unknown>): Promise<void> {
  const failed = await work.then(
    () => false,
    () => true,
  );
  if (!failed) throw new Error('it did not fail');
}

export function expectText(text: string, wanted: RegExp | string, what: string): void {
  const found = typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
  if (!found) throw new Error(`${what}: no ${String(wanted)} in ${text.slice(0, 1_500)}`);
}

/** The same texts, each as often as it is there once or more. */
export function expectSame(got: readonly string[], wanted: readonly string[], what: string): void {
  const [has, needs] = [new Set(got), new Set(wanted)];
  const lost = [...needs].filter((text) => !has.has(text));
  const more = [...has].filter((text) => !needs.has(text));
  if (lost.length === 0 && more.length === 0) return;
  const first = [...lost.slice(0, 1), ...more.slice(0, 1)].join(' and not ');
  throw new Error(`${what}: ${lost.length} missing, ${more.length} too many; ${first}`);
}

/** They count by feed, whatever their subject. */
const OF_WATCHING = /^workforce\.(?:baseline|feed|trouble)\./;

/**
 * The events of every record of each epoch begin with 1 and have no gap; a snapshot at 0 comes before, where a restored
 * table begins an epoch with a record that did not change.
 */
export function expectNoGaps(texts: readonly string[], what: string): void {
  const sequences = new Map<string, Set<number>>();
  for (const event of texts.map(parseEvent)) {
    if (OF_WATCHING.test(event.type) || event.subject === '' || event.sequence === 0) continue;
    const record = `${event.source} ${event.subject} ${event.epoch}`;
    sequences.set(record, (sequences.get(record) ?? new Set()).add(event.sequence));
  }
  for (const [record, seen] of sequences) {
    if (Math.max(...seen) !== seen.size) {
      throw new Error(`${what}: a gap in the events of ${record}: ${[...seen].join(', ')}`);
    }
  }
}
