import { describe, expect, test } from 'vitest';
import { fillWords } from '#shared/alerts/fill-words.ts';
import { matchRules, type Rule, type RuleCondition, readFacts } from '#shared/alerts/rules.ts';
import { ENDED_TROUBLES } from '#shared/core/definitions/alert-news.ts';
import type { PublishedType } from '#shared/core/event-types.ts';
import { buildEvents, STAMP } from '#test/shared/core/events/sample-events.ts';
import { createChange, PAY_PERIODS, payPeriod, timesheet } from '#test/support/builders.ts';

const ZONE = 'Pacific/Auckland';

describe('a rule', () => {
  test('sends its types to all channels, and no other types', () => {
    expect(toldBy([rule({ types: ['workforce.pay_period.closed'] })])).toEqual(['payroll', 'office']);
    expect(toldBy([rule({ types: ['workforce.pay_period.reopened'] })])).toEqual([]);
  });

  test('sends to the channels it names', () => {
    expect(toldBy([rule({ channels: ['office'] })])).toEqual(['office']);
  });

  test('that overlaps others sends to each channel once: urgent if any is, in the words of the first', () => {
    const rules = [
      rule({ channels: ['office'], words: 'first: {sentence}' }),
      rule({ urgent: true, words: 'second: {sentence}' }),
      rule({ types: ['workforce.pay_period.reopened'], words: 'another type' }),
    ];

    expect(matchRules(closedFacts(), rules, ['payroll', 'office'])).toEqual([
      { channel: 'payroll', urgent: true, words: 'second: {sentence}' },
      { channel: 'office', urgent: true, words: 'first: {sentence}' },
    ]);
  });
});

describe('a condition on', () => {
  test.each<[string, RuleCondition, boolean]>([
    ['the connection', { connection: ['north', 'acme'] }, true],
    ['another connection', { connection: ['north'] }, false],
    ['the calendar', { calendar: ['Weekly'] }, true],
    ['another calendar', { calendar: ['Monthly'] }, false],
    ['a department, which a period has not', { departmentId: ['501_7'] }, false],
    ['being in time', { late: false }, true],
    ['being late', { late: true }, false],
    // 14:31 in Auckland.
    ['the time of day', { timeOfDay: { from: '14:00', to: '15:00' } }, true],
    ['another time of day', { timeOfDay: { from: '01:00', to: '02:00' } }, false],
    ['a time of day over midnight', { timeOfDay: { from: '14:31', to: '02:00' } }, true],
    ['several things that are so', { connection: ['acme'], late: false }, true],
    ['several things of which one is not', { connection: ['acme'], calendar: ['Monthly'] }, false],
  ])('%s: %j holds: %s', (_name, when, holds) => {
    expect(toldBy([rule({ when })]).length > 0).toBe(holds);
  });

  test.each<[RuleCondition['late'], boolean]>([
    [['approval'], true],
    [['processing', 'approval'], true],
    [['processing', 'close'], false],
    [true, true],
    [false, false],
  ])('what stood before: %j of a change after approval: %s', (late, holds) => {
    const [facts] = factsOfChange(
      timesheet({ approvedHours: STAMP }),
      timesheet({ approvedHours: STAMP, hoursToPay: 9 }),
    );
    expect(told(facts, { late })).toBe(holds);
  });

  test('lateness never holds for what has none', () => {
    const event = {
      type: 'workforce.poll.stalled',
      connection: 'acme',
      time: STAMP,
      data: { feed: 'timesheets' },
    } as const;
    for (const late of [true, false, ['close']]) expect(told(readFacts(event, ZONE), { late })).toBe(false);
  });

  test.each([
    [[7.5, 8], 0.5, true],
    [[8, 7.5], 0.5, true],
    [[7.5, 7.6], 0.1, true],
    [[7.5, 7.6], 0.11, false],
    [[7.5, 7.5], 0.01, false],
  ])('hours: from and to %j by at least %d: %s', ([before, after], hoursChangedBy, holds) => {
    const [facts] = factsOfChange(
      timesheet({ hoursToPay: before }),
      timesheet({ hoursToPay: after, startTime: '2026-03-04T21:00:00.000Z' }),
    );
    expect(told(facts, { hoursChangedBy })).toBe(holds);
  });

  test('hours counts all hours of what came or went, and none of an approval', () => {
    const [removed] = factsOfChange(timesheet({ hoursToPay: 8 }), null);
    const [created] = factsOfChange(null, timesheet({ hoursToPay: 8 }));
    const [approved] = factsOfChange(timesheet(), timesheet({ approvedHours: STAMP }));

    expect([removed?.hoursChanged, created?.hoursChanged, approved?.hoursChanged]).toEqual([8, 8, null]);
    expect(told(removed, { hoursChangedBy: 8 })).toBe(true);
    expect(told(removed, { hoursChangedBy: 8.1 })).toBe(false);
    expect(told(approved, { hoursChangedBy: 0.1 })).toBe(false);
  });

  test('organisation and department holds for the present and the former one', () => {
    const [moved] = factsOfChange(
      timesheet({ department: { id: '1', name: 'Bar' }, organisationWorkedId: '11' }),
      timesheet({ department: { id: '2', name: 'Kitchen' }, organisationWorkedId: '12' }),
    );
    for (const id of ['1', '2']) expect(told(moved, { departmentId: ['9', id] })).toBe(true);
    for (const id of ['11', '12']) expect(told(moved, { organisationId: [id] })).toBe(true);
    expect(told(moved, { departmentId: ['3'] })).toBe(false);
    expect(told(moved, { departmentId: ['1'], organisationId: ['13'] })).toBe(false);
  });

  test('department holds for what is taken back while a timesheet leaves it', () => {
    const facts = factsOfChange(
      timesheet({ department: { id: '1', name: 'Bar' }, approvedHours: STAMP }),
      timesheet({ department: { id: '2', name: 'Kitchen' }, organisationWorkedId: '12' }),
    );
    expect(facts.map(({ type }) => type)).toEqual([
      'workforce.timesheet.approval_revoked',
      'workforce.timesheet.changed',
    ]);
    for (const each of facts) {
      expect(told(each, { departmentId: ['1'], organisationId: ['1_7'] })).toBe(true);
      expect(told(each, { departmentId: ['2'], organisationId: ['12'] })).toBe(true);
    }
  });

  test('department holds for what is removed', () => {
    const [removed] = factsOfChange(timesheet({ department: { id: '1', name: 'Bar' } }), null);
    expect(told(removed, { departmentId: ['1'] })).toBe(true);
  });
});

