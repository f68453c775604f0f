import { describe, expect, test } from 'vitest';
import { buildSampleEvent } from '#cli/sample-events/sample-events.ts';
import { matchEvent } from '#shared/alerts/match-channels.ts';
import type { Rule } from '#shared/alerts/rules.ts';
import { buildHeading } from '#shared/core/definitions/headings.ts';
import { describableEventSchema, toSentence } from '#shared/core/definitions/sentences.ts';
import { NO_NAMES } from '#shared/names/names.ts';

const CLOSED = 'workforce.pay_period.closed';
const STATEMENT = 'workforce.pay_period.statement';
const AUDIENCE = { timeZone: 'Pacific/Auckland', names: NO_NAMES };
const UNCHANGED = {
  previous: { hours: 1_914.5, employees: 51, timesheets: 380, unapproved: 0, unprocessed: 0 },
  sinceClose: { closedHours: 1_914.5, changes: [], hours: 1_914.5, timesheets: [] },
};

describe('a statement is told', () => {
  test.each([
    ['to a channel of the closing, when something changed since', {}, ['both', 'statements']],
    ['to no channel of the closing, when that said all of it', UNCHANGED, ['statements']],
    ['to no channel of the closing, when it is of the closing itself', { stage: 'closed' }, ['statements']],
    [
      'to a channel of the closing, when something was left to do then',
      { ...UNCHANGED, previous: { ...UNCHANGED.previous, unprocessed: 2 } },
      ['both', 'statements'],
    ],
  ])('%s', (_name, statement, channels) => {
    const rules = [
      rule([CLOSED, STATEMENT], 'both'),
      rule([STATEMENT], 'statements'),
      rule([CLOSED], 'closings'),
    ];
    const matches = matchEvent(sample(statement), channelRules(rules));
    expect(matches.map(({ channel }) => channel)).toEqual(channels);
  });
});

describe('the subject of a mail about a statement', () => {
  test.each([
    ['', {}, 'Pay 1,914.5 h for Weekly 9-15 Nov (51 people), +2 h since it closed'],
    [
      ' with what is left',
      { unprocessed: 3 },
      'Pay period Weekly 9-15 Nov is settled at 1,914.5 h, +2 h since it closed',
    ],
    [
      ' without a change',
      { ...UNCHANGED, unprocessed: 3 },
      'Pay period Weekly 9-15 Nov is settled at 1,914.5 h, 3 not processed',
    ],
    [
      ' of a closing',
      { stage: 'closed_again', ...UNCHANGED },
      'Pay 1,914.5 h for Weekly 9-15 Nov (51 people)',
    ],
  ])('is a sentence of at most 78 characters%s', (_name, statement, expected) => {
    const heading = buildHeading(sample(statement), AUDIENCE);
    expect(heading).toBe(expected);
    expect(heading?.length).toBeLessThanOrEqual(78);
  });

  test('has room for it beside the longest calendar', () => {
    const event = sample(
      {},
      { calendar: 'A very long name of a pay calendar that somebody chose in a hurry' },
    );
    expect(buildHeading(event, AUDIENCE)).toBe('A pay period is settled at 1,914.5 h, +2 h since it closed');
  });
});

describe('the sentence of a statement', () => {
  test.each([
    [{ stage: 'closed' }, 'closed: 1,914.5 h, 51 employees, 380 timesheets;'],
    [
      { stage: 'closed_again', change: { hours: -1.25, timesheets: 0, employees: 0 } },
      'closed again, -1.25 h against the closing before: 1,914.5 h,',
    ],
    [{ settledBy: 'age' }, 'is settled, 35 days after it closed: closed at 1,912.5 h,'],
    [
      {
        sinceClose: {
          ...UNCHANGED.sinceClose,
          changes: [{ reason: 'recounted', hours: 4, timesheets: null }],
        },
      },
      'is settled: closed at 1,914.5 h, +4 h that only one count could see; 1,914.5 h,',
    ],
  ])('says its stage and how it came about: %j', (statement, expected) => {
    expect(toSentence(sample(statement), AUDIENCE)).toContain(`Pay period Weekly 9-15 Nov ${expected}`);
  });
});

function rule(types: Rule['types'], channel: string): Rule {
  return { types, when: {}, channels: [channel], urgent: false, words: '{sentence}' };
}

function channelRules(rules: readonly Rule[]) {
  const channels = ['both', 'closings', 'statements'].map((name) => ({ name }));
  return { rules, channels, timeZone: 'UTC' };
}

function sample(statement: object, current: object = {}) {
  const event = JSON.parse(buildSampleEvent('pay_period.statement'));
  return describableEventSchema.parse({
    ...event,
    data: {
      ...event.data,
      current: { ...event.data.current, ...current },
      statement: { ...event.data.statement, ...statement },
    },
  });
}
