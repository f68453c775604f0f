import { open, stat } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import * as z from 'zod';
import { failureOf, type QueueReader } from '#local/aws/functions/queue-messages.ts';
import { repeat } from '#local/aws/functions/repeat.ts';
import { toOlderLog } from '#local/aws/functions/running-functions.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import type { ReceivedEvent } from '#shared/terminal/received.ts';
import type { SeenEvents } from './seen-events.ts';

const READ_INTERVAL_MS = 200;
const CHUNK_BYTES = 64 * 1024;
/** Identical failures in a row that are shown; further ones are only counted. */
const MAX_SHOWN_FAILURES = 5;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The parts of the log line of a delivery attempt that are shown. The log omits nulls. */
const attemptSchema = z.looseObject({
  outcome: z.literal('delivery.attempted'),
  webhook: z.string(),
  /** The `webhook-id` that the receiver sees. */
  eventId: z.string(),
  type: z.string(),
  attempt: z.int(),
  result: z.enum(['delivered', 'retry', 'give_up', 'disable']),
  /** HTTP status; null without an answer, then see `reason`. */
  status: z.int().nullable().default(null),
  reason: z.string().nullable().default(null),
  sentAgain: z.boolean(),
  example: z.boolean(),
  due_ms: z.number().nullable().default(null),
});
type Attempt = z.output<typeof attemptSchema>;

/** The log of the functions, and where in it this run begins. */
export interface LogPosition {
  readonly file: string;
  readonly from: number;
}

/** Shows the result of every delivery attempt to the user's own receiver, from the log of the functions. */
export function readAttempts(
  place: LogPosition,
  show: (received: ReceivedEvent) => Promise<void>,
  events: Pick<SeenEvents, 'describe'>,
): QueueReader {
  const reporter = createAttemptReporter(events);
  const newLines = createLineReader(place);
  const read = async () => {
    for (const line of await newLines()) {
      const attempt = parseAttempt(line);
      for (const message of attempt === null ? [] : reporter.report(attempt)) await show(message);
    }
  };
  const repetition = repeat(READ_INTERVAL_MS, read);
  return {
    failed: failureOf(repetition.ended),
    finish: async () => {
      repetition.stop();
      await repetition.ended;
      await read();
      for (const message of reporter.end()) await show(message);
    },
  };
}

/** Turns attempts into messages, and sums up identical failures. */
export interface AttemptReporter {
  report(attempt: Attempt): ReceivedEvent[];
  /** Messages about failures that were counted and not shown yet. */
  end(): ReceivedEvent[];
}

/** Identical failures of a webhook in a row. */
interface FailureStreak {
  readonly failure: string;
  readonly count: number;
}

export function createAttemptReporter({ describe }: Pick<SeenEvents, 'describe'>): AttemptReporter {
  const streaks = new Map<string, FailureStreak>();
  const summarizeStreak = (webhook: string): ReceivedEvent[] => {
    const { failure, count } = streaks.get(webhook) ?? { failure: '', count: 0 };
    streaks.delete(webhook);
    if (count <= MAX_SHOWN_FAILURES) return [];
    const more = count - MAX_SHOWN_FAILURES;
    // The first of them had its own message.
    return [buildSummary(webhook, `${failure} ${more} times more`, more - 1)];
  };
  return {
    report: (attempt) => {
      const { webhook, result } = attempt;
      if (result === 'delivered') return [...summarizeStreak(webhook), toReceived(attempt, describe)];
      const failure = describeAnswer(attempt);
      const before = streaks.get(webhook)?.failure === failure ? [] : summarizeStreak(webhook);
      const count = (streaks.get(webhook)?.count ?? 0) + 1;
      streaks.set(webhook, { failure, count });
      if (count <= MAX_SHOWN_FAILURES) return [...before, toReceived(attempt, describe)];
      return count === MAX_SHOWN_FAILURES + 1
        ? [buildSummary(webhook, `${failure} again; further ones are only counted`, 1)]
        : [];
    },
    end: () => [...streaks.keys()].flatMap(summarizeStreak),
  };
}

/** `refused`: the failures that only this line tells of. */
function buildSummary(webhook: string, did: string, refused: number): ReceivedEvent {
  return { kind: 'delivery', webhook, did, type: '', which: '', taken: 0, refused };
}

function toReceived(attempt: Attempt, describe: SeenEvents['describe']): ReceivedEvent {
  const { webhook, type, eventId, result, sentAgain, example } = attempt;
  const isTaken = result === 'delivered';
  const marks = [sentAgain ? 'sent again' : '', example ? 'example' : ''];
  const which = [describe(eventId), ...marks];
  return {
    kind: 'delivery',
    webhook,
    did: isTaken ? describeAnswer(attempt) : `${describeAnswer(attempt)}${describeNextStep(attempt)}:`,
    type: type.replace(/^workforce\./, ''),
    which: which.filter((part) => part !== '').join(', '),
    taken: isTaken ? 1 : 0,
    refused: isTaken ? 0 : 1,
  };
}

function describeAnswer({ result, status, reason }: Attempt): string {
  if (status === null) return `not answered (${reason ?? 'unknown'})`;
  return `${result === 'delivered' ? 'took' : 'refused'} (${status})`;
}

function describeNextStep({ result, attempt, due_ms }: Attempt): string {
  switch (result) {
    case 'delivered':
      return '';
    case 'retry':
      return `, next try in ${formatWait(due_ms ?? 0)}`;
    case 'give_up':
      return `, given up after ${attempt} attempts`;
    case 'disable':
      return ', webhook disabled';
  }
}

function formatWait(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.round(ms / SECOND_MS)} s`;
  return ms < HOUR_MS ? `${Math.round(ms / MINUTE_MS)} min` : `${Math.round(ms / HOUR_MS)} h`;
}

function parseAttempt(line: string): Attempt | null {
  // Functions may log other text, such as a crash.
  return attemptSchema.safeParse(parseJsonOrNull(line)).data ?? null;
}

/** Reads the new complete lines of a growing file at each call, also when it was rotated in between. */
function createLineReader({ file, from }: LogPosition): () => Promise<string[]> {
  const decoder = new StringDecoder('utf8');
  const buffer = Buffer.alloc(CHUNK_BYTES);
  let position = from;
  let rest = '';
  const readNew = async (path: string) => {
    const handle = await open(path);
    try {
      for (;;) {
        const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position);
        if (bytesRead === 0) break;
        position += bytesRead;
        rest += decoder.write(buffer.subarray(0, bytesRead));
      }
    } finally {
      await handle.close();
    }
  };
  return async () => {
    if ((await stat(file)).size < position) {
      await readNew(toOlderLog(file));
      position = 0;
    }
    await readNew(file);
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    return lines;
  };
}
