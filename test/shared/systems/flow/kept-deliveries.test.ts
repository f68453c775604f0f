import { describe, expect, test } from 'vitest';
import { eventText, START, WebhookWorld } from '#test/support/webhook-world.ts';

describe('the delivery store', () => {
  test('lists what every attempt was answered, and when the next one is', async () => {
    const answers = [500, 'timeout', 503];
    const world = new WebhookWorld();
    world.endpoint = () => answers.shift() ?? 204;
    world.publish(eventText('r1', 1));

    await world.run(START + 10 * 60_000);
    const [waiting] = world.deliveryStore.all();
    expect(waiting).toMatchObject({ outcome: 'waiting', attempts: 3, answers: ['500', 'timeout', '503'] });
    expect(waiting?.nextAt).toBeGreaterThan(START + 30 * 60_000);

    await world.run();
    const [delivered] = world.deliveryStore.all();
    expect(delivered).toMatchObject({ outcome: 'delivered', attempts: 4, detail: null });
    expect(delivered?.answers).toEqual(['500', 'timeout', '503']);
    expect(delivered?.at).toBeGreaterThanOrEqual(waiting?.nextAt ?? Number.NaN);
    expect(delivered).not.toHaveProperty('nextAt');
  });

  test('counts no answer for an event that was not sent because the endpoint is gone', async () => {
    const world = new WebhookWorld();
    world.endpoint = () => 410;
    world.publish(eventText('r1', 1));
    await world.run();
    world.publish(eventText('r2', 1));
    await world.run();

    expect(world.deliveryStore.all()).toMatchObject([
      { answers: ['410'] },
      { attempts: 0, detail: 'disabled' },
    ]);
    expect(world.deliveryStore.all()[1]).not.toHaveProperty('answers');
  });
});

test('nothing of what is in an event, and no address, is in the log', async () => {
  const world = new WebhookWorld();
  world.endpoint = () => 500;
  world.publish(eventText('r1', 1));
  await world.run();

  const log = JSON.stringify(world.lines);
  expect(world.lines.filter(({ outcome }) => outcome === 'delivery.attempted')).toHaveLength(21);
  expect(['Zo', '/hook', 'acme', 'whsec', '"r1"'].filter((text) => log.includes(text))).toEqual([]);
});

test('a message that only waits is not in the log', async () => {
  const world = new WebhookWorld();
  world.endpoint = () => 500;
  world.publish(eventText('r1', 1));
  await world.run();

  expect(world.invocations).toBeGreaterThan(300);
  expect(world.lines).toHaveLength(42);
});
