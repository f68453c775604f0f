import { describe, expect, test } from 'vitest';
import { buildSnapshotEvent } from '#shared/snapshots/snapshot-events.ts';
import { leafRow, TIMESHEETS, timesheet } from '#test/support/builders.ts';
import { eventText, isTaken, START, WebhookWorld } from '#test/support/webhook-world.ts';

const HOUR = 3_600_000;

describe('a snapshot', () => {
  test.each(['none', 'record'] as const)('is posted, and once, with order %s', async (order) => {
    const world = new WebhookWorld({ order });
    for (let times = 0; times < 3; times += 1) world.publish(snapshotText(0));
    await world.run();
    expect(world.arrivals.map(({ sequence }) => sequence)).toEqual([0]);
    expect(world.dead).toEqual([]);
  });

  test('that is wanted again is posted again', async () => {
    const world = new WebhookWorld();
    world.publish(snapshotText(4));
    await world.run();
    world.publish(snapshotText(4), { replayed: true });
    await world.run();
    expect(world.arrivals).toHaveLength(2);
    expect(world.arrivals[1]?.request.body).toBe(world.arrivals[0]?.request.body);
  });

  test('does not wait for the events before it, nor let those after it overtake', async () => {
    const world = new WebhookWorld({ order: 'record' });
    const failing = JSON.parse(eventText('1001_7', 2)).id;
    world.endpoint = ({ headers }, now) =>
      headers['webhook-id'] === failing && now < START + HOUR ? 500 : 204;
    for (const sequence of [1, 2, 3, 4]) world.publish(eventText('1001_7', sequence));
    world.publish(snapshotText(3));
    await world.run();
    const { id } = JSON.parse(snapshotText(3));
    const taken = world.arrivals.filter(isTaken);
    expect(taken.filter(({ eventId }) => eventId !== id).map(({ sequence }) => sequence)).toEqual([
      1, 2, 3, 4,
    ]);
    expect(taken.find(({ eventId }) => eventId === id)?.at).toBeLessThan(START + HOUR);
  });

  test('that cannot be delivered holds up no event', async () => {
    const world = new WebhookWorld({ order: 'record' });
    const snapshot = JSON.parse(snapshotText(2)).id;
    world.endpoint = ({ headers }) => (headers['webhook-id'] === snapshot ? 500 : 204);
    world.publish(snapshotText(2));
    for (const sequence of [1, 2, 3]) world.publish(eventText('1001_7', sequence));
    await world.run(START + HOUR);
    expect(
      world.arrivals.filter(({ eventId }) => world.taken.includes(eventId)).map(({ sequence }) => sequence),
    ).toEqual([1, 2, 3]);
  });

  test('does not hold up its record when it is interrupted', async () => {
    const rehearsal = pair();
    await rehearsal.invoke();
    const loads = rehearsal.faults.calls.flatMap((name, call) => (name === 'ledger.load' ? [call] : []));
    expect(loads).toHaveLength(2);
    for (const call of loads) {
      const world = pair();
      world.faults.plan(call, 'fails before');
      await world.invoke();
      expect(world.arrivals).toHaveLength(1);
      await world.run();
      expect(world.arrivals).toHaveLength(2);
    }
  });
});

function pair(): WebhookWorld {
  const world = new WebhookWorld({ order: 'record' });
  world.publish(snapshotText(0));
  world.publish(eventText('1001_7', 1));
  return world;
}

function snapshotText(sequence: number): string {
  return buildSnapshotEvent(TIMESHEETS, leafRow(timesheet(), { sequence, epoch: START }), () => null);
}
