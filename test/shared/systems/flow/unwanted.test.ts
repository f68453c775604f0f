import { describe, expect, test } from 'vitest';
import { markEnabled } from '#shared/systems/disabled-webhook.ts';
import { eventText, idOf, WebhookWorld } from '#test/support/webhook-world.ts';

const HOUR = 3_600_000;
const URL = 'https://payroll.acme.example/hook';
const ID = idOf('r1', 1);

describe('an endpoint that is gone', () => {
  test('is disabled by its 410, and reported once', async () => {
    const world = failing(410);
    for (const record of ['r2', 'r3', 'r4']) world.publish(eventText(record, 1));
    await world.run();
    world.publish(eventText('r5', 1));
    await world.run();

    expect(world.arrivals).toHaveLength(4);
    expect(world.dead).toHaveLength(5);
    expect(world.published.map(({ type, subject }) => [type, subject])).toEqual([
      ['workforce.trouble.began', 'payroll'],
    ]);
    expect(await world.stateStore.loadDisabled('payroll')).toMatchObject({ url: URL });
    expect(await world.deliveryStore.load(idOf('r5', 1), 'webhook/payroll')).toMatchObject({
      outcome: 'failed',
      attempts: 0,
      detail: 'disabled',
    });
  });

  test('and has another address in the config is another one', async () => {
    const world = failing(410);
    await world.run();
    world.webhook = { ...world.webhook, url: 'https://payroll.acme.example/new' };
    world.endpoint = () => 204;
    world.publish(eventText('r2', 1));
    await world.run();

    expect(world.taken).toEqual([idOf('r2', 1)]);
    expect(world.published.map(({ type, subject }) => [type, subject])).toEqual([
      ['workforce.trouble.began', 'payroll'],
      ['workforce.trouble.ended', 'payroll'],
    ]);
    expect(JSON.parse(world.published[1]?.text ?? '').data).toMatchObject({ about: ['payroll'] });
    expect(await world.stateStore.loadDisabled('payroll')).toBeNull();
  });

  test('and is enabled by a person gets events again, and says so once', async () => {
    const world = failing(410);
    await world.run();
    const disabled = await world.stateStore.loadDisabled('payroll');
    if (disabled === null) throw new Error('it is not disabled');
    await world.stateStore.saveDisabled('payroll', markEnabled(disabled, world.now));
    world.endpoint = () => 204;
    world.publish(eventText('r2', 1));
    await world.run();
    world.publish(eventText('r3', 1));
    await world.run();

    expect(world.taken).toEqual([idOf('r2', 1), idOf('r3', 1)]);
    expect(world.published.map(({ type }) => type)).toEqual([
      'workforce.trouble.began',
      'workforce.trouble.ended',
    ]);
  });

  test('and is enabled for several at the same time is reported as one event', async () => {
    const worlds = [failing(410), failing(410)];
    const [first, second] = worlds;
    await first?.run();
    for (const [index, world] of worlds.entries()) {
      const url = 'https://payroll.acme.example/new';
      Object.assign(world, { stateStore: first?.stateStore, now: world.now + index * HOUR });
      world.webhook = { ...world.webhook, url };
      world.endpoint = () => 204;
    }
    first?.publish(eventText('r2', 1));
    await Promise.all([first?.run(), second?.run()]);

    const texts = worlds.flatMap(({ published }) => published.map(({ text }) => text));
    const enabled = texts.filter((text) => text.includes('trouble.ended'));
    expect(enabled.length).toBeGreaterThan(0);
    expect(new Set(enabled).size).toBe(1);
  });

  test('and comes back to its address is asked again', async () => {
    const world = failing(410);
    await world.run();
    for (const url of ['https://payroll.acme.example/new', URL]) {
      world.webhook = { ...world.webhook, url };
      world.endpoint = () => 204;
      world.publish(eventText(url, 1));
      await world.run();
    }

    expect(world.taken).toEqual([idOf('https://payroll.acme.example/new', 1), idOf(URL, 1)]);
  });

  test('and is gone again after it was enabled is reported again, as another event', async () => {
    const world = failing(410);
    await world.run();
    await world.stateStore.saveDisabled('payroll', null);
    world.now += HOUR;
    world.publish(eventText('r2', 1));
    await world.run();

    const ids = world.published.map(({ text }) => JSON.parse(text).id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(2);
  });

  test('and says so to several at the same time is reported as one event', async () => {
    const worlds = [failing(410), failing(410)];
    const [first] = worlds;
    for (const world of worlds)
      Object.assign(world, { stateStore: first?.stateStore, now: world.now + worlds.indexOf(world) });
    await Promise.all(worlds.map((world) => world.run()));

    const texts = worlds.flatMap(({ published }) => published.map(({ text }) => text));
    expect(new Set(texts).size).toBe(1);
  });

  test('is not charged with what it never wanted, nor with what it has', async () => {
    const world = new WebhookWorld({ filter: { type: ['workforce.timesheet.changed'] } });
    world.publish(eventText('r1', 1));
    await world.run();
    world.endpoint = () => 410;
    world.publish(eventText('r2', 1));
    await world.run();
    world.publish(eventText('r1', 1));
    world.publish(eventText('r3', 1, { type: 'workforce.timesheet.approved' }));
    await world.run();

    expect(world.dead.map(({ body }) => JSON.parse(JSON.parse(body).event).subject)).toEqual(['r2']);
    expect(await world.deliveryStore.load(ID, 'webhook/payroll')).toMatchObject({ outcome: 'delivered' });
  });
});

describe('what is sent to the queue past the topics', () => {
  test('is posted only when the endpoint wants it', async () => {
    const world = new WebhookWorld({ filter: { organisationId: ['16_1'] } });
    const elsewhere = { data: { organisationId: '99_1', late: [] } };
    const period = { source: '/connections/main/pay-periods', type: 'workforce.pay_period.closed' };
    world.publish(eventText('r1', 1), { sentAgain: true });
    world.publish(eventText('r2', 1, elsewhere), { sentAgain: true });
    world.publish(eventText('r3', 1, period), { sentAgain: true });
    await world.run();

    expect(world.taken).toEqual([ID]);
    expect(world.dead).toEqual([]);
  });
});

function failing(answer: number): WebhookWorld {
  const world = new WebhookWorld();
  world.endpoint = () => answer;
  world.publish(eventText('r1', 1));
  return world;
}
