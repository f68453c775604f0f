import { describe, expect, test } from 'vitest';
import { type Alert, channelMessageSchema } from '#shared/people/alert.ts';
import { composeThreads } from '#shared/people/compose-threads.ts';
import { alert, alerts } from './sample-alerts.ts';

const CLOSED = alert(90, { type: 'workforce.pay_period.closed', subject: '3_7' });
const REOPENED = alert(91, { type: 'workforce.pay_period.reopened', subject: '3_7' });
const LATE: Partial<Alert> = { type: 'workforce.timesheet.changed', closedPeriods: ['3_7'] };

const compose = (...given: readonly Alert[]) => composeThreads(given).flatMap(({ message }) => message ?? []);

describe('a channel with a bot', () => {
  test('gets one message for each pay period, in its thread, and one of the rest', () => {
    const other = alert(92, { type: 'workforce.pay_period.closed', subject: '4_7' });
    const trouble = alert(93, { type: 'workforce.trouble.began', subject: null });
    const messages = compose(CLOSED, alert(1), other, trouble, REOPENED);
    expect(messages.map(({ thread, lines }) => [thread, lines.length])).toEqual([
      ['main#3_7', 2],
      [undefined, 2],
      ['main#4_7', 0],
    ]);
  });

  test('reads in the thread of a period what changed after it closed', () => {
    expect(compose(alert(1, LATE)).map(({ thread }) => thread)).toEqual(['main#3_7']);
    const ofTwo = alert(1, { ...LATE, closedPeriods: ['3_7', '4_7'] });
    expect(compose(ofTwo).map(({ thread }) => thread)).toEqual([undefined]);
  });

  test('reads in the thread of a period what waited for its news', () => {
    const waited = alert(1, { waits: 'news', periods: ['3_7'] });
    expect(compose(waited, CLOSED)).toMatchObject([{ thread: 'main#3_7', lines: ['Line 1.'] }]);
    expect(compose({ ...waited, periods: ['4_7'] }, CLOSED)).toHaveLength(2);
  });

  test('gets the urgent message first', () => {
    const urgent = alert(1, { urgent: true });
    expect(compose(CLOSED, urgent).map(({ thread }) => thread)).toEqual([undefined, 'main#3_7']);
  });

  test('gets every alert once', () => {
    const given = [CLOSED, ...alerts(40), alert(41, LATE)];
    const ids = composeThreads(given).flatMap(({ alertIds }) => alertIds);
    expect(ids.sort()).toEqual(given.map(({ id }) => id).sort());
  });

  test('keeps its message through the queue', () => {
    const [message] = compose(CLOSED);
    expect(channelMessageSchema.parse(JSON.parse(JSON.stringify(message)))).toEqual(message);
  });
});
