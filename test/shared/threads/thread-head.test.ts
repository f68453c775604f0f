import { describe, expect, test } from 'vitest';
import type { Alert } from '#shared/alerts/alert.ts';
import { buildSlackPayload } from '#shared/alerts/layout/slack-blocks.ts';
import { renderSlackMessage } from '#shared/terminal/slack-message.ts';
import {
  advanceThread,
  continues,
  opensThread,
  startThread,
  type Thread,
  threadSchema,
} from '#shared/threads/thread.ts';
import { buildThreadHead } from '#shared/threads/thread-head.ts';
import { compose, tell } from './sample-threads.ts';

const LATE = { late: ['close'], closedPeriods: [{ id: '3_4711', calendar: 'Weekly' }] };

describe('the head of a pay period', () => {
  test('shows who is missing before the deadline, and the reminders before', () => {
    const thread = follow(
      [tell('pay_period.readiness', { minute: -1_500 })],
      [tell('pay_period.readiness', { minute: -1_440 })],
    );
    expect(read(thread)).toEqual([
      'Approve 4 of 380 timesheets by Mon 16 Nov 12:00: Weekly 9-15 Nov',
      expect.stringMatching(/^Pay period Weekly 9-15 Nov closes on Mon 16 Nov at 12:00: 4 of 380 timesheets/),
      '• Kitchen: 3 of 212 not approved, 22 h',
      '    ◦ Employee 2018_4711: Fri 13 Nov 8 h, Sat 14 Nov 7.5 h (no clock-out)',
      '    ◦ Employee 2024_4711: Sat 14 Nov 6.5 h',
      '• Department 502_4711: 1 of 168 not approved, 7 h',
      '    ◦ Employee 2031_4711: Sun 15 Nov 7 h',
      '• Mon 16 Nov 08:00: Approve 4 of 380 timesheets by Mon 16 Nov 12:00: Weekly 9-15 Nov',
      'Seen on Mon 16 Nov 2026 at 09:00 (Pacific/Auckland)',
    ]);
  });

  test('shows the closing, what changed since, and then the statement', () => {
    const changed = follow(
      [tell('pay_period.readiness', { minute: -1_440 })],
      [tell('pay_period.closed')],
      [tell('timesheet.changed', { minute: 5, data: LATE })],
      [tell('timesheet.processing_reverted', { minute: 9, data: LATE })],
    );
    expect(read(changed)).toEqual([
      'Weekly 9-15 Nov closed: 2 not approved (as of Mon 16 Nov 11:58)',
      expect.stringMatching(/^Pay period Weekly 9-15 Nov closed on Mon 16 Nov: 1,912.5 h, 51 employees/),
      '• Since then: Ana Lee, Kitchen, Thu 12 Nov: 7.5 to 8 h (+0.5), finish 17:00 to 17:30, no longer processed, after its pay period closed.',
      '• Mon 16 Nov 09:00: Approve 4 of 380 timesheets by Mon 16 Nov 12:00: Weekly 9-15 Nov',
      'Seen on Tue 17 Nov 2026 at 09:09 (Pacific/Auckland)',
    ]);
    const settled = take(changed, [tell('pay_period.statement', { minute: 30 })]);
    const statement = [
      'Pay 1,914.5 h for Weekly 9-15 Nov (51 people), +2 h since it closed',
      expect.stringMatching(
        /^Pay period Weekly 9-15 Nov is settled: closed at 1,912.5 h, \+2 h in 2 timesheets/,
      ),
    ];
    const history = [
      '• Tue 17 Nov 09:00: Weekly 9-15 Nov closed: 2 not approved (as of Mon 16 Nov 11:58)',
      '• Mon 16 Nov 09:00: Approve 4 of 380 timesheets by Mon 16 Nov 12:00: Weekly 9-15 Nov',
    ];
    expect(read(settled)).toEqual([
      ...statement,
      ...history,
      'Seen on Tue 17 Nov 2026 at 09:30 (Pacific/Auckland)',
    ]);
    const later = take(settled, [tell('timesheet.changed', { minute: 31, data: LATE })]);
    expect(read(later)).toEqual([
      ...statement,
      expect.stringMatching(
        /^• Since then: Ana Lee, .* finish 17:00 to 17:30, after its pay period closed.$/,
      ),
      ...history,
      'Seen on Tue 17 Nov 2026 at 09:31 (Pacific/Auckland)',
    ]);
  });
});

