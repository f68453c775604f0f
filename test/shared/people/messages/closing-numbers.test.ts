import { describe, expect, test } from 'vitest';
import { ALL_NAMES, closing, heading, say } from './sample-sentences.ts';

const SUMS = '1,204.25 h, 31 employees, 154 timesheets';
const OPEN = { timesheetId: '1001_7', sequence: 3, approved: false, processed: false };
const leftover = (employeeId: string, date: string, hours: number) => ({ ...OPEN, employeeId, date, hours });
const ANA = leftover('2001_7', '2026-03-05', 8);
const BEN = leftover('2002_7', '2026-03-04', 7.5);

describe('the sentence of a closing', () => {
  test('says whose timesheets are not approved, on which day and of how many hours', () => {
    const event = closing({ unapproved: 2, unprocessed: 2, leftovers: [ANA, BEN] });
    expect(say(event, { names: ALL_NAMES })).toBe(
      `Pay period Weekly 2-8 Mar closed: ${SUMS}; 2 not approved (Ana Lee Thu 5 Mar 8 h, Ben Fox Wed 4 Mar 7.5 h), 2 not processed.`,
    );
    expect(say(event)).toContain('(employee 2001_7 Thu 5 Mar 8 h, employee 2002_7 Wed 4 Mar 7.5 h)');
    expect(heading(event)).toBe('Check 2 of 154 timesheets before you pay Weekly 2-8 Mar (1,204.25 h)');
  });

  test.each([
    [
      { unapproved: 12, unprocessed: 3 },
      'Check 12 of 154 timesheets before you pay Weekly 2-8 Mar (1,204.25 h)',
    ],
    [{ unprocessed: 3 }, 'Process 3 of 154 timesheets of Weekly 2-8 Mar (1,204.25 h)'],
    [{ addsUp: false }, 'Check 1,204.25 h before you pay Weekly 2-8 Mar: the totals differ'],
  ])('with %j says in its heading what is left to do: %s', (numbers, expected) => {
    expect(heading(closing(numbers))).toBe(expected);
  });

  test.each([
    { complete: false },
    { asLastSeen: 2 },
    { lookedAtBefore: { from: '2026-03-05', to: '2026-03-06' } },
    { membersUnknown: 1 },
  ])('tells nobody to pay by numbers that are in doubt: %j', (doubt) => {
    expect(heading(closing({}))).toMatch(/^Pay 1,204\.25 h for Weekly 2-8 Mar/);
    expect(heading(closing(doubt))).toMatch(/^Pay period Weekly 2-8 Mar closed/);
  });

  test('names five, and counts the others also beyond the list', () => {
    const event = closing({ unapproved: 70, leftovers: Array.from({ length: 8 }, () => ANA) });
    expect(say(event, { names: ALL_NAMES })).toMatch(
      /not approved \((?:Ana Lee Thu 5 Mar 8 h, ){4}Ana Lee Thu 5 Mar 8 h and 65 more\)/,
    );
  });

  test('does not name those who only wait for processing, which is normal then', () => {
    const event = closing({ unprocessed: 1, leftovers: [{ ...ANA, approved: true }] });
    expect(say(event)).toContain(`${SUMS}; all approved, 1 not processed.`);
  });

  test('says of how many timesheets the source did not say whose they are', () => {
    const event = closing({ members: 'partly', membersUnknown: 12, addsUp: null, difference: null });
    expect(say(event)).toContain(
      'all approved and processed (without 12 timesheets, since the workforce service did not say whether they are its own).',
    );
    expect(heading(event)).toBe('Pay period Weekly 2-8 Mar closed');
  });

  test('names nobody where it is not said whose they are', () => {
    const event = closing({ unapproved: 1, unprocessed: 1, leftovers: [OPEN] });
    expect(say(event)).toContain(`${SUMS}; 1 not approved, 1 not processed.`);
  });

  test.each<[string, object, string]>([
    ['adds up', { addsUp: true, difference: null }, '; adds up with the workforce service.'],
    [
      'differs',
      { addsUp: false, difference: { timesheets: -1, employees: 2, hours: -7.5 } },
      '; the workforce service has 7.5 h more, 2 employees fewer, 1 timesheet more.',
    ],
    [
      'differs in hours alone',
      { addsUp: false, difference: { timesheets: 0, employees: 0, hours: 1.5 } },
      '; the workforce service has 1.5 h less.',
    ],
    ['cannot be compared', { addsUp: null, difference: null }, '.'],
    ['does not say whose they are', {}, '.'],
  ])('that %s with the source says so', (_, manifest, ending) => {
    expect(say(closing(manifest))).toBe(
      `Pay period Weekly 2-8 Mar closed: ${SUMS}; all approved and processed${ending}`,
    );
  });
});
