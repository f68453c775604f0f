import { describe, expect, test } from 'vitest';
import { FAULTS, type Fault } from '#test/support/webhook-faults.ts';
import {
  createVerifyingEndpoint,
  eventText,
  idOf,
  isTaken,
  NEXT_SECRET,
  START,
  WebhookWorld,
} from '#test/support/webhook-world.ts';

/** Each call of each port goes wrong once, in each of four ways; then the queue gives out again what came back. */

const HOUR = 3_600_000;
/** With an order many calls only wait for an earlier event: a shorter time has all kinds of them too. */
const AWAY_MS = { none: 400_000, record: 4_000 };
const EVENTS = [
  ['r1', 1],
  ['r1', 2],
  ['r2', 1],
  ['r2', 2],
  ['r3', 1],
] as const;
const IDS = EVENTS.map(([record, sequence]) => idOf(record, sequence)).sort();

describe.each(['none', 'record'] as const)('with order %s, whatever call goes wrong', (order) => {
  test('an endpoint gets every event at least once, and nothing is given up', async () => {
    const checked = await forEveryCall({
      make: () => worldOf(order),
      check(world) {
        expect([...new Set(world.taken)].sort()).toEqual(IDS);
        expect([world.dead, world.waiting, world.published]).toEqual([[], [], []]);
        if (order === 'record') expectOrder(world);
      },
    });
    expect(checked).toBeGreaterThan(80);
  });

  test('an endpoint that was away gets every event afterwards', async () => {
    const checked = await forEveryCall({
      make() {
        const world = worldOf(order);
        world.endpoint = (_, now) => (now < START + AWAY_MS[order] ? 503 : 204);
        return world;
      },
      check(world) {
        expect([...new Set(world.taken)].sort()).toEqual(IDS);
        expect([world.dead, world.waiting, world.published]).toEqual([[], [], []]);
        if (order === 'record') expectOrder(world);
      },
    });
    expect(checked).toBeGreaterThan(150);
  });

  test('an endpoint whose secret was replaced gets every event', async () => {
    const checked = await forEveryCall({
      async make() {
        const world = new WebhookWorld({ order });
        world.publish(eventText('r0', 1));
        await world.run();
        world.secret = NEXT_SECRET;
        world.endpoint = createVerifyingEndpoint(() => NEXT_SECRET);
        return withEvents(world);
      },
      check(world) {
        expect([...new Set(world.taken)].sort()).toEqual([...IDS, idOf('r0', 1)].sort());
        expect(world.dead).toEqual([]);
      },
    });
    expect(checked).toBeGreaterThan(80);
  });

  test('an endpoint that is gone is reported, and every event is among the dead letters', async () => {
    const checked = await forEveryCall({
      make() {
        const world = worldOf(order);
        world.endpoint = () => 410;
        return world;
      },
      check(world) {
        expect(deadIds(world)).toEqual(IDS);
        expect(world.published.map(({ type }) => type)).toContain('workforce.webhook.disabled');
        expect(new Set(world.ledger.all().map(({ outcome }) => outcome))).toEqual(new Set(['failed']));
        expect(world.waiting).toEqual([]);
      },
    });
    expect(checked).toBeGreaterThan(80);
  });

  test('an endpoint that never comes back costs no event before 14 days, and each is reported', async () => {
    const checked = await forEveryCall({
      // One in so many calls: most of them only keep a message waiting.
      every: order === 'none' ? 1_201 : 12_007,
      make() {
        const world = worldOf(order);
        world.endpoint = () => 'timeout';
        return world;
      },
      check(world) {
        expect(deadIds(world)).toEqual(IDS);
        expect(Math.min(...world.dead.map(({ at }) => at))).toBeGreaterThan(START + 14 * 24 * HOUR);
        expect([...new Set(world.published.map(({ subject }) => subject))].sort()).toEqual(IDS);
      },
    });
    expect(checked).toBeGreaterThan(12);
  });
});

interface Story {
  readonly make: () => WebhookWorld | Promise<WebhookWorld>;
  readonly check: (world: WebhookWorld) => void;
  readonly every?: number;
}

/** Tells a story once for each call and fault, and answers how many times that was. */
async function forEveryCall({ make, check, every = 1 }: Story): Promise<number> {
  const healthy = await make();
  const first = healthy.faults.calls.length;
  await healthy.run();
  check(healthy);
  let published = 0;
  for (let call = first; call < healthy.faults.calls.length; call += every) {
    for (const fault of FAULTS) {
      const world = await make();
      world.faults.plan(call, fault);
      await world.run();
      explain(() => check(world), { name: healthy.faults.calls[call], call, fault });
      published += 1;
    }
  }
  return published;
}

function explain(check: () => void, what: { name: string | undefined; call: number; fault: Fault }): void {
  try {
    check();
  } catch (cause) {
    throw new Error(`when call ${what.call} (${what.name}) ${what.fault}: ${cause}`, { cause });
  }
}

function worldOf(order: 'none' | 'record'): WebhookWorld {
  return withEvents(new WebhookWorld({ order }));
}

function withEvents(world: WebhookWorld): WebhookWorld {
  for (const [record, sequence] of EVENTS) world.publish(eventText(record, sequence));
  return world;
}

/** What is taken for the first time is taken by its sequence. */
function expectOrder(world: WebhookWorld): void {
  const seen = new Map<string, number[]>();
  for (const { record, sequence } of world.arrivals.filter(isTaken)) {
    const known = seen.get(record) ?? [];
    if (!known.includes(sequence)) seen.set(record, [...known, sequence]);
  }
  for (const sequences of seen.values()) expect(sequences).toEqual([...sequences].sort());
}

function deadIds(world: WebhookWorld): string[] {
  return [...new Set(world.dead.map(({ body }) => String(JSON.parse(JSON.parse(body).event).id)))].sort();
}
