import { describe, expect, test } from 'vitest';
import { type Alert, channelMessageSchema } from '#shared/alerts/alert.ts';
import { composeMessages } from '#shared/alerts/digest/digest.ts';
import { composeFor } from '#shared/threads/compose-threads.ts';
import { isShownInChannel } from '#shared/threads/thread.ts';
import { alert, alerts } from '#test/shared/alerts/sample-alerts.ts';
import { CHANNEL, compose, tell } from './sample-threads.ts';

const CLOSED = tell('pay_period.closed');
const LATE = { late: ['close'], closedPeriods: [{ id: '3_4711', calendar: 'Weekly' }] };

describe('a channel without a bot', () => {
  test('gets the messages that it always got', () => {
    const given = [CLOSED, tell('timesheet.changed', { data: LATE }), tell('source.unreachable')];
    expect(composeFor({ name: 'office' }, given)).toEqual(composeMessages(given));
    expect(composeMessages(given)).toHaveLength(1);
  });
});

describe('a channel with a bot', () => {
  test('gets one message for each pay period, one for the troubles of a kind, and one of the rest', () => {
    const other = { ...tell('pay_period.closed'), subject: '4_4711' };
    const lists = ['timesheets', 'pay-periods'].map((feed) => tell('source.unreachable', { data: { feed } }));
    const messages = compose(CLOSED, ...lists, alert(1), other, alert(2), tell('slice.shrunk'));
    expect(messages.map(({ title, thread }) => [thread?.topic, title.slice(0, 33)])).toEqual([
      ['period#main#3_4711', 'Pay period Weekly 9-15 Nov closed'],
      ['trouble#main#workforce.source.unreachable', 'The timesheets and pay periods ha'],
      ['period#main#4_4711', 'Pay period Weekly 9-15 Nov closed'],
      ['trouble#main#workforce.slice.shrunk', '41 of 55 timesheets of Fri 13 Nov'],
      [undefined, '2 timesheets approved in 2 depart'],
    ]);
  });

  test('gets the urgent message first', () => {
    const urgent = alert(1, { urgent: true });
    expect(compose(CLOSED, urgent).map(({ thread }) => thread?.topic)).toEqual([
      'timesheet#main#1_7',
      'period#main#3_4711',
    ]);
  });

  test('gets what waited for the news of a pay period in the thread of that period', () => {
    const waited = alert(1, { waits: 'news', periods: ['3_4711'], closedPeriods: ['3_4711'] });
    const [message, ...others] = compose(waited, CLOSED);
    expect(others).toEqual([]);
    expect(message).toMatchObject({
      lines: ['Line 1.'],
      thread: { topic: 'period#main#3_4711' },
      heads: [{ topic: 'timesheet#main#1_7' }],
    });
    const elsewhere = { ...waited, periods: ['4_4711'] };
    expect(compose(elsewhere, CLOSED)).toHaveLength(2);
  });

  test('gets every alert once, and nothing that cancels itself out', () => {
    const approved = alert(1, { isFirst: true });
    const revoked = alert(2, {
      type: 'workforce.timesheet.approval_revoked',
      reverses: 'alert-1',
      subject: '1_7',
    });
    const given = [approved, revoked, CLOSED, ...alerts(40, {}, 10)];
    const composed = composeFor(CHANNEL, given);
    expect(composed.flatMap(({ alertIds }) => alertIds).sort()).toEqual(given.map(({ id }) => id).sort());
    const topics = composed.flatMap(({ message }) => message?.heads ?? []).map(({ topic }) => topic);
    expect(topics).toHaveLength(40);
    expect(topics).not.toContain('timesheet#main#1_7');
  });

  test('gets a message about one timesheet in its thread, with all that was told of it', () => {
    const [message] = compose(tell('timesheet.changed'), tell('timesheet.processed', { minute: 1 }));
    expect(message?.thread).toMatchObject({
      topic: 'timesheet#main#910001_4711',
      before: [{ item: '910001_4711', ends: false, story: { who: 'Ana Lee, Kitchen, Thu 12 Nov' } }],
      latest: { ends: true },
    });
    expect(message?.heads).toBeUndefined();
  });

  test('hears of a digest in no thread, but the heads of its timesheets change', () => {
    const [message] = compose(tell('timesheet.changed'), alert(1));
    expect(message?.thread).toBeUndefined();
    expect(message?.heads?.map(({ topic }) => topic)).toEqual([
      'timesheet#main#1_7',
      'timesheet#main#910001_4711',
    ]);
  });

  test('reads in the head of a closed period what changed after it', () => {
    const [alone] = compose(tell('timesheet.changed', { data: LATE }));
    expect(alone?.thread?.topic).toBe('timesheet#main#910001_4711');
    expect(alone?.heads).toMatchObject([
      { topic: 'period#main#3_4711', latest: { item: '910001_4711' }, before: [], left: 0 },
    ]);
    const many = Array.from({ length: 70 }, (_, at) =>
      tell('timesheet.changed', { data: LATE, values: { subject: `${at}_7`, line: 'Line.' } }),
    );
    expect(compose(...many)[0]?.heads?.[0]).toMatchObject({ topic: 'period#main#3_4711', left: 40 });
  });

  test('has a bound for what one message carries', () => {
    const periods = Array.from({ length: 35 }, (_, at) => ({
      ...CLOSED,
      id: `closed-${at}`,
      subject: `${at}_7`,
    }));
    const long = alerts(400, { line: 'x'.repeat(600) });
    const messages = compose(...periods, ...long);
    expect(messages).toHaveLength(31);
    const digest = messages.find(({ thread }) => thread === undefined);
    expect(digest?.heads?.length).toBeGreaterThan(30);
    expect(JSON.stringify(digest?.heads).length).toBeLessThan(62_000);
  });

  test('has no thread for a flood of troubles, nor for an event that a webhook did not accept', () => {
    const bad = Array.from({ length: 51 }, (_, at) =>
      tell('record.quarantined', { data: { recordId: `${at}_7` } }),
    );
    expect(compose(...bad.slice(1))[0]?.thread?.before).toHaveLength(49);
    for (const alerts of [bad, [tell('delivery.failed')], [tell('delivery.recovered')]]) {
      expect(compose(...alerts).map(({ thread, heads }) => [thread, heads])).toEqual([
        [undefined, undefined],
      ]);
    }
  });

  test('has no thread for an id that makes no key', () => {
    const [message] = compose(alert(1, { subject: 'x'.repeat(500) }));
    expect(message?.thread).toBeUndefined();
  });

  test('of a later version is still a message', () => {
    const [message] = compose(CLOSED);
    const later = { ...message, thread: { of: 'another form' } };
    expect(channelMessageSchema.parse(later)).toEqual({ ...message, thread: undefined });
    expect(channelMessageSchema.parse(JSON.parse(JSON.stringify(message)))).toEqual(message);
  });
});

describe('a reply', () => {
  const isShown = (...given: readonly Alert[]) =>
    compose(...given).map((message) => message.thread && isShownInChannel(message, message.thread));

  test.each([
    'pay_period.readiness',
    'pay_period.closed',
    'pay_period.reopened',
    'pay_period.statement',
    'timesheet.changed',
    'timesheet.processing_reverted',
    'timesheet.approval_revoked',
    'source.unreachable',
    'webhook.disabled',
  ] as const)('of %s is shown in the channel: somebody has to act', (type) => {
    expect(isShown(tell(type))).toEqual([true]);
  });

  test.each([
    'timesheet.processed',
    'timesheet.clock_in_missing_cleared',
    'source.recovered',
    'record.readable',
    'webhook.enabled',
  ] as const)('of %s stays in its thread: it only ends what was told', (type) => {
    expect(isShown(tell(type))).toEqual([false]);
    expect(isShown(tell(type, { values: { urgent: true } }))).toEqual([true]);
  });

  test('that ends one thing and tells another is shown', () => {
    const processed = tell('timesheet.processed');
    expect(isShown(tell('timesheet.processing_reverted', { minute: -1 }), processed)).toEqual([true]);
  });
});
