import { describe, expect, test } from 'vitest';
import { epochText, idOf, START, WebhookWorld } from '#test/support/webhook-world.ts';

const MINUTE = 60_000;
const [EARLY, LATE] = ['2026-03-04T21:00:00.000Z', '2026-03-04T21:30:00.000Z'];

describe('a record with a new epoch, at an endpoint with an order', () => {
  test('is delivered at once, though its sequences occurred before', async () => {
    const world = new WebhookWorld({ order: 'record' });
    for (const sequence of [1, 2, 3]) world.publish(epochText('r1', { epoch: EARLY, sequence }));
    await world.run();
    for (const sequence of [1, 2]) world.publish(epochText('r1', { epoch: LATE, sequence }));
    await world.run();

    expect(world.taken).toEqual([
      ...[1, 2, 3].map((sequence) => idOf('r1', sequence, EARLY)),
      ...[1, 2].map((sequence) => idOf('r1', sequence, LATE)),
    ]);
    expect(world.now).toBeLessThan(START + MINUTE);
  });

  test('waits for the events of its own epoch only', async () => {
    const world = new WebhookWorld({ order: 'record' });
    for (const sequence of [1, 2, 3]) world.publish(epochText('r1', { epoch: EARLY, sequence }));
    await world.run();
    world.publish(epochText('r1', { epoch: LATE, sequence: 2 }));
    await world.run(world.now + MINUTE);
    expect(world.taken).toHaveLength(3);
    world.publish(epochText('r1', { epoch: LATE, sequence: 1 }));
    await world.run();

    expect(world.taken.slice(3)).toEqual([1, 2].map((sequence) => idOf('r1', sequence, LATE)));
  });

  test('comes in order when both epochs lie in one batch', async () => {
    const world = new WebhookWorld({ order: 'record' });
    world.publish(epochText('r1', { epoch: LATE, sequence: 1 }));
    world.publish(epochText('r1', { epoch: EARLY, sequence: 1 }));
    await world.run();

    expect(world.taken).toEqual([idOf('r1', 1, EARLY), idOf('r1', 1, LATE)]);
  });
});
