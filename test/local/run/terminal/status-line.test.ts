import { expect, test } from 'vitest';
import { layOutStatus, type Status } from '#local/run/terminal/status.ts';

const STATUS: Status = {
  now: Date.parse('2026-11-20T08:42:10Z'),
  timeZone: 'UTC',
  events: 402,
  completions: 0,
  messages: 12,
  delivered: 61,
  refused: 0,
  hasKey: true,
};
const FACTS = '── Fri 20 Nov, 08:42 · 402 events · 12 messages · 61 delivered';

test.each([
  [80, [`${FACTS} · Enter: console`]],
  [60, [FACTS.replace(' · 61 delivered', ''), '   61 delivered · Enter: console']],
])('is as few lines as hold it at %i columns', (columns, lines) => {
  expect(layOut(STATUS, columns)).toEqual(lines);
});

test('is in the time zone of the run, counts refusals and completions, and names no key where nobody types', () => {
  const status = { ...STATUS, timeZone: 'Pacific/Auckland', refused: 3, completions: 2, hasKey: false };
  expect(layOut(status, 100)).toEqual([
    '── Fri 20 Nov, 21:42 · 402 events · 2 feed.complete · 12 messages · 61 delivered · 3 refused',
  ]);
});

function layOut(status: Status, columns: number): string[] {
  return layOutStatus(status, { columns, colour: false, messageRows: 3 }).map(({ text }) => text);
}
