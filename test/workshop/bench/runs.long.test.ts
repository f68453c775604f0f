import { expect, test } from 'vitest';
import type { HistoryEntry } from '#local/source/company/company.ts';
import { BUSY_FROM, MINUTE_MS, QUIET_UNTIL, THIRTY } from '#workshop/bench/company.ts';
import { runFlow } from '#workshop/bench/flow.ts';
import { BUSY, lessThan, matchDelays } from '#workshop/bench/runs.ts';

test('the real flow tells each clocking of each copy within two minutes, and counts what it needed', async () => {
  const size = { ...THIRTY, copies: 2 };
  const marks = [QUIET_UNTIL, QUIET_UNTIL, BUSY_FROM, BUSY_FROM + 20 * MINUTE_MS];
  const flow = await runFlow({ size, pageSize: 10, from: QUIET_UNTIL - 20 * MINUTE_MS, marks });
  const isClocking = ({ at, change }: HistoryEntry) => at >= QUIET_UNTIL && change === 'clock-in';
  const clockings = flow.company.history.filter(isClocking);
  const delays = matchDelays(flow, QUIET_UNTIL).filter(({ type }) => type === 'timesheet.clocked_in');
  expect(clockings.length).toBeGreaterThan(3);
  expect(delays).toHaveLength(2 * clockings.length);
  for (const { delayMs } of delays) expect(delayMs).toBeLessThan(2 * MINUTE_MS);
  expect(flow.handedOver[0]?.type).toBe('baseline.completed');

  const used = lessThan(flow, BUSY);
  // The list of pay periods and hot dates, each minute.
  expect(used('requests')).toBeGreaterThanOrEqual(2 * 20);
  expect(used('tableRequests')).toBeGreaterThan(2 * 20);
  expect(used('write')).toBeGreaterThan(used('events'));
  expect(used('pollMs')).toBeGreaterThan(20 * 300);
});
