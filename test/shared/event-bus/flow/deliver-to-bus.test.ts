import { beforeEach, describe, expect, test } from 'vitest';
import { buildSampleEvent } from '#cli/sample-events/sample-events.ts';
import type { BusEntry } from '#shared/event-bus/bus-entry.ts';
import { type BusAnswer, type BusPorts, deliverToBus } from '#shared/event-bus/flow/deliver-to-bus.ts';
import type { OutcomeLine, QueueMessage } from '#shared/flow/system.ts';

const DEADLINE = 60_000;
const REQUEST_MS = 40;
const TAKEN: BusAnswer = { outcome: 'taken' };
const BUSY: BusAnswer = { outcome: 'busy', reason: 'ThrottlingException' };
const AWAY: BusAnswer = { outcome: 'unavailable', reason: 'bus_missing' };
const REFUSED: BusAnswer = { outcome: 'refused', reason: 'too_large' };

let now: number;
let lines: OutcomeLine[];
let taken: string[];
let requests: string[][];
let dead: string[];
/** What the bus answers, by the id of the event; the last answer stays. */
let answers: Map<string, BusAnswer[]>;
let deadLettersWork: boolean;

beforeEach(() => {
  now = 0;
  lines = [];
  taken = [];
  requests = [];
  dead = [];
  answers = new Map();
  deadLettersWork = true;
});

test('events go on the bus in one request, and leave the queue', async () => {
  expect(await deliver('1', '2', '3')).toEqual([]);
  expect(requests).toEqual([['1', '2', '3']]);
  expect(lines).toEqual([
    {
      outcome: 'events.forwarded',
      result: 'complete',
      reason: null,
      messages: 3,
      taken: 3,
      refused: 0,
      left: 0,
      duration_ms: REQUEST_MS,
    },
  ]);
});

test('only what the bus did not take stays in the queue', async () => {
  answers = new Map([['2', [AWAY]]]);
  expect(await deliver('1', '2', '3')).toEqual(['m-2']);
  expect(taken).toEqual(['1', '3']);
  expect(lines).toMatchObject([{ result: 'incomplete', reason: 'bus_missing', taken: 2, left: 1 }]);
});

test('what the bus is too busy for is put again by itself, after longer and longer pauses', async () => {
  answers = new Map([['2', [BUSY, BUSY, TAKEN]]]);
  expect(await deliver('1', '2', '3')).toEqual([]);
  expect(requests).toEqual([['1', '2', '3'], ['2'], ['2']]);
  expect(now).toBe(3 * REQUEST_MS + 100 + 200);
});

test('a bus that stays busy is left to the queue after four requests', async () => {
  answers = new Map([['1', [BUSY]]]);
  expect(await deliver('1')).toEqual(['m-1']);
  expect(requests).toHaveLength(4);
  expect(lines).toMatchObject([{ result: 'incomplete', reason: 'ThrottlingException' }]);
});

describe('what the bus will never take', () => {
  test('is a dead letter, and those beside it are put', async () => {
    answers = new Map([['2', [REFUSED]]]);
    expect(await deliver('1', '2', '3')).toEqual([]);
    expect([taken, dead]).toEqual([['1', '3'], ['m-2']]);
    expect(lines).toMatchObject([
      { outcome: 'delivery.refused', messageId: 'm-2', eventId: '2', reason: 'too_large' },
      { outcome: 'events.forwarded', result: 'complete', refused: 1 },
    ]);
  });

  test('may be no event at all', async () => {
    const body = 'Blake Tan, 26.50';
    const failed = await deliverToBus(
      { messages: [{ id: 'm-0', body, attributes: {} }, message('1')], deadline: DEADLINE },
      ports(),
    );
    expect(failed).toEqual({ failed: [] });
    expect([taken, dead]).toEqual([['1'], ['m-0']]);
    expect(lines).toMatchObject([{ eventId: null, reason: 'message_invalid' }, { refused: 1 }]);
    expect(JSON.stringify(lines)).not.toContain('Blake');
  });

  test('stays in the queue when it cannot be given up', async () => {
    deadLettersWork = false;
    answers = new Map([['2', [REFUSED]]]);
    expect(await deliver('1', '2')).toEqual(['m-2']);
    expect(lines).toMatchObject([{ result: 'incomplete', refused: 0, left: 1 }]);
  });
});

test('nothing is put when the function would end before the answer', async () => {
  now = DEADLINE - 4_999;
  expect(await deliver('1', '2')).toEqual(['m-1', 'm-2']);
  expect(requests).toEqual([]);
  expect(lines).toMatchObject([{ reason: 'no_time' }]);
});

test('however a bus behaves, each event is taken, a dead letter, or still in the queue', async () => {
  const behaviours = [[TAKEN], [BUSY], [BUSY, TAKEN], [AWAY], [REFUSED], [BUSY, REFUSED], [BUSY, AWAY]];
  const ids = Array.from({ length: 40 }, (_, index) => String(index));
  answers = new Map(ids.map((id, index) => [id, [...(behaviours[index % behaviours.length] ?? [])]]));
  const failed = await deliver(...ids);
  expect([...taken, ...[...dead, ...failed].map((id) => id.slice(2))].sort()).toEqual(ids.sort());
});

async function deliver(...ids: readonly string[]): Promise<readonly string[]> {
  const { failed } = await deliverToBus({ messages: ids.map(message), deadline: DEADLINE }, ports());
  return failed;
}

function message(id: string): QueueMessage {
  const event = JSON.parse(buildSampleEvent('timesheet.approved'));
  return { id: `m-${id}`, body: JSON.stringify({ ...event, id }), attributes: {} };
}

function ports(): BusPorts {
  return {
    bus: { put: async (entries) => put(entries) },
    deadLetters: {
      giveUp: async ({ id }) => {
        if (!deadLettersWork) throw new Error('no queue');
        dead.push(id);
      },
    },
    clock: { now: () => now },
    sleep: async (milliseconds) => {
      now += milliseconds;
    },
    random: () => 0.5,
    telemetry: { report: (line) => void lines.push(line) },
  };
}

function put(entries: readonly BusEntry[]): BusAnswer[] {
  now += REQUEST_MS;
  requests.push(entries.map(({ eventId }) => eventId));
  return entries.map(({ eventId }) => {
    const planned = answers.get(eventId) ?? [TAKEN];
    const answer = (planned.length > 1 ? planned.shift() : planned[0]) ?? TAKEN;
    if (answer.outcome === 'taken') taken.push(eventId);
    return answer;
  });
}