test('facts are found in data of later versions, and in data that makes no sense', () => {
  const event = (data: object) =>
    ({ type: 'workforce.timesheet.changed', connection: 'acme', time: STAMP, data }) as const;
  const nothing = { organisationIds: [], departmentIds: [], calendars: [], late: null };

  expect(
    readFacts(event({ current: { departmentId: '1', mood: 'good' }, weather: 1, late: ['rain'] }), ZONE),
  ).toMatchObject({
    departmentIds: ['1'],
    late: ['rain'],
  });
  expect(readFacts(event({ current: 'x', previous: [], late: 7 }), ZONE)).toMatchObject(nothing);
  expect(readFacts(event({ current: { departmentId: 5, hoursToPay: '8' } }), ZONE)).toMatchObject(nothing);
});

describe('the end of a trouble', () => {
  test.each(Object.entries(ENDED_TROUBLES))(
    '%s is told by a rule for %s, not urgent',
    (type, trouble = 'workforce.poll.stalled') => {
      const facts = readFacts(
        { type: type as PublishedType, connection: 'acme', time: '2026-03-05T01:31:00Z', data: {} },
        ZONE,
      );
      const rules = [
        rule({ types: [trouble], urgent: true, channels: ['office'], words: 'IT: {sentence}' }),
        rule({ types: ['workforce.pay_period.closed'] }),
        rule({ types: [trouble], when: { connection: ['other'] } }),
      ];
      expect(matchRules(facts, rules, ['payroll', 'office'])).toEqual([
        { channel: 'office', urgent: false, words: 'IT: {sentence}', isEnd: true },
      ]);
    },
  );
});

describe('words', () => {
  const values = { sentence: 'Ana {type} left.', connection: 'main', type: 'workforce.timesheet.removed' };

  test('are filled in wherever they say so', () => {
    expect(fillWords('{connection}: {sentence} ({type})', values)).toBe(
      'main: Ana {type} left. (workforce.timesheet.removed)',
    );
    expect(fillWords('{sentence}{sentence}', { ...values, sentence: '$&' })).toBe('$&$&');
  });
});

function rule(values: Partial<Rule> = {}): Rule {
  return { types: ['workforce.pay_period.closed'], when: {}, urgent: false, words: '{sentence}', ...values };
}

function toldBy(rules: readonly Rule[]): string[] {
  return matchRules(closedFacts(), rules, ['payroll', 'office']).map(({ channel }) => channel);
}

function told(facts: ReturnType<typeof readFacts> | undefined, when: RuleCondition): boolean {
  if (facts === undefined) throw new Error('nothing was told');
  return matchRules(facts, [rule({ types: [facts.type], when })], ['payroll']).length > 0;
}

function closedFacts() {
  const [event] = buildEvents(createChange(payPeriod(), payPeriod({ closed: '2026-03-05' })), PAY_PERIODS);
  if (event === undefined) throw new Error('nothing was told');
  return readFacts(
    { ...event, type: event.type as PublishedType, connection: 'acme', time: '2026-03-05T01:31:00Z' },
    ZONE,
  );
}

function factsOfChange(before: ReturnType<typeof timesheet> | null, after: typeof before) {
  return buildEvents(createChange(before, after)).map((event) =>
    readFacts(
      { ...event, type: event.type as PublishedType, connection: 'acme', time: '2026-03-05T01:31:00Z' },
      ZONE,
    ),
  );
}
