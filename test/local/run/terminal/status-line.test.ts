import { expect, test } from 'vitest';
import { layOutStatus, type Status } from '#local/run/terminal/live-terminal.ts';

const ADDRESS = 'http://127.0.0.1:4600/#token=UUw9sQaUXGZ2g14NbyVwwkVw_buGogtj';
const STATUS: Status = {
  now: Date.parse('2026-11-20T08:42:10Z'),
  timeZone: 'UTC',
  polls: 1,
  events: 402,
  alerts: 12,
  delivered: 61,
  refused: 0,
  consoleAddress: ADDRESS,
};
const FACTS = '── Fri 20 Nov, 08:42 · 1 poll · 402 events · 12 alerts · 61 delivered';

test.each([
  [160, [`${FACTS} · ${ADDRESS}`]],
  [100, [FACTS, `   ${ADDRESS}`]],
  // Without its token, which would not fit.
  [60, [FACTS.replace(' · 61 delivered', ''), '   61 delivered · http://127.0.0.1:4600']],
])('is as few lines as hold it at %i columns', (columns, lines) => {
  expect(layOut(STATUS, columns)).toEqual(lines);
});

test('is in the time zone of the run, counts refusals, and has no console where there is none', () => {
  const status = { ...STATUS, timeZone: 'Pacific/Auckland', refused: 3, consoleAddress: null };
  expect(layOut(status, 100)).toEqual([
    '── Fri 20 Nov, 21:42 · 1 poll · 402 events · 12 alerts · 61 delivered · 3 refused',
  ]);
});

function layOut(status: Status, columns: number): string[] {
  return layOutStatus(status, { columns, colour: false }).map(({ text }) => text);
}
