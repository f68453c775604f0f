import { describe, expect, test } from 'vitest';
import type { ShortEventType } from '#shared/core/event-types.ts';
import type { Alert } from '#shared/people/alert.ts';
import { composeMessages } from '#shared/people/digest/digest.ts';
import { alertOf, describableExample, troubleData } from '#test/support/example-alert.ts';

const LATE = { ...troubleData('feed_late', 'trouble.began'), feed: 'timesheets' };
const ENDED = { ...troubleData('feed_late', 'trouble.ended'), feed: 'timesheets' };

describe('an outage of several lists is one sentence', () => {
  test('of the feeds of a connection', () => {
    const feeds = ['pay-periods', 'timesheets'];
    expect(messageOf(feeds.map((feed) => sample('trouble.began', { ...LATE, feed })))).toMatchObject({
      title: expect.stringMatching(/^Changes of pay periods and timesheets are seen late since 17:00\. /),
      heading: 'Changes of pay periods and timesheets are seen late since 17:00',
      lines: [],
    });
    expect(messageOf(feeds.map((feed) => sample('trouble.ended', { ...ENDED, feed })))).toMatchObject({
      heading: 'Changes of pay periods and timesheets are seen in time again since 17:51',
    });
  });

  test('of dates', () => {
    const dates = ['2026-11-13', '2026-11-14', '2026-11-16'];
    const alerts = dates.map((date) => sample('trouble.began', { about: [date] }));
    expect(messageOf(alerts)).toMatchObject({
      title: expect.stringMatching(
        /^We cannot see timesheets of Fri 13 Nov, Sat 14 Nov and Mon 16 Nov since /,
      ),
      heading: 'We cannot see timesheets of Fri 13 Nov, Sat 14 Nov and Mon 16 Nov since 17:00',
    });
    expect(messageOf([...alerts, sample('trouble.ended', ENDED)]).title).toBe('3 troubles, 1 trouble over');
  });

  test('whose heading has no room for them is cut', () => {
    const dates = Array.from({ length: 5 }, (_, n) => `2026-11-1${n}`);
    const alerts = dates.map((date) => sample('trouble.began', { about: [date] }));
    expect(messageOf(alerts).heading).toMatch(/^We cannot see timesheets of Tue 10 Nov, .*\.\.\.$/);
  });

  test('of a date that failed twice in a minute', () => {
    const twice = [0, 1].map(() => sample('trouble.began', {}));
    const other = sample('trouble.began', { since: '2026-11-13T19:30:00.000Z' });
    expect(messageOf([...twice, other]).lines).toEqual([twice[0], other].map((each) => each?.line));
  });

  test('that counts as all its dates where there is no room for it', () => {
    const single = Array.from({ length: 11 }, (_, at) => sample('trouble.began', { cause: `${at}` }));
    const merged = ['2026-11-13', '2026-11-14'].map((date) => sample('trouble.began', { about: [date] }));
    const { title, lines, more } = messageOf([...single, ...merged]);
    expect([title, lines.length, more]).toEqual(['13 troubles', 10, 3]);
  });
});

test('lists of which something else is said have lines of their own', () => {
  const lists = [
    sample('trouble.began', { ...LATE, feed: 'pay-periods' }),
    sample('trouble.began', { ...LATE, cause: 'source_failed' }),
    { ...sample('trouble.began', LATE), connection: 'north' },
  ];
  expect(messageOf(lists)).toMatchObject({
    title: '3 troubles',
    lines: lists.map(({ line }) => line),
  });
});

function messageOf(alerts: readonly Alert[]) {
  const composed = composeMessages(alerts);
  const message = composed[0]?.message;
  if (message == null) throw new Error('there is no message');
  expect(composed[0]?.alertIds.toSorted()).toEqual(alerts.map(({ id }) => id).sort());
  return message;
}

let samples = 0;

function sample(type: ShortEventType, data: object): Alert {
  samples += 1;
  const event = describableExample(type, { id: `event-${samples}`, data });
  return alertOf(event, { match: { channel: 'it', urgent: false } });
}

test('records that cannot be read are named one by one, or counted', () => {
  const unreadable = (about: readonly string[]) =>
    messageOf([
      sample('trouble.began', {
        ...troubleData('records_unreadable', 'trouble.began'),
        feed: 'timesheets',
        about,
        count: about.length,
      }),
    ]);
  expect(unreadable(['101_7']).heading).toMatch(/^We cannot read one of the timesheets since /);
  expect(unreadable(['101_7', '102_7', '103_7']).heading).toMatch(
    /^We cannot read 3 of the timesheets since /,
  );
});
