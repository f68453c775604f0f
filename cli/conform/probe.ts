import * as z from 'zod';
import { findFailureCode } from './sender.ts';

/** Looks at what a receiver holds: it may work on events after it answered. */
const MAX_ATTEMPTS = 25;
const RETRY_INTERVAL_MS = 200;

const statesSchema = z.record(z.string(), z.int());

/** What the receiver says it holds of a record. */
export type ProbedState =
  | { readonly outcome: 'told'; readonly sequence: number | null }
  | { readonly outcome: 'untold'; readonly reason: string };

export interface ProbeOptions {
  readonly url: string;
  readonly timeoutMs: number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** An address of the receiver that tells what it holds. */
export interface Probe {
  /** Why nobody answers there, with the address; null when somebody does, whatever the answer. */
  absence(): Promise<string | null>;
  /** Asks what is held of a record, until it is what is expected or does not become it. */
  held(record: string, expected: number): Promise<ProbedState>;
}

type ProbeAnswer =
  | { readonly outcome: 'answered'; readonly status: number; readonly text: string }
  | { readonly outcome: 'unanswered'; readonly reason: string };

/** The address answers a JSON object: the last sequence that was applied, by the id of the record. */
export function createProbe({ url, timeoutMs, sleep }: ProbeOptions): Probe {
  const ask = async (): Promise<ProbeAnswer> => {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
      return { outcome: 'answered', status: response.status, text: await response.text() };
    } catch (error) {
      // Whatever it is, the receiver tells nothing of its state.
      return { outcome: 'unanswered', reason: `nothing answers at ${url} (${findFailureCode(error)})` };
    }
  };
  return {
    absence: async () => {
      const asked = await ask();
      return asked.outcome === 'unanswered' ? asked.reason : null;
    },
    held: async (record, expected) => {
      for (let looks = 1; ; looks += 1) {
        const held = toProbedState(await ask(), record);
        if (held.outcome === 'untold' || held.sequence === expected || looks >= MAX_ATTEMPTS) return held;
        await sleep(RETRY_INTERVAL_MS);
      }
    },
  };
}

function toProbedState(asked: ProbeAnswer, record: string): ProbedState {
  if (asked.outcome === 'unanswered') return { outcome: 'untold', reason: asked.reason };
  const { status, text } = asked;
  if (status < 200 || status > 299) return { outcome: 'untold', reason: `the probe answered ${status}` };
  const states = statesSchema.safeParse(parseJson(text));
  return states.success
    ? { outcome: 'told', sequence: states.data[record] ?? null }
    : { outcome: 'untold', reason: 'the probe answered no object of numbers' };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What is no JSON is no object of numbers.
    return null;
  }
}
