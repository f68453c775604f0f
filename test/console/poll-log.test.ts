import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findReceipt, openPollLog, readOutcome } from '#console/server/poll-log.ts';

const LINE = {
  outcome: 'poll.completed',
  timestamp: '2026-11-20T15:18:07.800Z',
  connection: 'main',
  feed: 'timesheets',
  result: 'complete',
  slices: 19,
  records: 357,
  changes: 1,
  requests: 3,
  throttled: 0,
  lag_ms: 29_400,
  duration_ms: 89_400,
};
const RECEIPT = {
  at: '2026-11-20T15:18:07.800Z',
  feed: 'timesheets',
  result: 'complete',
  slices: 19,
  records: 357,
  changes: 1,
  requests: 3,
  throttled: 0,
  lagMs: 29_400,
  durationMs: 89_400,
};

test('the end of the log of the functions has the outcomes of the latest polls', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'poll-log-'));
  const file = join(folder, 'functions.log');
  const other = JSON.stringify({ outcome: 'alerts.released' });
  writeFileSync(
    file,
    `${'x'.repeat(1_000_000)}\n${other}\nnot json "poll.completed"\n${JSON.stringify(LINE)}\n`,
  );
  expect(await openPollLog(file).read()).toEqual([{ ...RECEIPT, connection: 'main' }]);
  expect(await openPollLog(join(folder, 'none')).read()).toEqual([]);
  rmSync(folder, { recursive: true });
});

test('the receipt of a change is the poll that was running when it was seen', () => {
  const outcomes = [60_000, 120_000, 180_000].map((later) => ({
    ...RECEIPT,
    connection: 'main',
    durationMs: 30_000,
    at: new Date(Date.parse(LINE.timestamp) + later).toISOString(),
  }));
  const seen = { connection: 'main', feed: 'timesheets', by: Date.parse(LINE.timestamp) + 110_000 };
  expect(findReceipt(outcomes, seen)?.at).toBe(outcomes[1]?.at);
  expect(findReceipt(outcomes, { ...seen, feed: 'pay-periods' })).toBeNull();
  // Before the log that is at hand.
  expect(findReceipt(outcomes, { ...seen, by: seen.by - 100_000 })).toBeNull();
});

test('a line of another version still counts', () => {
  const { lag_ms: _, requests: __, ...rest } = LINE;
  expect(readOutcome(JSON.stringify({ ...rest, added: true }))).toMatchObject({ requests: 0, lagMs: null });
});
