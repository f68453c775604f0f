import { describe, expect, test, vi } from 'vitest';
import type { FeedName } from '#shared/core/feeds.ts';
import { digestRecord, setDigest, sumDigests, toLeafRef } from '#shared/core/snapshot/snapshot.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import {
  clocking,
  DATE,
  PAY_PERIODS,
  payPeriod,
  type SampleRecord,
  timesheet,
} from '#test/support/builders.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';
import { packedStore } from '#test/support/packed-store.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

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
    const world = new World('timesheets');
    world.put(...all);
    await world.poll();
    world.put(...JSON.parse(rewrite(JSON.stringify(all))));
    await world.poll();
    await world.poll();
    expect(await world.countLeavesOfPoll()).toBe(0);
    expect(world.types()).toEqual([]);

    world.change({ approvedHours: null }, ['3_7']);
    await world.poll();
    expect(world.types()).toEqual(['timesheet.approval_revoked 3_7 1']);
  });
});

describe('a text that is cut inside an emoji', () => {
  const [one, two] = [payPeriod({ id: '1_7' }), payPeriod({ id: '2_7' })];
  const closed = { closed: '2026-03-05' };

  test('is published once, well-formed, and so is what happens after it', async () => {
    const world = new World('pay-periods');
    world.payPeriods = () => [one, two];
    await world.poll();
    world.payPeriods = () => [{ ...one, payRollProvider: HALF_AN_EMOJI }, two];
    await world.poll();
    world.payPeriods = () => [
      { ...one, payRollProvider: HALF_AN_EMOJI, ...closed },
      { ...two, ...closed },
    ];
    for (let times = 0; times < 5; times += 1) expect((await world.poll()).outcome).toBe('complete');
    expect(world.types()).toEqual([
      'pay_period.changed 1_7 1',
      'pay_period.closed 1_7 2',
      'pay_period.statement 1_7 3',
      'pay_period.closed 2_7 1',
      'pay_period.statement 2_7 2',
    ]);
    expect(world.published[1]?.data.current).toMatchObject({ payRollProvider: 'PaySys \ufffd' });
    expect(world.texts.every((text) => text.isWellFormed() && !text.includes('\\ud83d'))).toBe(true);
  });

  test('as the id of a record makes that record a bad one, and no other', async () => {
    const world = new World('pay-periods');
    world.payPeriods = () => [one];
    await world.poll();
    world.payPeriods = () => [one, { ...two, id: '2_7\ud83d' }];
    const report = await world.poll();
    expect([report.outcome, report.counts.quarantined]).toEqual(['complete', 1]);
    expect(world.texts.every((text) => text.isWellFormed() && !text.includes('\\ud83d'))).toBe(true);
    expect(world.types().filter((type) => type.startsWith('pay_period'))).toEqual([]);
  });
});

test('a leaf that holds less than its head says is a conflict', async () => {
  const world = new World('pay-periods');
  world.payPeriods = () => [payPeriod({ id: '1_7' }), payPeriod({ id: '2_7' })];
  await world.poll();
  await damageHead(world.store, [payPeriod({ id: '1_7' })]);
  expect((await world.poll()).counts).toMatchObject({ conflicts: 1, eventsCommitted: 0 });
});

/** One feed of a connection in New Zealand. */
class World extends PollHarness<SnapshotStore> {
  readonly #feed: FeedName;

  constructor(feed: FeedName) {
    super({
      connection: { timeZone: 'Pacific/Auckland', window: { backDays: 0, forwardDays: 0 } },
      store: packedStore(createMemorySnapshotStore()),
    });
    this.#feed = feed;
  }

  override poll() {
    return super.poll({ feed: this.#feed, scope: 'window' });
  }

  types(): string[] {
    return this.published
      .filter(({ subject }) => subject !== undefined)
      .map(({ type, subject, sequence }) => `${type.replace('workforce.', '')} ${subject} ${sequence}`);
  }

  async countLeavesOfPoll(): Promise<number> {
    const reads = vi.spyOn(this.store, 'readLeaves');
    await this.poll();
    const count = reads.mock.calls.flatMap(([, refs]) => refs).length;
    reads.mockRestore();
    return count;
  }
}

/** Gives the one leaf of the pay periods the digest of these. */
async function damageHead(store: SnapshotStore, records: readonly SampleRecord[]): Promise<void> {
  const [head] = await store.loadHeads(PAY_PERIODS, '');
  if (head === undefined) throw new Error('no head');
  const digests = head.digests.slice();
  const raw = records.map(({ id, calendar, startDate, finishDate, closed, payRollProvider }) =>
    digestRecord(id, JSON.stringify([calendar, startDate, finishDate, closed, null, payRollProvider])),
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
