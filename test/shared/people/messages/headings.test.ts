import { expect, test } from 'vitest';
import { exampleEvents } from '#kit/testing/example-event.ts';
import { toShortType } from '#shared/core/event-types.ts';
import { type Names, NO_NAMES } from '#shared/people/names/names.ts';
import { buildHeading } from '#shared/people/words/headings.ts';
import { describableEventSchema } from '#shared/people/words/sentences.ts';

/** The subject of a mail about one event of each type: a sentence, and another one for each type. */

const NAMES = nameAll('Ana Lee', 'Kitchen');
const HEADINGS = headings(NAMES);

test('every type has a heading of its own of at most 78 characters', () => {
  expect([...HEADINGS].filter(([, heading]) => heading === undefined || heading.length > 78)).toEqual([]);
  expect(new Set(HEADINGS.values()).size).toBe(HEADINGS.size);
});

test.each([
  ['timesheet.created', 'Ana Lee, Kitchen, Thu 12 Nov: added with 7.5 h'],
  ['timesheet.changed', 'Ana Lee, Kitchen, Thu 12 Nov: 7.5 to 8 h (+0.5), finish 17:00 to 17:30...'],
  ['timesheet.approved', 'Ana Lee, Kitchen, Thu 12 Nov: approved'],
  [
    'timesheet.processing_reverted',
    'Hold back 8 h of Ana Lee, Kitchen, Thu 12 Nov: its processing was undone',
  ],
  ['timesheet.removed', 'Ana Lee, Kitchen, Thu 12 Nov: removed (8 h no longer to pay)'],
  ['timesheet.clock_out_corrected', 'Ana Lee, Kitchen, Thu 12 Nov: clock-out 17:04 -> 17:30'],
  ['pay_period.reopened', 'Hold the pay file of Weekly 9-15 Nov: it was reopened'],
  ['trouble.began', 'We cannot see timesheets of Wed 11 Nov of main since 17:00'],
  ['employee.forgotten', 'One of the timesheets is forgotten: erase your copy of it'],
])('%s: %s', (type, heading) => {
  expect(HEADINGS.get(type)).toBe(heading);
});

test('without names the ids are said', () => {
  const plain = headings(NO_NAMES);
  expect(plain.get('timesheet.approved')).toBe('Timesheet 101550_1 of employee 1030_1, Thu 12 Nov: approved');
});

test('what is longer is cut at a word', () => {
  const long = headings(nameAll('Gray Example 23', 'Sample Front Desk'));
  expect(long.get('timesheet.processing_reverted')).toBe(
    'Hold back 8 h of Gray Example 23, Sample Front Desk, Thu 12 Nov: its...',
  );
  const longest = [...headings(nameAll('A'.repeat(80), 'B'.repeat(80))).values()];
  expect(longest.filter((heading) => heading === undefined || heading.length > 78)).toEqual([]);
});

function headings(names: Names): Map<string, string | undefined> {
  return new Map(
    exampleEvents()
      .filter(({ type }) => !type.endsWith('.snapshot'))
      .map((example) => {
        const event = describableEventSchema.parse(example);
        return [toShortType(example.type), buildHeading(event, { timeZone: 'Pacific/Auckland', names })];
      }),
  );
}

function nameAll(employee: string, department: string): Names {
  return {
    ...NO_NAMES,
    employees: new Map([['1030_1', employee]]),
    departments: new Map([['202_1', department]]),
  };
}
