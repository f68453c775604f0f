import * as z from 'zod';
import { findErrorCode } from '../../shared/core/errors.ts';
import { parseJsonOrNull } from '../../shared/core/parse-json.ts';
import { USER_AGENT } from '../../shared/core/user-agent.ts';

/** A receiver may process events after it answered: the probe is read for up to 5 s. */
const MAX_ATTEMPTS = 25;
const RETRY_INTERVAL_MS = 200;

const statesSchema = z.record(z.string(), z.int());

/** The last applied sequence of a record; null when the receiver does not have it. */
export type ProbedState =
  | { readonly outcome: 'known'; readonly sequence: number | null }
  | { readonly outcome: 'unreadable'; readonly reason: string };

export interface ProbeOptions {
  readonly url: string;
  readonly timeoutMs: number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** An address where the receiver reports its state. */
export interface Probe {
  /** Why nothing answers at the address; null when anything does. */
  findFailure(): Promise<string | null>;
  /** Reads the state of a record until it is as expected, for 5 s at most. */
  readHeld(record: string, expected: number): Promise<ProbedState>;
}

type ProbeAnswer =
  | { readonly outcome: 'answered'; readonly status: number; readonly text: string }
  | { readonly outcome: 'unanswered'; readonly reason: string };

/** The address must answer with a JSON object: the last applied sequence by record id. */
export function createProbe({ url, timeoutMs, sleep }: ProbeOptions): Probe {
  const request = async (): Promise<ProbeAnswer> => {
    try {
      const headers = { 'user-agent': USER_AGENT };
      const response = await fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) });
      return { outcome: 'answered', status: response.status, text: await response.text() };
    } catch (error) {
      return { outcome: 'unanswered', reason: `nothing answers at ${url} (${findErrorCode(error)})` };
    }
  };
  return {
    findFailure: async () => {
      const answer = await request();
      return answer.outcome === 'unanswered' ? answer.reason : null;
    },
    readHeld: async (record, expected) => {
      for (let attempts = 1; ; attempts += 1) {
        const held = toProbedState(await request(), record);
        if (held.outcome === 'unreadable' || held.sequence === expected || attempts >= MAX_ATTEMPTS)
          return held;
        await sleep(RETRY_INTERVAL_MS);
      }
    },
  };
}

function toProbedState(answer: ProbeAnswer, record: string): ProbedState {
  if (answer.outcome === 'unanswered') return { outcome: 'unreadable', reason: answer.reason };
  const { status, text } = answer;
  if (status < 200 || status > 299) return { outcome: 'unreadable', reason: `the probe answered ${status}` };
  const states = statesSchema.safeParse(parseJsonOrNull(text));
  return states.success
    ? { outcome: 'known', sequence: states.data[record] ?? null }
    : { outcome: 'unreadable', reason: 'the probe did not answer with an object of numbers' };
}
