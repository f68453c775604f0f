import { describe, expect, test } from 'vitest';
import { matchEvent } from '#shared/people/match-channels.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { buildHeading } from '#shared/people/words/headings.ts';
import { toSentence } from '#shared/people/words/sentences.ts';
import { describableExample } from '#test/support/example-alert.ts';

const AUDIENCE = { timeZone: 'Pacific/Auckland', names: NO_NAMES };
const UNCHANGED = {
  previous: { hours: 1_012, employees: 30, timesheets: 135, unapproved: 0, unprocessed: 0 },
  sinceClose: { closedHours: 1_012, changes: [], hours: 1_012, timesheets: [] },
};

describe('a statement is told', () => {
  test.each([
    ['when something changed since the closing', {}, ['payroll']],
    ['not when the closing said all of it', UNCHANGED, []],
    ['not when it is of the closing itself', { stage: 'closed' }, []],
    [
      'when something was left to do then',
      { ...UNCHANGED, previous: { ...UNCHANGED.previous, unprocessed: 2 } },
      ['payroll'],
    ],
  ])('%s', (_name, statement, told) => {
    const channels = [{ name: 'payroll' }, { name: 'it', for: 'operations' as const }];
    const matches = matchEvent(sample(statement), { channels, timeZone: 'UTC' });
    expect(matches.map(({ channel }) => channel)).toEqual(told);
  });
});

describe('the subject of a mail about a statement', () => {
  test.each([
    ['', {}, 'Pay 1,012 h for Weekly 9-15 Nov (30 people), +1.5 h since it closed'],
    [
      ' with what is left',
      { unprocessed: 3 },
      'Pay period Weekly 9-15 Nov is settled at 1,012 h, +1.5 h since it closed, 3...',
    ],
    [
      ' without a change',
      { ...UNCHANGED, unprocessed: 3 },
      'Pay period Weekly 9-15 Nov is settled at 1,012 h, 3 not processed',
    ],
    [' of a closing', { stage: 'closed_again', ...UNCHANGED }, 'Pay 1,012 h for Weekly 9-15 Nov (30 people)'],
  ])('is a sentence of at most 78 characters%s', (_name, statement, expected) => {
    const heading = buildHeading(sample(statement), AUDIENCE);
    expect(heading).toBe(expected);
    expect(heading?.length).toBeLessThanOrEqual(78);
  });

  test('is cut beside the longest calendar', () => {
    const event = sample(
      {},
      { calendar: 'A very long name of a pay calendar that somebody chose in a hurry' },
    );
    expect(buildHeading(event, AUDIENCE)).toBe(
      'Pay 1,012 h for A very long name of a pay calendar that somebody chose in a...',
    );
  });
});

describe('the sentence of a statement', () => {
  test.each([
    [{ stage: 'closed' }, 'closed: 1,012 h, 30 employees, 135 timesheets;'],
    [
      { stage: 'closed_again', change: { hours: -1.25, timesheets: 0, employees: 0 } },
      'closed again, -1.25 h against the closing before: 1,012 h,',
    ],
    [{ settledBy: 'age' }, 'is settled, 35 days after it closed: closed at 1,010.5 h,'],
    [
      {
        sinceClose: {
          ...UNCHANGED.sinceClose,
          changes: [{ reason: 'recounted', hours: 4, timesheets: null }],
        },
      },
      'is settled: closed at 1,012 h, +4 h that only one count could see; 1,012 h,',
    ],
  ])('says its stage and how it came about: %j', (statement, expected) => {
    expect(toSentence(sample(statement), AUDIENCE)).toContain(`Pay period Weekly 9-15 Nov ${expected}`);
  });
});

function sample(statement: object, current: object = {}) {
  return describableExample('pay_period.statement', { data: { current, statement } });
}
