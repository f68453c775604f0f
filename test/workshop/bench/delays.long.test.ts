import { beforeAll, describe, expect, test } from 'vitest';
import { BEGINS, BUSY_FROM, QUIET_UNTIL, recordCompany, THIRTY } from '#workshop/bench/company.ts';
import { countUncaused, lessThan, listAcceptances, matchDelays } from '#workshop/bench/delays.ts';
import { runFlow, type SizeRun } from '#workshop/bench/flow.ts';

const MINUTE_MS = 60_000;
const QUIET_FROM = QUIET_UNTIL - THIRTY.quietMs;

describe('a webhook accepts', () => {
  test.each<[string, readonly number[], readonly number[]]>([
    ['an event after its queue and one invocation', [0], [600]],
    ['what arrives together in one invocation', [0, 0], [600, 600]],
    ['ten at once, and twenty by two invocations', Array(20).fill(0), Array(20).fill(600)],
    ['more when an invocation has ended', Array(21).fill(0), [...Array(20).fill(600), 1_100]],
  ])('%s', (_what, handedOver, accepted) => {
    expect(listAcceptances(handedOver)).toEqual(accepted);
  });
});

describe('the real flow on the company', () => {
  let run: SizeRun;

  beforeAll(async () => {
    const until = BUSY_FROM + 30 * MINUTE_MS;
    const recording = recordCompany({ people: THIRTY.people, until });
    const size = { ...THIRTY, copies: 2 };
    const flow = await runFlow({
      recording,
      ...size,
      pageSize: 10,
      from: BEGINS,
      marks: [QUIET_FROM, BUSY_FROM, until],
    });
    run = { ...flow, size, pageSize: 10, recording, from: BEGINS };
  }, 60_000);

  test('tells each clocking of each copy, within two minutes', () => {
    const clockings = run.recording.changes.filter(
      ({ at, change }) => at >= QUIET_FROM && change === 'clock-in',
    );
    const delays = matchDelays(run, QUIET_FROM).filter(({ type }) => type === 'timesheet.clocked_in');
    expect(clockings.length).toBeGreaterThan(3);
    expect(delays).toHaveLength(2 * clockings.length);
    for (const { delayMs } of delays) expect(delayMs).toBeLessThan(2 * MINUTE_MS);
  });

  test('tells nothing of what was there before', () => {
    expect(countUncaused(run, run.first?.events ?? 0)).toBe(0);
    expect(run.first?.hotAgeMs).toBeLessThan(MINUTE_MS);
  });

  test('counts what it needed from a mark to the next', () => {
    const used = lessThan(run, 0);
    // The list of pay periods and hot dates, each minute.
    expect(used('requests')).toBeGreaterThanOrEqual(2 * 30);
    expect(used('tableRequests')).toBeGreaterThan(2 * 30);
    expect(used('write')).toBeGreaterThan(used('events'));
    expect(used('pollMs')).toBeGreaterThan(30 * 300);
  });
});