describe('the head of a timesheet', () => {
  test('is the net effect of all that was told', () => {
    const thread = follow(
      [tell('timesheet.processing_reverted')],
      [tell('timesheet.changed', { minute: 5 })],
      [tell('timesheet.processed', { minute: 9 })],
    );
    expect(read(thread)).toEqual([
      'Ana Lee, Kitchen, Thu 12 Nov: 7.5 to 8 h (+0.5), finish 17:00 to 17:30',
      'Ana Lee, Kitchen, Thu 12 Nov: 7.5 to 8 h (+0.5), finish 17:00 to 17:30, processed again, after its pay period closed.',
      '• Tue 17 Nov 09:09: Ana Lee, Kitchen, Thu 12 Nov: processed',
      '• Tue 17 Nov 09:05: Ana Lee, Kitchen, Thu 12 Nov: 7.5 to 8 h (+0.5), finish 17:00 to 17:30',
      '• Tue 17 Nov 09:00: Hold back 8 h of Ana Lee, Kitchen, Thu 12 Nov: its processing was undone',
      'Seen on Tue 17 Nov 2026 at 09:09 (Pacific/Auckland)',
    ]);
  });

  test('has the words of the rule that told of it first', () => {
    const words = 'Please look: {sentence}';
    const thread = follow(
      [tell('timesheet.changed', { values: { words } })],
      [tell('timesheet.processed', { minute: 9 })],
    );
    expect(read(thread)[1]).toMatch(/^Please look: Ana Lee, Kitchen, Thu 12 Nov: /);
  });

  test('is the last sentence when a later version told something that it cannot put together', () => {
    const unknown = { ...tell('timesheet.changed'), story: undefined };
    const thread = follow([unknown], [tell('timesheet.processed', { minute: 9 })]);
    expect(read(thread)[0]).toBe('Ana Lee, Kitchen, Thu 12 Nov: processed');
  });
});

describe('the head of a trouble', () => {
  test('says that it is settled', () => {
    const thread = follow([tell('source.unreachable')], [tell('source.recovered', { minute: 26 })]);
    expect(read(thread)).toEqual([
      'Settled: The timesheets can be read again',
      'The timesheets are readable again as of Tue 17 Nov 09:26; they had not been since Fri 13 Nov 15:05 (26 polls failed).',
      '• Tue 17 Nov 09:00: The timesheets cannot be read',
      'Seen on Tue 17 Nov 2026 at 09:26 (Pacific/Auckland)',
    ]);
  });

  test('of several says which are open', () => {
    const lists = (type: 'source.unreachable' | 'source.recovered', minute: number) =>
      ['timesheets', 'pay-periods'].map((feed) => tell(type, { minute, data: { feed } }));
    const thread = follow(lists('source.unreachable', 0), lists('source.recovered', 5).slice(0, 1));
    expect(read(thread)).toEqual([
      'The pay periods cannot be read',
      '1 of 2 is open.',
      expect.stringMatching(/^• Open, Tue 17 Nov 09:00: The pay periods have not been/),
      expect.stringMatching(/^• Settled, Tue 17 Nov 09:05: The timesheets are readable/),
      'Seen on Tue 17 Nov 2026 at 09:05 (Pacific/Auckland)',
    ]);
    const settled = take(thread, lists('source.recovered', 9).slice(1));
    expect(read(settled).slice(0, 2)).toEqual([
      'Settled: The pay periods can be read again',
      'All 2 are settled.',
    ]);
  });

  test('of very many forgets none that is open', () => {
    const bad = (minute: number, count: number, type: 'record.quarantined' | 'record.readable') =>
      Array.from({ length: count }, (_, at) =>
        tell(type, { minute, data: { recordId: `${minute}-${at}_7` } }),
      );
    const thread = follow(
      bad(0, 40, 'record.quarantined'),
      bad(0, 40, 'record.readable').map((alert) => ({ ...alert, at: alert.at + 1_000 })),
      bad(1, 50, 'record.quarantined'),
      bad(2, 50, 'record.quarantined'),
    );
    expect(read(thread)[1]).toBe('100 of 100 are open.');
    expect(read(thread).at(-1)).toMatch(/^\+ 88 more/);
  });

  test('that is over is followed by another thread, but an end goes into the old one', () => {
    const open = follow([tell('source.unreachable')]);
    const over = take(open, [tell('source.recovered', { minute: 26 })]);
    const goesOn = (thread: Thread, ...alerts: Alert[]) => {
      const [message] = compose(...alerts);
      return message?.thread && continues(thread, message, message.thread);
    };
    const again = tell('source.unreachable', { minute: 40 });
    expect(goesOn(open, again)).toBe(true);
    expect(goesOn(over, again)).toBe(false);
    expect(goesOn(over, tell('source.recovered', { minute: 41 }))).toBe(true);
  });

  test('begins with a trouble: an end alone has no thread', () => {
    const opens = (...alerts: Alert[]) =>
      compose(...alerts).map(({ thread }) => thread && opensThread(thread));
    expect(opens(tell('source.recovered'))).toEqual([false]);
    expect(opens(tell('source.unreachable', { minute: -1 }), tell('source.recovered'))).toEqual([true]);
    expect(opens(tell('timesheet.processed'))).toEqual([true]);
  });
});

