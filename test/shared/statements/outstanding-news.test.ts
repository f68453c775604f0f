import { describe, expect, test } from 'vitest';
import { buildSampleEvent } from '#cli/sample-events/sample-events.ts';
import { composeMessages } from '#shared/alerts/digest/digest.ts';
import { composeFor } from '#shared/threads/compose-threads.ts';
import { CollectStage, createMessage } from '#test/shared/alerts/flow/collect-stage.ts';

/** What is still open of closed pay periods, as the channels with a daily summary are told. */

const OUTSTANDING = JSON.parse(buildSampleEvent('pay_period.outstanding'));
const READINESS = JSON.parse(buildSampleEvent('pay_period.readiness'));
const LIST = 'http://127.0.0.1:4600/periods';

type Open = readonly [timesheets: number, hours: number, complete?: boolean] | null;

describe('one line of a daily summary', () => {
  test('adds up what is open, beside what it was the day before, with the list of the console', async () => {
    const stage = openStage();
    await stage.collect([open('a', 15, [3, 6]), open('b', 15, [2, -2])].map((each) => createMessage(each)));
    await stage.collect([open('a', 16, [2, 4.5]), open('b', 16, [1, -1])].map((each) => createMessage(each)));
    expect(await say(stage, 16)).toEqual([
      'Still open since closing: 3 timesheets, +3.5 h in 2 pay periods (5, +4 h yesterday).',
      LIST,
    ]);
  });

  test.each<[string, Open, Open, string]>([
    [
      'of one period names it',
      [3, 6],
      [2, 4.5],
      'Still open of Weekly 9-15 Nov: 2 timesheets, +4.5 h (3, +6 h yesterday).',
    ],
    [
      'that is the same says so',
      [3, 6],
      [3, 6],
      'Still open of Weekly 9-15 Nov: 3 timesheets, +6 h (unchanged since yesterday).',
    ],
    ['says when all was paid', [3, 6], [0, 0], 'Since closing nothing is open any more (3, +6 h yesterday).'],
    [
      'says that it is not known any more',
      [3, 6],
      null,
      'It is not known any more what is open since closing (3, +6 h yesterday).',
    ],
    [
      'says nothing of a day before without any',
      [0, 0],
      [1, -2],
      'Still open of Weekly 9-15 Nov: 1 timesheet, -2 h.',
    ],
    [
      'says what it lacks',
      [1, 2],
      [1, 2, false],
      'Still open of Weekly 9-15 Nov: 1 timesheet, +2 h (unchanged since yesterday; without what was added or removed).',
    ],
  ])('%s', async (_, before, now, expected) => {
    const stage = openStage();
    await stage.collect([createMessage(open('a', 15, before))]);
    await stage.collect([createMessage(open('a', 16, now))]);
    expect((await say(stage, 16))[0]).toBe(expected);
  });

  test('names the periods of which nothing is known', async () => {
    const stage = openStage();
    await stage.collect([open('a', 16, [1, 2]), open('b', 16, null)].map((each) => createMessage(each)));
    expect((await say(stage, 16))[0]).toBe(
      'Still open of Weekly 9-15 Nov: 1 timesheet, +2 h (1 more not known).',
    );
  });

  test('is none where the channel was never told that something is open, nor of what is not known alone', async () => {
    const stage = openStage();
    await stage.collect([open('a', 16, [0, 0]), open('b', 16, null)].map((each) => createMessage(each)));
    expect(await say(stage, 16)).toEqual([]);
  });

  test('goes to channels with a daily summary at this time alone, whatever rules say', async () => {
    const rules = [{ types: ['workforce.pay_period.outstanding' as const] }];
    const stage = new CollectStage({
      channels: [{ kind: 'slack', name: 'payroll', secretName: 's' }],
      rules,
    });
    await stage.collect([createMessage(open('a', 16, [1, 2]))]);
    expect(await stage.waiting('payroll')).toEqual([]);
  });

  test('stands below the open periods, within 60 words', async () => {
    const stage = openStage();
    await stage.collect(
      [...['A', 'B', 'C', 'D'].map(summary), open('a', 15, [3, 6])].map((each) => createMessage(each)),
    );
    const [message] = composeMessages(await stage.waiting('payroll'));
    const { heading = '', facts = '', lines = [], more } = message?.message ?? {};
    expect(lines.at(-1)).toBe('Still open of Weekly 9-15 Nov: 3 timesheets, +6 h.');
    expect([heading, facts, ...lines].join(' ').split(/\s+/).length).toBeLessThanOrEqual(60);
    expect(lines.length - 1 + (more ?? 0)).toBe(3);
  });

  test('belongs to no thread', async () => {
    const stage = openStage();
    await stage.collect([open('a', 16, [1, 2]), open('b', 16, [1, 2])].map((each) => createMessage(each)));
    const messages = composeFor(
      { name: 'payroll', channelId: 'C0123456789' },
      await stage.waiting('payroll'),
    );
    expect(messages.map(({ message }) => [message?.title, message?.thread])).toEqual([
      ['Still open since closing: 2 timesheets, +4 h in 2 pay periods.', undefined],
    ]);
  });
});

test('a message that waited for another day names the day', async () => {
  const stage = openStage();
  await stage.collect([createMessage(open('a', 15, [3, 6]))]);
  await stage.collect([createMessage(open('a', 16, [2, 4]))]);
  const alerts = (await stage.waiting('payroll')).filter(({ id }) => id === 'a-16');
  const [message] = composeMessages(alerts, Date.parse('2026-11-18T19:00:00Z'));
  expect(message?.message?.title).toBe(
    'Still open of Weekly 9-15 Nov: 2 timesheets, +4 h (3, +6 h on Mon 16 Nov).',
  );
});

function openStage(): CollectStage {
  const payroll = { kind: 'slack', name: 'payroll', secretName: 's', dailySummary: { at: '08:00' } } as const;
  return new CollectStage({ channels: [payroll], rules: [], consoleUrl: 'http://127.0.0.1:4600' });
}

/** The line about what is open, and where it links to. */
async function say(stage: CollectStage, day: number): Promise<(string | undefined)[]> {
  const alerts = (await stage.waiting('payroll')).filter(({ id }) => id.endsWith(`-${day}`));
  return composeMessages(alerts).flatMap(({ message }) =>
    message === null ? [] : [message.title, message.url],
  );
}

function open(period: string, day: number, sum: Open) {
  const [timesheets = 0, hours = 0, complete = true] = sum ?? [];
  const outstanding = sum === null ? null : { timesheets, hours, complete };
  const data = { ...OUTSTANDING.data, payPeriodId: period, outstanding };
  const time = `2026-11-${day}T19:00:20.301Z`;
  return { ...OUTSTANDING, id: `${period}-${day}`, subject: period, time, data };
}

function summary(calendar: string) {
  const current = { ...READINESS.data.current, calendar };
  const moment = { reminder: null, summaries: ['08:00'], payPeriodId: calendar };
  const time = '2026-11-15T19:00:20.301Z';
  const data = { ...READINESS.data, ...moment, current, deadline: '2026-11-17T23:00:00.000Z' };
  return { ...READINESS, id: `${calendar}-15`, subject: calendar, time, data };
}
