import { expect, test } from 'vitest';
import type { RunTotals } from '#local/run/output/stats.ts';
import { layOutClosing } from '#local/run/terminal/closing.ts';

const TOTALS: RunTotals = {
  types: [
    ['pay_period.closed', 3],
    ['timesheet.approved', 1016],
  ],
  events: 1019,
  polls: 33,
  requests: 154,
  seconds: 34.12,
  messages: [['slack #payroll', 11]],
  completions: 0,
  deliveries: [['payroll-system', { taken: 20, refused: 0 }]],
  lastRecord: '101414_1',
};
const NOTHING: RunTotals = {
  ...TOTALS,
  types: [],
  events: 0,
  messages: [],
  deliveries: [],
  lastRecord: null,
};

test('says what was published, who was told, and what to try next', () => {
  expect(layOut(TOTALS, 60)).toEqual([
    '',
    'published           events',
    'pay_period.closed        3',
    'timesheet.approved    1016',
    '',
    'people          messages',
    'slack #payroll        11',
    '',
    'systems         taken  refused',
    'payroll-system     20        0',
    '',
    '1,019 events, 33 polls, 154 requests, 34.1 s',
    '',
    'to see what happened to one record, and who was told:',
    'npm run notifier -- events 101414_1 --data .data',
    '',
  ]);
});

test('leaves tables without rows out', () => {
  expect(layOut(NOTHING, 80)).toEqual([
    '',
    '0 events, 33 polls, 154 requests, 34.1 s',
    '',
    'to see whether anything is wrong:',
    'npm run notifier -- doctor --data .data',
    '',
  ]);
});

test.each([
  ['refused deliveries', { ...TOTALS, deliveries: [['a', { taken: 0, refused: 1 }]] as const }, 'deliveries'],
  ['events of no record', { ...TOTALS, lastRecord: null }, 'events'],
  ['a record', TOTALS, 'events 101414_1'],
])('after %s it names the command for them', (_, totals, command) => {
  expect(layOut(totals, 80).at(-2)).toBe(`npm run notifier -- ${command} --data .data`);
});

test('names of a source and of receivers stay words of the command and of the table', () => {
  const totals = { ...TOTALS, lastRecord: "1'; rm\u001b[2J", messages: [['slack #a\u001b[2J', 1]] as const };
  const lines = layOut(totals, 30);
  expect(lines.filter((line) => /\p{C}/u.test(line) || line.length > 30)).toEqual([]);
  expect(lines.slice(lines.indexOf('npm run notifier -- events')).join(' ')).toContain(
    "'1'\\''; rm\\u001b[2J'",
  );
});

function layOut(totals: RunTotals, columns: number): string[] {
  return layOutClosing(totals, '.data', { columns, colour: false, messageRows: 3 }).map(({ text }) => text);
}
