import { describe, expect, test } from 'vitest';
import { buildSnapshotEvent } from '#shared/core/events/snapshot-events.ts';
import { storedRow, TIMESHEETS, timesheet } from '#test/support/builders.ts';
import { START, WebhookWorld } from '#test/support/webhook-world.ts';

describe('a snapshot', () => {
  test('is posted, and once', async () => {
    const world = new WebhookWorld();
    for (let times = 0; times < 3; times += 1) world.publish(snapshotText(0));
    await world.run();
    expect(world.arrivals.map(({ sequence }) => sequence)).toEqual([0]);
    expect(world.dead).toEqual([]);
  });
});

function snapshotText(sequence: number): string {
  return buildSnapshotEvent(TIMESHEETS, storedRow(timesheet(), { sequence, epoch: START }), () => null) ?? '';
}
