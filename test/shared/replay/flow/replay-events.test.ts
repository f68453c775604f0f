import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildSampleEvents } from '#cli/sample-events/sample-events.ts';
import { type Folded, fold } from '#kit/fold.ts';
import { parseEvent } from '#kit/parse-event.ts';
import { isRecordEvent } from '#kit/workforce-event.ts';
import {
  type ReplayReport,
  type ReplayRequestInput,
  readReplayRequest,
} from '#shared/config/requests/replay-request.ts';
import type { OutcomeLine } from '#shared/flow/system.ts';
import {
  type EventLog,
  type LoggedBatch,
  type ReplayPorts,
  replayEvents,
} from '#shared/replay/flow/replay-events.ts';

const START = Date.parse('2026-11-17T08:00:00.000Z');
const MINUTE_MS = 60_000;
/** The life of one timesheet, in the order of its sequence. */
const LIFE = [...buildSampleEvents().values()].filter(
  (text) => text.includes('"source":"/connections/main/timesheets"') && !/baseline|snapshot/.test(text),
);
const TEXTS = LIFE.map((text) => ({
  text,
  event: JSON.parse(text) as { subject?: string; sequence: number; type: string },
}))
  .filter(({ event }) => event.subject === '910001_4711')
  .sort((a, b) => a.event.sequence - b.event.sequence)
  .map(({ text }) => text);
const ALL: ReplayRequestInput = {
  connection: 'main',
  feeds: ['pay-periods', 'timesheets'],
  from: START,
  to: START + 60 * MINUTE_MS,
  target: { kind: 'topics' },
};

describe('a replay', () => {
  test('publishes what was committed again, byte for byte and in order', async () => {
    const { run, sent } = replayOf(batchesOf(TEXTS));
    const report = await run(ALL);
    expect(TEXTS.length).toBeGreaterThan(10);
    expect(sent).toEqual(TEXTS);
    expect(report).toMatchObject({ published: TEXTS.length, unpublished: 0, done: true });
  });

  test('done twice publishes the same bytes twice', async () => {
    const { run, sent } = replayOf(batchesOf(TEXTS));
    await run(ALL);
    await run(ALL);
    expect(sent).toEqual([...TEXTS, ...TEXTS]);
  });

  test('counts by type and publishes nothing when it is dry', async () => {
    const { run, sent } = replayOf(batchesOf(TEXTS));
    const report = await run({ ...ALL, dryRun: true });
    expect(sent).toEqual([]);
    expect(report.published).toBe(0);
    expect(Object.values(report.matched).reduce((sum, count) => sum + count, 0)).toBe(TEXTS.length);
    expect(report.matched['workforce.timesheet.created']).toBe(1);
  });

  test('takes only the types and the record that are wanted', async () => {
    const { run, sent } = replayOf(batchesOf(TEXTS));
    await run({ ...ALL, types: ['workforce.timesheet.approved'] });
    expect(sent.map(typeOf)).toEqual(sent.map(() => 'workforce.timesheet.approved'));
    expect(sent.length).toBeGreaterThan(0);
    const other = replayOf(batchesOf(TEXTS));
    expect(await other.run({ ...ALL, record: 'nobody' })).toMatchObject({
      published: 0,
      matched: {},
      done: true,
    });
  });

  test('takes its time: so many a second', async () => {
    const { run, clock } = replayOf(batchesOf(TEXTS));
    await run({ ...ALL, perSecond: 2 });
    expect(clock.now - START).toBe((TEXTS.length / 2) * 1_000);
  });

  test('stops when time is over, says where to go on, and loses nothing', async () => {
    const { run, sent } = replayOf(batchesOf(TEXTS));
    let after: ReplayReport['next'] = null;
    let invocations = 0;
    for (let done = false; !done; invocations += 1) {
      const report: ReplayReport = await run({ ...ALL, perSecond: 1, after }, 2_500);
      ({ done, next: after } = report);
    }
    // The last one only finds that nothing is left.
    expect(invocations).toBe(Math.floor(TEXTS.length / 3) + 1);
    expect(sent).toEqual(TEXTS);
  });

  test('stops in the midst of a batch too, and goes on behind what went out of it', async () => {
    const { run, sent } = replayOf(batchesOf(TEXTS, 7));
    const positions: (number | null)[] = [];
    let after: ReplayReport['next'] = null;
    for (let done = false; !done; ) {
      const report: ReplayReport = await run({ ...ALL, perSecond: 1, after }, 4_500);
      ({ done, next: after } = report);
      positions.push(report.next?.events ?? null);
    }
    expect(positions.slice(0, 2)).toEqual([5, 3]);
    expect(sent).toEqual(TEXTS);
  });

  test('counts the same, however often it had to stop', async () => {
    const whole = await replayOf(batchesOf(TEXTS, 7)).run({ ...ALL, dryRun: true });
    const { run } = replayOf(batchesOf(TEXTS, 7));
    const matched: Record<string, number> = {};
    let after: ReplayReport['next'] = null;
    for (let done = false; !done; ) {
      const report: ReplayReport = await run({ ...ALL, perSecond: 1, after }, 2_500);
      ({ done, next: after } = report);
      for (const [type, count] of Object.entries(report.matched)) {
        matched[type] = (matched[type] ?? 0) + count;
      }
    }
    expect(matched).toEqual(whole.matched);
  });

  test('stops at an event that is not taken, and goes on with the batch it was in', async () => {
    const { run, sent, refuse } = replayOf(batchesOf(TEXTS, 3));
    refuse.add(4);
    const report = await run(ALL);
    expect(report).toMatchObject({ done: false, unpublished: 2, published: 4 });
    refuse.clear();
    expect(await run({ ...ALL, after: report.next })).toMatchObject({ done: true, unpublished: 0 });
    expect(sent).toEqual([...TEXTS.slice(0, 4), ...TEXTS.slice(3)]);
  });

  test('reports one line, without contents', async () => {
    const { run, lines } = replayOf(batchesOf(TEXTS));
    await run({ ...ALL, types: ['workforce.timesheet.created'] });
    expect(lines).toEqual([
      {
        outcome: 'replay.ended',
        connection: 'main',
        target: 'topics',
        dryRun: false,
        matched: 1,
        published: 1,
        unpublished: 0,
        done: true,
      },
    ]);
  });
});

