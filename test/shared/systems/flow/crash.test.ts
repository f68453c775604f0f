import { expect, test } from 'vitest';
import { readDelivery, writeDelivery } from '#shared/systems/delivery-message.ts';
import { FAULTS, type Fault } from '#test/support/webhook-faults.ts';
import {
  createVerifyingEndpoint,
  eventText,
  idOf,
  NEXT_SECRET,
  START,
  WebhookWorld,
} from '#test/support/webhook-world.ts';

/** Each call of each port goes wrong once, in each of four ways; then the queue gives out again what came back. */

const AWAY_MS = 400_000;
const EVENTS = [
  ['r1', 1],
  ['r1', 2],
  ['r2', 1],
  ['r2', 2],
  ['r3', 1],
] as const;
const IDS = EVENTS.map(([record, sequence]) => idOf(record, sequence)).sort();

test('an endpoint gets every event at least once, and nothing is given up', async () => {
  const checked = await forEveryCall(() => withEvents(), expectAllTaken);
  expect(checked).toBeGreaterThan(80);
});

test('an endpoint that was away gets every event afterwards', async () => {
  const make = () => {
    const world = withEvents();
    world.endpoint = (_, now) => (now < START + AWAY_MS ? 503 : 204);
    return world;
  };
  expect(await forEveryCall(make, expectAllTaken)).toBeGreaterThan(150);
});

test('an endpoint whose secret was replaced gets every event', async () => {
  const make = async () => {
    const world = new WebhookWorld();
    world.publish(eventText('r1', 1));
    await world.run();
    world.secret = NEXT_SECRET;
    world.endpoint = createVerifyingEndpoint(NEXT_SECRET);
    return withEvents(world);
  };
  expect(await forEveryCall(make, expectAllTaken)).toBeGreaterThan(80);
});

test.each([
  ['that is gone is reported', 0, 410],
  ['that does not take them at the last attempt is reported for each', 20, 503],
] as const)('an endpoint %s, and every event is among the dead letters', async (_, attempt, answer) => {
  const make = () => {
    const world = withEvents(new WebhookWorld(), attempt);
    world.endpoint = () => answer;
    return world;
  };
  const checked = await forEveryCall(make, (world) => {
    const dead = world.dead.map(({ body }) => String(JSON.parse(JSON.parse(body).event).id));
    expect([...new Set(dead)].sort()).toEqual(IDS);
    const told = world.published.map(({ type, subject }) => `${type} ${subject}`);
    const subjects = answer === 410 ? ['payroll'] : IDS;
    const expected = subjects.map((subject) => `workforce.trouble.began ${subject}`);
    expect(told).toEqual(expect.arrayContaining(expected));
    expect(new Set(world.deliveryStore.all().map(({ outcome }) => outcome))).toEqual(new Set(['failed']));
    expect(world.waiting).toEqual([]);
  });
  expect(checked).toBeGreaterThan(80);
});

/** Plays a world once for each call and fault, and answers how many times that was. */
async function forEveryCall(
  make: () => WebhookWorld | Promise<WebhookWorld>,
  check: (world: WebhookWorld) => void,
): Promise<number> {
  const healthy = await make();
  const { calls } = healthy.faults;
  const first = calls.length;
  await healthy.run();
  check(healthy);
  for (let call = first; call < calls.length; call += 1)
    for (const fault of FAULTS) {
      const world = await make();
      world.faults.plan(call, fault);
      await world.run();
      explain(() => check(world), `call ${call} (${calls[call]})`, fault);
    }
  return (calls.length - first) * FAULTS.length;
}

function explain(check: () => void, call: string, fault: Fault): void {
  try {
    check();
  } catch (cause) {
    throw new Error(`when ${call} ${fault}: ${cause}`, { cause });
  }
}

function expectAllTaken(world: WebhookWorld): void {
  expect([...new Set(world.taken)].sort()).toEqual(IDS);
  expect([world.dead, world.waiting, world.published]).toEqual([[], [], []]);
}

/** A webhook with the events in its queue, after so many attempts. */
function withEvents(world = new WebhookWorld(), attempt = 0): WebhookWorld {
  for (const [record, sequence] of EVENTS) {
    const text = eventText(record, sequence);
    const delivery = readDelivery(text, { now: START, sentAgain: false });
    if (delivery === null) throw new Error('the text is an event');
    world.publish(attempt === 0 ? text : writeDelivery({ ...delivery, attempt }));
  }
  return world;
}