describe('a thread', () => {
  test('takes a message once', () => {
    const thread = follow([tell('pay_period.closed')]);
    const [message] = compose(tell('pay_period.reopened', { minute: 1 }));
    if (message?.thread === undefined) throw new Error('no thread');
    const once = advanceThread(thread, message, message.thread);
    expect(advanceThread(once, message, message.thread)).toBe(once);
    expect(once.isStale).toBe(true);
  });

  test('is not taken back by a message that was late', () => {
    const thread = follow([tell('pay_period.closed', { minute: 5 })], [tell('pay_period.reopened')]);
    expect(read(thread)[0]).toMatch(/closed/);
  });

  test('keeps a bound, and the state of what it is about', () => {
    const late = Array.from({ length: 60 }, (_, at) =>
      tell('timesheet.changed', { minute: 1 + at, data: LATE, values: { subject: `${at}_7` } }),
    );
    const all = late.reduce((thread, alert) => take(thread, [alert]), follow([tell('pay_period.closed')]));
    expect(all.before).toHaveLength(39);
    expect(all.left).toBe(21);
    const lines = read(all);
    expect(lines[0]).toMatch(/^Weekly 9-15 Nov closed/);
    expect(lines.filter((line) => line.startsWith('• Since then: '))).toHaveLength(8);
    expect(lines.at(-1)).toMatch(/^\+ 52 more {2}\| {2}Seen on/);
    expect(all.known.length).toBeLessThanOrEqual(50);
    const settled = take(all, [tell('pay_period.statement', { minute: 99 })]);
    expect(settled).toMatchObject({ before: [{ item: '3_4711' }], left: 0 });
    expect(read(settled).at(-1)).toMatch(/^Seen on/);
  });
});

/** The thread after messages about one topic each. */
function follow(first: readonly Alert[], ...others: readonly (readonly Alert[])[]): Thread {
  const [message] = compose(...first);
  if (message?.thread === undefined) throw new Error('no thread');
  return others.reduce(take, startThread(message, message.thread, '1.1'));
}

function take(thread: Thread, alerts: readonly Alert[]): Thread {
  const [message] = compose(...alerts);
  const news = [message?.thread, ...(message?.heads ?? [])].find((each) => each?.topic === thread.topic);
  if (message === undefined || news === undefined) throw new Error('no news');
  const advanced = advanceThread(thread, message, news);
  expect(threadSchema.parse(JSON.parse(JSON.stringify(advanced)))).toEqual(advanced);
  return advanced;
}

function read(thread: Thread): string[] {
  return (renderSlackMessage(buildSlackPayload(buildThreadHead(thread))) ?? []).map(({ text }) => text);
}
