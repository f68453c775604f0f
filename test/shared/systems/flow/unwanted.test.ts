import { describe, expect, test } from 'vitest';
import { idOf, WebhookWorld } from '#test/support/webhook-world.ts';
import { play } from './webhook-script.ts';

const HOUR = 3_600_000;
const GONE = 'answer 410; send r1/1; run refused 1, dead r1/1, began payroll';

describe('an endpoint that is gone', () => {
  test('is disabled by its 410, and reported once', async () => {
    const { stateStore, deliveryStore } = await play(
      'answer 410; send r1/1; send r2/1; send r3/1; send r4/1; run refused 4, dead r1/1 r2/1 r3/1 r4/1, began payroll; send r5/1; run dead r5/1',
    );
    const url = 'https://payroll.acme.example/hook';
    expect(await stateStore.loadDisabled('payroll')).toMatchObject({ url });
    expect(await deliveryStore.load(idOf('r1', 1), 'webhook/payroll')).toMatchObject({ answers: ['410'] });
    const unsent = await deliveryStore.load(idOf('r5', 1), 'webhook/payroll');
    expect(unsent).toMatchObject({ outcome: 'failed', attempts: 0, detail: 'disabled' });
    expect(unsent).not.toHaveProperty('answers');
  });

  test.each([
    [
      'has another address in the config is another one',
      'at new; answer 204; send r2/1; run took r2/1, ended payroll; send r3/1; run took r3/1',
    ],
    [
      'is enabled by a person gets events again, and says so once',
      'enable; answer 204; send r2/1; run took r2/1, ended payroll; send r3/1; run took r3/1',
    ],
    [
      'comes back to its address is asked again',
      'at new; answer 204; send r2/1; run took r2/1, ended payroll; at hook; send r3/1; run took r3/1',
    ],
    [
      'is gone again after it was enabled is reported again, as another event',
      'enable; send r2/1; run refused 1, dead r2/1, ended payroll, began payroll',
    ],
  ])('and %s', async (_, script) => {
    await play(`${GONE}; ${script}`);
  });

  test('and is enabled for several at the same time is reported as one event', async () => {
    const [first, second] = [await play(GONE), new WebhookWorld()];
    Object.assign(second, { stateStore: first.stateStore, now: first.now + HOUR });
    const texts = [first, second].map(async (world) => {
      await play('at new; send r2/1; answer 204; run took r2/1, ended payroll', world);
      return world.published.at(-1)?.text;
    });
    expect(new Set(await Promise.all(texts)).size).toBe(1);
  });

  test('and says so to several at the same time is reported as one event', async () => {
    const [first, second] = [new WebhookWorld(), new WebhookWorld()];
    Object.assign(second, { stateStore: first.stateStore, now: first.now + 1 });
    await Promise.all([play(GONE, first), play(GONE, second)]);
    expect(second.published).toEqual(first.published);
  });

  test('is not charged with what it never wanted, nor with what it has', async () => {
    const world = new WebhookWorld({ filter: { type: ['workforce.timesheet.changed'] } });
    await play(
      'send r1/1; run took r1/1; answer 410; send r2/1; run refused 1, dead r2/1, began payroll; send r1/1; send r3/1 approved; run',
      world,
    );
    const kept = await world.deliveryStore.load(idOf('r1', 1), 'webhook/payroll');
    expect(kept).toMatchObject({ outcome: 'delivered' });
  });
});

test('what is sent to the queue past the topics is posted only when the endpoint wants it', async () => {
  const world = new WebhookWorld({ filter: { organisationId: ['16_1'] } });
  await play('send r1/1 again; send r2/1 elsewhere again; send r3/1 closing again; run took r1/1', world);
  expect(world.waiting).toEqual([]);
});
