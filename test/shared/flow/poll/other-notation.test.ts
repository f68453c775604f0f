import { describe, expect, test } from 'vitest';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { digestRaw, setDigest, sumDigests } from '#shared/core/snapshot/digests.ts';
import { toLeafRef } from '#shared/core/snapshot/snapshot.ts';
import { poll } from '#shared/flow/poll.ts';
import type { SnapshotStore } from '#shared/ports/poll.ts';
import {
  COMPLETE_WALK,
  clocking,
  MINUTE_MS,
  NOW,
  PAY_PERIODS,
  payPeriod,
  type SampleRecord,
  timesheet,
} from '#test/support/builders.ts';
import { createPackingStore } from '#test/support/packing-store.ts';

const DATE = '2026-03-05';
const HALF_AN_EMOJI = 'PaySys \ud83d';

describe('a source that writes the same instants otherwise', () => {
  const written = (n: number) =>
    timesheet({
      id: `${n}_7`,
      date: DATE,
      approvedHours: '2026-03-05T00:30:00.000Z',
      processed: '2026-03-05T00:45:00.000Z',
      clockIn: clocking({ localTime: '2026-03-05T09:01:30.000' }),
    });
  const all = Array.from({ length: 50 }, (_, n) => written(n));

  test.each([
    ['without milliseconds', (text: string) => text.replaceAll('.000', '')],
    ['with more digits', (text: string) => text.replaceAll('.000', '.0000000')],
    ['with an offset for Z', (text: string) => text.replaceAll('.000Z', '+00:00')],
    ['with the offset of its zone', (text: string) => text.replaceAll(':30.000"', ':30+13:00"')],
  ])('%s publishes nothing, and settles down', async (_, rewrite) => {
    const world = new World('timesheets', all);
    await world.poll();
    world.records = JSON.parse(rewrite(JSON.stringify(all)));
    await world.poll();
    await world.poll();
    expect(await world.leavesReadByAPoll()).toBe(0);
    expect(world.types()).toEqual([]);

    world.records = world.records.map((record, n) => (n === 3 ? { ...record, approvedHours: null } : record));
    await world.poll();
    expect(world.types()).toEqual(['timesheet.approval_revoked 3_7 1']);
  });
});

describe('a text that is cut inside an emoji', () => {
  const [one, two] = [payPeriod({ id: '1_7' }), payPeriod({ id: '2_7' })];
  const closed = { closed: '2026-03-09' };

  test('is published once, well-formed, and so is what happens after it', async () => {
    const world = new World('pay-periods', [one, two]);
    await world.poll();
    world.records = [{ ...one, payRollProvider: HALF_AN_EMOJI }, two];
    await world.poll();
    world.records = world.records.map((record) => ({ ...record, ...closed }));
    for (let times = 0; times < 5; times += 1) expect((await world.poll()).outcome).toBe('complete');
    expect(world.types()).toEqual([
      'pay_period.changed 1_7 1',
      'pay_period.closed 1_7 2',
      'pay_period.closed 2_7 1',
    ]);
    expect(world.events[1].data.current.payRollProvider).toBe('PaySys \ufffd');
    expect(world.texts.every((text) => text.isWellFormed() && !text.includes('\\ud83d'))).toBe(true);
  });

  test('does not keep a leaf that an earlier version damaged from ever being read again', async () => {
    const world = new World('pay-periods', [{ ...one, payRollProvider: HALF_AN_EMOJI }, two]);
    await world.poll();
    await damageHead(world.store, [{ ...one, payRollProvider: HALF_AN_EMOJI }, two]);
    expect((await world.poll()).outcome).toBe('complete');
    expect([world.types(), await world.leavesReadByAPoll()]).toEqual([[], 0]);
    await damageHead(world.store, [{ ...one, payRollProvider: HALF_AN_EMOJI }, two]);
    world.records = [{ ...one, payRollProvider: HALF_AN_EMOJI, ...closed }, two];
    await world.poll();
    expect(world.types()).toEqual(['pay_period.closed 1_7 1']);
    expect(await world.leavesReadByAPoll()).toBe(0);
  });

  test('but a leaf that holds less than its head says is a conflict', async () => {
    const world = new World('pay-periods', [one, two]);
    await world.poll();
    await damageHead(world.store, [one]);
    expect((await world.poll()).counts).toMatchObject({ conflicts: 1, eventsCommitted: 0 });
  });

  test('as the id of a record makes that record a bad one, and no other', async () => {
    const world = new World('pay-periods', [one]);
    await world.poll();
    world.records = [one, { ...two, id: '2_7\ud83d' }];
    const report = await world.poll();
    expect([report.outcome, report.counts.quarantined]).toEqual(['complete', 1]);
    expect(world.texts.every((text) => text.isWellFormed() && !text.includes('\\ud83d'))).toBe(true);
    expect(world.types().filter((type) => type.startsWith('pay_period'))).toEqual([]);
  });
});

