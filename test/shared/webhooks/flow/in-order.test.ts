import { describe, expect, test } from 'vitest';
import { deliverWebhooks } from '#shared/webhooks/flow/deliver-webhooks.ts';
import { Random } from '#test/simulation/random.ts';
import { EPOCH, eventText, idOf, isTaken, START, WebhookWorld } from '#test/support/webhook-world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const CURSOR = `/connections/main/timesheets#r1#${EPOCH}`;

describe('the events of a record', () => {
  test('are posted by their sequence, however they come', async () => {
    const world = ordered();
    for (const sequence of [3, 1, 4, 2]) world.publish(eventText('r1', sequence));

    await world.run();

    expect(sequencesOf(world, 'r1')).toEqual([1, 2, 3, 4]);
    expect(world.now).toBeLessThan(START + MINUTE);
  });

  test('wait three minutes for one that never comes', async () => {
    const world = ordered();
    world.publish(eventText('r1', 1));
    world.publish(eventText('r1', 3));
    await world.run();

    expect(sequencesOf(world, 'r1')).toEqual([1, 3]);
    expect(world.arrivals.at(-1)?.at).toBe(START + 3 * MINUTE + 20);
  });

  test('wait longer for one that never comes while an event before it is tried again', async () => {
    const world = ordered();
    const bad = idOf('r1', 2);
    world.endpoint = ({ headers }, now) => (headers['webhook-id'] === bad && now < START + HOUR ? 500 : 204);
    for (const sequence of [1, 2, 3, 6, 7]) world.publish(eventText('r1', sequence));
    await world.run();

    expect(sequencesOf(world, 'r1')).toEqual([1, 2, 3, 6, 7]);
  });

  test('that wait for one that is tried again and again are not given up, at whatever instant they came', async () => {
    const world = ordered();
    world.endpoint = (_, now) => (now < START + 20 * MINUTE ? 500 : 204);
    const sequences = [1, 2, 3, 4, 5, 6, 7];
    for (const sequence of sequences) world.publish(eventText('r1', sequence), { delayMs: sequence * 777.7 });

    await world.run();

    expect(world.dead).toEqual([]);
    expect(sequencesOf(world, 'r1')).toEqual(sequences);
  });

  test('wait for one that was received, although there was no time to post it', async () => {
    const world = ordered();
    world.endpoint = () => {
      world.now += 50 * SECOND;
      return 204;
    };
    for (const sequence of [1, 2]) world.publish(eventText('r1', sequence));
    await world.invoke();

    expect(sequencesOf(world, 'r1')).toEqual([1]);
    expect(world.ledger.all()).toContainEqual(
      expect.objectContaining({ eventId: idOf('r1', 2), outcome: 'waiting' }),
    );
  });

  test('of a time before the webhook are not waited for longer than that', async () => {
    const world = ordered();
    for (const sequence of [41, 42]) world.publish(eventText('r1', sequence));
    await world.run();
    world.publish(eventText('r1', 43));
    const before = world.now;
    await world.run();

    expect(sequencesOf(world, 'r1')).toEqual([41, 42, 43]);
    expect(world.arrivals.map(({ at }) => at)).toEqual([START + 3 * MINUTE, expect.any(Number), before]);
  });

  test.each(['stateStore.loadDisabled', 'ledger.load', 'stateStore.loadCursor', 'ledger.save'])(
    'keep their order when %s fails for the first of them, and the others come in batches of their own',
    async (name) => {
      const rehearsal = ordered();
      rehearsal.publish(eventText('r1', 2));
      await rehearsal.invoke();
      const world = ordered();
      world.faults.plan(rehearsal.faults.calls.indexOf(name), 'fails before');
      for (const [delayMs, sequence] of [2, 3, 4].entries())
        world.publish(eventText('r1', sequence), { delayMs: delayMs * SECOND });
      await world.run();

      expect(rehearsal.faults.calls).toContain(name);
      expect(sequencesOf(world, 'r1')).toEqual([2, 3, 4]);
    },
  );

  test('go out, late, even after later ones: none is lost', async () => {
    const world = ordered();
    for (const sequence of [1, 3]) world.publish(eventText('r1', sequence));
    await world.run();
    world.publish(eventText('r1', 2));
    await world.run();

    expect(sequencesOf(world, 'r1')).toEqual([1, 3, 2]);
  });

  test('wait behind one that is tried again, and others do not', async () => {
    const world = ordered();
    const bad = idOf('r1', 2);
    world.endpoint = ({ headers }, now) => (headers['webhook-id'] === bad && now < START + HOUR ? 500 : 204);
    for (const sequence of [1, 2, 3, 4]) world.publish(eventText('r1', sequence));
    for (const sequence of [1, 2, 3, 4]) world.publish(eventText('r2', sequence));
    await world.run();

    expect(sequencesOf(world, 'r1')).toEqual([1, 2, 3, 4]);
    expect(sequencesOf(world, 'r2')).toEqual([1, 2, 3, 4]);
    const [, , third] = world.arrivals.filter((each) => isTaken(each) && each.record === 'r1');
    expect(third?.at).toBeGreaterThan(START + HOUR);
    const others = world.arrivals.filter(({ record }) => record === 'r2');
    expect(Math.max(...others.map(({ at }) => at))).toBeLessThan(START + MINUTE);
  });

  test('go on when one before them is refused, and all are within a week', async () => {
    const world = ordered();
    world.endpoint = ({ headers }) => (headers['webhook-id'] === idOf('r1', 2) ? 422 : 204);
    for (const sequence of [1, 2, 3]) world.publish(eventText('r1', sequence));
    await world.run();

    expect(sequencesOf(world, 'r1')).toEqual([1, 3]);
    expect(world.dead.map(({ body }) => JSON.parse(JSON.parse(body).event).sequence)).toEqual([2]);
    expect(world.arrivals.at(-1)?.at).toBeLessThan(START + 76 * HOUR);
  });

  test('are not held for two weeks each by an endpoint that never comes back', async () => {
    const world = ordered();
    world.endpoint = () => 'connection_failed';
    for (const sequence of [1, 2, 3, 4, 5]) world.publish(eventText('r1', sequence));
    await world.run();

    expect(world.dead).toHaveLength(5);
    const tries = [1, 2, 3, 4, 5].map(
      (each) => world.arrivals.filter(({ sequence }) => sequence === each).length,
    );
    expect(tries).toEqual([21, 4, 4, 4, 4]);
    expect(world.dead.at(-1)?.at).toBeLessThan(START + 15 * 24 * HOUR);
  });

  test('are tried more than once when they have waited for three days behind one that is never taken', async () => {
    const world = ordered();
    const bad = idOf('r1', 1);
    const failed = new Set<string>();
    world.endpoint = ({ headers }) => {
      const id = headers['webhook-id'] ?? '';
      if (id !== bad && failed.has(id)) return 204;
      failed.add(id);
      return 503;
    };
    for (const sequence of [1, 2, 3]) world.publish(eventText('r1', sequence));
    await world.run();

    expect(sequencesOf(world, 'r1')).toEqual([2, 3]);
    expect(world.dead).toHaveLength(1);
  });

  test('cost little while they wait', async () => {
    const world = ordered();
    world.endpoint = () => 'connection_failed';
    for (const sequence of [1, 2]) world.publish(eventText('r1', sequence));
    await world.run();

    // Every five minutes, and a retry that is hours away every quarter of an hour.
    expect(world.invocations).toBeLessThan(15 * 24 * (12 + 4) + 100);
  });

  test('are in order after two days without an endpoint', async () => {
    const random = new Random(5);
    const world = ordered();
    world.random = () => random.next();
    world.endpoint = (_, now) => (now < START + 48 * HOUR || random.chance(0.1) ? 503 : 204);
    const sent = Array.from(
      { length: 60 },
      (_, index) => [`r${index % 6}`, 1 + Math.floor(index / 6)] as const,
    );
    for (const [index, [record, sequence]] of sent.entries())
      world.publish(eventText(record, sequence), { delayMs: index * HOUR + random.between(0, 60) * SECOND });
    await world.run();

    for (let record = 0; record < 6; record += 1)
      expect(sequencesOf(world, `r${record}`)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(world.dead).toEqual([]);
  });

  test('are in order when two processes have some each at the same time', async () => {
    const world = ordered();
    let finish: (() => void) | null = null;
    const ports = world.ports();
    const slow = {
      ...ports,
      client: {
        post: async (request: Parameters<typeof ports.client.post>[0]) => {
          await new Promise<void>((resolve) => {
            finish = resolve;
          });
          return ports.client.post(request);
        },
      },
    };
    const first = deliverWebhooks(batchOf(world, eventText('r1', 1)), slow);
    await until(() => finish !== null);
    await deliverWebhooks(batchOf(world, eventText('r1', 2)), ports);
    expect(world.arrivals).toEqual([]);
    (finish as (() => void) | null)?.();
    await first;
    await world.run();

    expect(sequencesOf(world, 'r1')).toEqual([1, 2]);
  });

  test('come back together when one of them does', async () => {
    const world = ordered();
    for (const sequence of [1, 2]) world.publish(eventText('r1', sequence));
    world.publish(eventText('r2', 1));
    const call = 1;
    world.faults.plan(call, 'fails before');
    await world.invoke();

    expect(world.faults.calls[call]).toBe('ledger.load');
    expect(world.arrivals.map(({ record }) => record)).toEqual(['r2']);
    await world.run();
    expect(sequencesOf(world, 'r1')).toEqual([1, 2]);
  });

  test('wait for one whose process died in the middle', async () => {
    const world = ordered();
    world.publish(eventText('r1', 1));
    world.publish(eventText('r1', 2), { delayMs: SECOND });
    world.faults.plan(4, 'dies before');
    await world.invoke();

    expect(world.faults.calls.slice(4)).toEqual(['signer.sign']);
    await world.run();
    expect(sequencesOf(world, 'r1')).toEqual([1, 2]);
    expect(world.now).toBeGreaterThan(START + 2 * MINUTE);
  });

  test('move the cursor although they were settled before', async () => {
    const world = ordered();
    world.publish(eventText('r1', 1));
    world.faults.plan(7, 'fails before');
    await world.invoke();

    expect(world.faults.calls.slice(7)).toEqual(['stateStore.advanceCursor']);
    await world.run();
    expect(sequencesOf(world, 'r1')).toEqual([1]);
    expect(await world.stateStore.loadCursor('payroll', CURSOR)).toBe(1);
  });

  test('that are not wanted are passed over in their turn', async () => {
    const world = ordered({ filter: { type: ['workforce.timesheet.changed'] } });
    const bad = idOf('r1', 1);
    world.endpoint = ({ headers }, now) =>
      headers['webhook-id'] === bad && now < START + 10 * SECOND ? 500 : 204;
    for (const sequence of [1, 2, 3, 4, 5]) {
      const change = sequence % 2 === 0 ? { type: 'workforce.timesheet.clocked_in' } : {};
      world.publish(eventText('r1', sequence, change));
    }
    await world.run();

    expect(sequencesOf(world, 'r1')).toEqual([1, 3, 5]);
    expect(world.now).toBeLessThan(START + 10 * MINUTE);
    expect(await world.stateStore.loadCursor('payroll', CURSOR)).toBe(5);
    expect(await world.ledger.load(idOf('r1', 2), 'webhook/payroll')).toMatchObject({ outcome: 'filtered' });
  });

  test('that are not wanted and need not wait leave nothing in the ledger', async () => {
    const world = ordered({ filter: { late: true } });
    world.publish(eventText('r1', 1));
    world.publish(eventText('r1', 1), { replayed: true });
    await world.run();

    expect(world.arrivals).toEqual([]);
    expect(world.ledger.all()).toEqual([]);
    expect(await world.stateStore.loadCursor('payroll', CURSOR)).toBe(1);
  });

  test('that are replayed during live traffic disturb neither order nor cursor', async () => {
    const world = ordered();
    for (const sequence of [1, 2, 3]) world.publish(eventText('r1', sequence));
    await world.run();
    for (const sequence of [9, 3, 1, 2]) world.publish(eventText('r1', sequence), { replayed: true });
    for (const sequence of [5, 4]) world.publish(eventText('r1', sequence));
    await world.run();

    const [live, replayed] = [false, true].map((again) =>
      world.arrivals.filter(({ request }) => (request.headers['webhook-replayed'] === 'true') === again),
    );
    expect(live?.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5]);
    expect(replayed?.map(({ sequence }) => sequence).sort()).toEqual([1, 2, 3, 9]);
    expect(await world.stateStore.loadCursor('payroll', CURSOR)).toBe(5);
  });

  test('do not wait for an example, which goes at once, says that it is one and leaves no mark', async () => {
    const world = ordered();
    world.publish(eventText('r1', 1));
    await world.run();
    world.publish(eventText('r1', 7, { id: 'example-1' }), { example: true });
    world.publish(eventText('r1', 3));
    world.publish(eventText('r1', 2));
    await world.run();

    expect(world.arrivals.map(({ sequence }) => sequence)).toEqual([1, 7, 2, 3]);
    const marked = world.arrivals.filter(({ request }) => request.headers['webhook-example'] === 'true');
    expect(marked.map(({ eventId }) => eventId)).toEqual(['example-1']);
    expect(world.now).toBeLessThan(START + SECOND);
    expect(await world.stateStore.loadCursor('payroll', CURSOR)).toBe(3);
  });

  test('do not wait for an example that is not taken, and it stays one until it is', async () => {
    const world = ordered();
    world.endpoint = ({ headers }, now) =>
      headers['webhook-id'] === 'example-1' && now < START + MINUTE ? 500 : 204;
    world.publish(eventText('r1', 1, { id: 'example-1' }), { example: true });
    await world.run(START + SECOND);
    expect(world.ledger.all()).toEqual([]);
    world.publish(eventText('r1', 1));
    await world.run(START + 2 * SECOND);
    expect(world.taken).toEqual([idOf('r1', 1)]);
    await world.run();

    expect(world.taken).toEqual([idOf('r1', 1), 'example-1']);
    expect(world.arrivals.map(({ request }) => request.headers['webhook-example'])).toEqual([
      'true',
      undefined,
      'true',
      'true',
    ]);
  });

  test('of an operation follow those of other subjects of their feed', async () => {
    const world = ordered({ topics: ['operations'] });
    const operation = (subject: string, sequence: number) =>
      eventText(subject, sequence, { id: `operation-${sequence}`, type: 'workforce.record.quarantined' });
    for (const [subject, sequence] of [
      ['r2', 2],
      ['r1', 1],
      ['r1', 3],
    ] as const)
      world.publish(operation(subject, sequence));
    await world.run();

    expect(world.arrivals.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    expect(world.now).toBeLessThan(START + SECOND);
  });
});

function ordered(settings: object = {}): WebhookWorld {
  return new WebhookWorld({ order: 'record', ...settings });
}

/** Sequences of the events of a record that the endpoint took, in the order of their coming. */
function sequencesOf(world: WebhookWorld, record: string): number[] {
  return world.arrivals
    .filter((each) => isTaken(each) && each.record === record)
    .map(({ sequence }) => sequence);
}

/** A batch with one message, given out to a process besides those of the world. */
function batchOf(world: WebhookWorld, body: string) {
  return {
    messages: [{ id: body, body, attributes: {} }],
    webhook: world.webhook,
    deadline: world.now + MINUTE,
    retentionDays: 90,
  };
}

async function until(condition: () => boolean): Promise<void> {
  for (let turns = 0; !condition(); turns += 1) {
    if (turns > 1_000) throw new Error('it never came to this');
    await null;
  }
}
