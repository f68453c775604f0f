import { expect, test } from 'vitest';
import { toText } from '#shared/people/message.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { formatEventLine, parseEventType, readEventLine } from '#shared/terminal/event-line.ts';
import { buildEvent, NAMES } from '#test/local/run/output/entries.ts';
import { exampleEvent } from '#test/support/example-event.ts';

const READER = { timeZone: 'UTC', names: NAMES };
const beginning = (event: object) =>
  toText(readEventLine(JSON.stringify(event), READER)?.words ?? []).split(':')[0];

test.each([
  ['2026-11-20', 'Ana Lee'],
  ['2026-11-19', 'Ana Lee, Thu'],
  ['2026-11-14', 'Ana Lee, Sat'],
  ['2026-11-13', 'Ana Lee, Fri 13 Nov'],
  ['2026-11-21', 'Ana Lee, Sat 21 Nov'],
])('a line about a timesheet of %s, read on 2026-11-20, begins %j', (date, name) => {
  expect(beginning(buildEvent({ id: '1_1', employee: '1019_1', date }))).toBe(name);
});

test('somebody without a name is the id of an employee', () => {
  expect(beginning(buildEvent({ id: '1_1', employee: '7_1' }))).toBe('Employee 7_1');
});

test('what has a heading in a message is told by it, without the lines below', () => {
  const closed = exampleEvent('workforce.pay_period.closed');
  const words = readEventLine(JSON.stringify(closed), READER)?.words ?? [];
  expect(words).toEqual([{ bold: expect.stringContaining('Weekly 9-15 Nov') }]);
});

test('an event of a later version is told by its type', () => {
  const event = { type: 'workforce.timesheet.sang', time: '2026-11-20T08:00:00Z', subject: '1_1' };
  expect(readEventLine(JSON.stringify(event), READER)).toMatchObject({
    words: ['timesheet.sang'],
    record: '1_1',
  });
});

test('a line of a list has the moment, the words, the type and the record', () => {
  const text = JSON.stringify(buildEvent({ id: '1_1', employee: '1019_1' }));
  expect(formatEventLine(text, READER)).toMatch(
    /^2026-11-20 08:30:00 {2}Ana Lee: .+ {2}timesheet\.approved {2}1_1$/,
  );
});

test('control characters of ids and types are escaped, and another text is itself', () => {
  const hostile = '\u001b[2J\u009b\u202e\n';
  const event = {
    ...exampleEvent('workforce.timesheet.approved'),
    type: `workforce.${hostile}`,
    subject: hostile,
  };
  expect(formatEventLine(JSON.stringify(event), { timeZone: 'UTC', names: NO_NAMES })).not.toMatch(/\p{C}/u);
  expect(formatEventLine('\u001b[2J', READER)).toBe('\\u001b[2J');
  expect([parseEventType('no json'), parseEventType('{"a":1}')]).toEqual([null, null]);
});
