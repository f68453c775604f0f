import { expect, test } from 'vitest';
import { countPublished } from '#shared/flow/poll/count-published.ts';
import type { EventPublisher } from '#shared/flow/poll/ports.ts';
import { eventText } from '#test/shared/freshness/event-text.ts';

const NOW = Date.parse('2026-03-05T01:00:00Z');

const event = (type: string, secondsAgo: number, data: object = {}) =>
  JSON.stringify({ type, time: new Date(NOW - secondsAgo * 1_000).toISOString(), data });

const refuse = (unpublished: readonly number[]): EventPublisher => ({
  publish: async (texts) => ({ published: texts.length - unpublished.length, unpublished, requests: 1 }),
});

test('events that went out are counted by type, with the longest time since they were seen', async () => {
  const { publisher, counts } = countPublished({ publisher: refuse([1]), clock: { now: () => NOW } });

  await publisher.publish([
    event('workforce.timesheet.approved', 3),
    event('workforce.timesheet.approved', 90),
    event('workforce.pay_period.closed', 20, { type: 'workforce.timesheet.removed', time: '2020-01-01' }),
  ]);
  await publisher.publish([event('workforce.timesheet.approved', 1), 'not an event']);

  expect(counts).toEqual({ published_timesheet_approved: 2, published_pay_period_closed: 1, lag_ms: 20_000 });
});

test('the freshness of what went out is measured, of the classes that are asked for', async () => {
  const reported: [string, readonly number[]][] = [];
  const freshness = {
    classes: new Set(['approvals', 'processing'] as const),
    add: (name: string, seconds: readonly number[]) => void reported.push([name, seconds]),
  };
  const by = new Date(NOW - 1_000).toISOString();
  const looked = (seconds: number) => ({
    observed: { after: new Date(NOW - seconds * 1_000).toISOString(), by },
  });
  const ports = { publisher: refuse([3]), clock: { now: () => NOW }, freshness };
  const { publisher, reportFreshness } = countPublished(ports);

  await publisher.publish([
    eventText('timesheet.approved', looked(60)),
    eventText('timesheet.processed', looked(20)),
    eventText('timesheet.clocked_in', looked(30)),
    eventText('timesheet.approved', looked(40)),
    eventText('timesheet.approved', looked(3_600)),
    eventText('timesheet.approved', { observed: { after: null, by } }),
  ]);
  // What was last seen before the restore does not count.
  reportFreshness(NOW - 600_000);

  expect(reported).toEqual([
    ['approvals', [60]],
    ['processing', [20]],
  ]);
});

test('the result is that of the publisher', async () => {
  const { publisher } = countPublished({ publisher: refuse([0]), clock: { now: () => NOW } });
  expect(await publisher.publish([event('workforce.timesheet.approved', 1)])).toEqual({
    published: 0,
    unpublished: [0],
    requests: 1,
  });
});
