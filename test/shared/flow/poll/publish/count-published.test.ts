import { expect, test } from 'vitest';
import { countPublished } from '#shared/flow/poll/finish-poll.ts';
import type { EventPublisher } from '#shared/flow/poll/ports.ts';

const NOW = Date.parse('2026-03-05T01:00:00Z');

const event = (type: string, secondsAgo: number, data: object = {}) =>
  JSON.stringify({ type, time: new Date(NOW - secondsAgo * 1_000).toISOString(), data });

const refuse = (unpublished: readonly number[]): EventPublisher => ({
  publish: async (texts) => ({ published: texts.length - unpublished.length, unpublished, requests: 1 }),
});

test('events that went out are counted by type, with the longest time since they were seen', async () => {
  const { publisher, counts } = countPublished(refuse([1]), { now: () => NOW });

  await publisher.publish([
    event('workforce.timesheet.approved', 3),
    event('workforce.timesheet.approved', 90),
    event('workforce.pay_period.closed', 20, { type: 'workforce.timesheet.removed', time: '2020-01-01' }),
  ]);
  await publisher.publish([event('workforce.timesheet.approved', 1), 'not an event']);

  expect(counts).toEqual({ published_timesheet_approved: 2, published_pay_period_closed: 1, lag_ms: 20_000 });
});

test('the result is that of the publisher', async () => {
  const { publisher } = countPublished(refuse([0]), { now: () => NOW });
  expect(await publisher.publish([event('workforce.timesheet.approved', 1)])).toEqual({
    published: 0,
    unpublished: [0],
    requests: 1,
  });
});
