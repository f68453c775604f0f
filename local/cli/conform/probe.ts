import * as z from 'zod';

/** Looks at what a receiver holds: it may work on events after it answered. */
const MOST_LOOKS = 25;
const BETWEEN_LOOKS_MS = 200;

const statesSchema = z.record(z.string(), z.int());

/** What the receiver says it holds of a record. */
export type Held =
  | { readonly outcome: 'told'; readonly sequence: number | null }
  | { readonly outcome: 'untold'; readonly reason: string };

export interface ProbeOptions {
  readonly url: string;
  readonly timeoutMs: number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** Asks the receiver what it holds of a record, until it is what is expected or does not become it. */
export type Probe = (record: string, expected: number) => Promise<Held>;

/** The address answers a JSON object: the last sequence that was applied, by the id of the record. */
export function createProbe({ url, timeoutMs, sleep }: ProbeOptions): Probe {
  const look = async (record: string): Promise<Held> => {
    let answer: unknown;
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
      if (!response.ok) return { outcome: 'untold', reason: `the probe answered ${response.status}` };
      answer = await response.json();
    } catch (error) {
      // Whatever it is, the receiver tells nothing of its state.
      return {
        outcome: 'untold',
        reason: `the probe failed (${error instanceof Error ? error.name : 'unknown'})`,
      };
    }
    const states = statesSchema.safeParse(answer);
    return states.success
      ? { outcome: 'told', sequence: states.data[record] ?? null }
      : { outcome: 'untold', reason: 'the probe answered no object of numbers' };
  };
  return async (record, expected) => {
    for (let looks = 1; ; looks += 1) {
      const held = await look(record);
      if (held.outcome === 'untold' || held.sequence === expected || looks >= MOST_LOOKS) return held;
      await sleep(BETWEEN_LOOKS_MS);
    }
  };
}