test('whenever a replay dies and is gone on with, everything goes out, in order but for repetitions', async () => {
  const cases = [1, 5].flatMap((size) => Array.from({ length: TEXTS.length * 2 }, (_, at) => [size, at + 1]));
  for (const [size, call = 0] of cases) {
    const { run, sent, dieAt } = replayOf(batchesOf(TEXTS, size));
    dieAt.call = call;
    let after: ReplayReport['next'] = null;
    for (let done = false; !done; ) {
      const report: ReplayReport | null = await run({ ...ALL, perSecond: 1, after }, 2_500).catch(() => null);
      // Who died said nothing: it is asked again for what it was asked for.
      if (report !== null) ({ done, next: after } = report);
    }
    expect([...new Set(sent)]).toEqual(TEXTS);
  }
});

test('amid live events, who folds by sequence ends where he was', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray([...TEXTS, ...TEXTS], { minLength: TEXTS.length * 2 }), (mixed) => {
      const settled = stateAfter(TEXTS);
      expect(stateAfter([...TEXTS, ...mixed])).toEqual(settled);
      expect(stateAfter(mixed)).toEqual(settled);
    }),
    { seed: 17, numRuns: 100 },
  );
});

function stateAfter(texts: readonly string[]): unknown {
  let state: Folded | null = null;
  for (const text of texts) {
    const parsed = parseEvent(text);
    if (parsed.outcome === 'event' && isRecordEvent(parsed.event)) state = fold(state, parsed.event).state;
  }
  expect(state?.sequence).toBe(TEXTS.length);
  return state;
}

/** Batches of so many texts, a minute apart. */
function batchesOf(texts: readonly string[], size = 1): LoggedBatch[] {
  return Array.from({ length: Math.ceil(texts.length / size) }, (_, index) => {
    const committedAt = START + index * MINUTE_MS;
    return {
      pointer: `${new Date(committedAt).toISOString()}/2026-11-16/00000000${index}/1`,
      committedAt,
      texts: texts.slice(index * size, (index + 1) * size),
    };
  });
}

/** A replay of a log of timesheets, in virtual time. */
function replayOf(batches: readonly LoggedBatch[]) {
  const clock = { now: START };
  const sent: string[] = [];
  const lines: OutcomeLine[] = [];
  /** Positions among all texts handed over that are refused, with what is behind them. */
  const refuse = new Set<number>();
  const dieAt = { call: 0 };
  let calls = 0;
  const mortal = () => {
    calls += 1;
    if (calls === dieAt.call) throw new Error('died');
  };
  const log: EventLog = {
    async *read({ feed }, { from, to }) {
      if (feed !== 'timesheets') return;
      yield* batches.filter(({ committedAt }) => committedAt >= from && committedAt < to);
    },
  };
  const ports: ReplayPorts = {
    log,
    publisher: {
      publish: async (texts) => {
        mortal();
        const first = texts.findIndex((_, index) => refuse.has(sent.length + index));
        const taken = first === -1 ? texts : texts.slice(0, first);
        sent.push(...taken);
        const unpublished = texts.map((_, position) => position).slice(taken.length);
        return { published: taken.length, unpublished, requests: 1 };
      },
    },
    clock: { now: () => clock.now },
    sleep: async (milliseconds) => {
      mortal();
      clock.now += milliseconds;
    },
    telemetry: { report: (line) => void lines.push(line) },
  };
  const run = (request: ReplayRequestInput, timeMs = Number.POSITIVE_INFINITY) =>
    replayEvents({ request: readReplayRequest(request), deadline: clock.now + timeMs }, ports);
  return { run, sent, lines, clock, refuse, dieAt };
}

function typeOf(text: string): string {
  return (JSON.parse(text) as { type: string }).type;
}