/** One feed of a connection in New Zealand, polled every minute. */
class World {
  readonly store = createPackingStore();
  readonly texts: string[] = [];
  records: readonly SampleRecord[];
  readonly #feed: FeedName;
  #now = NOW;
  #leavesRead = 0;

  constructor(feed: FeedName, records: readonly SampleRecord[]) {
    this.#feed = feed;
    this.records = records;
  }

  get events() {
    return this.texts.map((text) => JSON.parse(text));
  }

  types(): string[] {
    return this.events
      .filter(({ subject }) => subject !== undefined)
      .map(({ type, subject, sequence }) => `${type.replace('workforce.', '')} ${subject} ${sequence}`);
  }

  async leavesReadByAPoll(): Promise<number> {
    this.#leavesRead = 0;
    await this.poll();
    return this.#leavesRead;
  }

  async poll() {
    const world = this;
    this.#now += MINUTE_MS;
    const now = this.#now;
    const connection = connectionSchema.parse({
      name: 'main',
      baseUrl: 'https://workforce.example',
      timeZone: 'Pacific/Auckland',
      secretName: 'none',
      window: { backDays: 0, forwardDays: 0 },
    });
    const order = {
      feed: this.#feed,
      request: { connection, scope: 'window' },
      runId: `run-${now}`,
    } as const;
    return await poll(
      { ...order, deadline: now + MINUTE_MS },
      {
        store: {
          ...this.store,
          readLeaves: async (feed, refs) => {
            world.#leavesRead += refs.length;
            return await world.store.readLeaves(feed, refs);
          },
        },
        clock: { now: () => now },
        telemetry: { report: () => {} },
        publisher: {
          publish: async (texts) => {
            world.texts.push(...texts);
            return { published: texts.length, unpublished: [], requests: 1 };
          },
        },
        source: {
          counts: () => ({ requests: 0, throttled: 0 }),
          lookUp: () => Promise.reject(new Error('nothing is absent here')),
          async *pages() {
            yield { records: world.records, pagination: null, requestedAt: now, receivedAt: now };
            return COMPLETE_WALK;
          },
        },
      },
    );
  }
}

/** Gives the one leaf of the pay periods the digest that the version before would have written for these. */
async function damageHead(store: SnapshotStore, records: readonly SampleRecord[]): Promise<void> {
  const [head] = await store.loadHeads(PAY_PERIODS, '');
  if (head === undefined) throw new Error('no head');
  const digests = head.digests.slice();
  const raw = records.map(({ id, calendar, startDate, finishDate, closed, payRollProvider }) =>
    digestRaw(id, JSON.stringify([calendar, startDate, finishDate, closed, null, payRollProvider])),
  );
  setDigest(digests, toLeafRef(head, '1_7').index, sumDigests(raw));
  const outcome = await store.commit({
    feed: PAY_PERIODS,
    token: `damage-${head.revision}`,
    heads: [
      {
        head: { ...head, digests, revision: head.revision + 1 },
        expectedRevision: head.revision,
        changedLeaves: null,
      },
    ],
    leaves: [],
    events: null,
    eventsExpireAt: 0,
  });
  expect(outcome).toBe('committed');
}
