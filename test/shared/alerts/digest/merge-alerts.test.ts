import { describe, expect, test } from 'vitest';
import { buildSampleEvent } from '#cli/sample-events/sample-events.ts';
import type { Alert } from '#shared/alerts/alert.ts';
import { buildAlert } from '#shared/alerts/build-alert.ts';
import { composeMessages } from '#shared/alerts/digest/digest.ts';
import { describableEventSchema } from '#shared/core/definitions/sentences.ts';
import type { ShortEventType } from '#shared/core/event-types.ts';
import { NO_NAMES } from '#shared/names/names.ts';

describe('an outage of several lists is one sentence', () => {
  test('of the feeds of a connection', () => {
    const feeds = ['pay-periods', 'timesheets'];
    expect(messageOf(feeds.map((feed) => sample('source.unreachable', { feed })))).toMatchObject({
      title: expect.stringMatching(/^The pay periods and timesheets have not been readable since 15:05: /),
      heading: 'The pay periods and timesheets cannot be read',
      lines: [],
    });
    expect(messageOf(feeds.map((feed) => sample('source.recovered', { feed })))).toMatchObject({
      title: expect.stringMatching(/^The pay periods and timesheets are readable again /),
      heading: 'The pay periods and timesheets can be read again',
    });
  });

  test('of dates', () => {
    const slices = ['2026-11-13', '2026-11-14', '2026-11-16'];
    const alerts = slices.map((slice) => sample('slice.unreadable', { slice }));
    expect(messageOf(alerts)).toMatchObject({
      title: expect.stringMatching(
        /^The timesheets of Fri 13 Nov, Sat 14 Nov and Mon 16 Nov have not been readable since 08:17 .*; numbers that include them may be incomplete/,
      ),
      heading: 'The timesheets of Fri 13 Nov, Sat 14 Nov and Mon 16 Nov cannot be read',
    });
    expect(messageOf([...alerts, sample('source.recovered', {})]).title).toBe(
      '1 outage over, 3 dates not readable',
    );
  });

  test('of a date that failed twice in a minute', () => {
    const twice = [0, 1].map(() => sample('slice.unreadable', { slice: '2026-11-13' }));
    const other = sample('slice.unreadable', { slice: '2026-11-13', since: '2026-11-13T19:30:00.000Z' });
    expect(messageOf([...twice, other]).lines).toEqual([twice[0], other].map((each) => each?.line));
  });

  test('that counts as all its dates where there is no room for it', () => {
    const single = Array.from({ length: 11 }, (_, at) => sample('slice.unreadable', { attempts: 50 + at }));
    const merged = ['2026-11-13', '2026-11-14'].map((slice) => sample('slice.unreadable', { slice }));
    const { title, lines, more } = messageOf([...single, ...merged]);
    expect([title, lines.length, more]).toEqual(['13 dates not readable', 10, 3]);
  });
});

test('lists of which something else is said have lines of their own', () => {
  const lists = [
    sample('source.unreachable', { feed: 'pay-periods' }),
    sample('source.unreachable', { failedPolls: 7 }),
    { ...sample('source.unreachable', {}), connection: 'north' },
  ];
  expect(messageOf(lists)).toMatchObject({
    title: '3 outages',
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
  const match = { channel: 'it', urgent: false };
  const event = JSON.parse(buildSampleEvent(type));
  const described = describableEventSchema.parse({
    ...event,
    id: `event-${samples}`,
    data: { ...event.data, ...data },
  });
  return buildAlert(described, {
    match,
    names: NO_NAMES,
    timeZone: 'Pacific/Auckland',
    namesConnection: false,
  });
}
