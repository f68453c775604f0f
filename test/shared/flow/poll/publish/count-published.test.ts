import { expect, test } from 'vitest';
import { countPublished } from '#shared/flow/poll/count-published.ts';
import type { EventPublisher } from '#shared/flow/poll/ports.ts';

const NOW = Date.parse('2026-03-05T01:00:00Z');

const ago = (seconds: number) => new Date(NOW - seconds * 1_000).toISOString();
const event = (type: string, secondsAgo: number, data: object = {}) =>
  JSON.stringify({ type, time: ago(secondsAgo), data });

const refuse = (unpublished: readonly number[]): EventPublisher => ({
  publish: async (texts) => ({ published: texts.length - unpublished.length, unpublished, requests: 1 }),
});

test('events that went out are counted by type, with the longest time since they were seen', async () => {
  const { publisher, counts } = countPublished({ publisher: refuse([1]), clock: { now: () => NOW } });

  await publisher.publish([
    event('workforce.timesheet.approved', 3),
    event('workforce.timesheet.approved', 90),
    event('workforce.pay_period.closed', 20),
  ]);
  await publisher.publish([
    event('workforce.timesheet.approved', 1),
    event('workforce.timesheet.changed', 9),
  ]);

  expect(counts).toEqual({ published_timesheet_approved: 2, published_pay_period_closed: 1, lag_ms: 20_000 });
});

test('how long it took to find what went out is measured', async () => {
  const { publisher, delays } = countPublished({ publisher: refuse([1]), clock: { now: () => NOW } });
  const seen = (after: string | null) => ({ observed: { after, by: ago(1) } });

  await publisher.publish([
    event('workforce.timesheet.approved', 1, seen(ago(60))),
    event('workforce.timesheet.approved', 1, seen(ago(40))),
    event('workforce.timesheet.created', 1, seen(null)),
    event('workforce.trouble.ended', 1),
  ]);

  expect(delays).toEqual([60]);
});

test('the result is that of the publisher', async () => {
  const { publisher } = countPublished({ publisher: refuse([0]), clock: { now: () => NOW } });
  expect(await publisher.publish([event('workforce.timesheet.approved', 1)])).toEqual({
    published: 0,
    unpublished: [0],
    requests: 1,
  });
});
