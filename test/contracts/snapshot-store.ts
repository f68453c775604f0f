import { beforeAll, describe, expect, test } from 'vitest';
import { toBatchPointer } from '#shared/core/commit/commit-step.ts';
import type { WatermarkMemory } from '#shared/core/snapshot/watermark-memory.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { describeCommit, describeOutbox } from './snapshot-commits.ts';
import { describeGenerations, describeLeaves } from './snapshot-leaves.ts';
import { creation, freshFeed, NOON, sampleBatch, sampleStateWrite, sampleStep } from './snapshot-samples.ts';

/** The contract of every snapshot store. */
export function describeSnapshotStore(name: string, make: () => Promise<SnapshotStore>): void {
  describe(`${name} as a snapshot store`, () => {
    let store: SnapshotStore;
    beforeAll(async () => {
      store = await make();
    });
    const the = () => store;
    describe('state of a feed', () => describeFeedState(the));
    describe('commit', () => describeCommit(the));
    describe('generations', () => describeGenerations(the));
    describe('leaves', () => describeLeaves(the));
    describe('events and outbox', () => describeOutbox(the));
    describe('lease', () => describeLease(the));
    describe('ledgers', () => describeLedgers(the));
  });
}

/** The contract of a store in which watermarks are told. */
export function describeWatermarkStore(name: string, make: () => Promise<SnapshotStore>): void {
  describe(`watermarks in ${name}`, () => {
    let store: SnapshotStore;
    beforeAll(async () => {
      store = await make();
    });
    describeWatermarks(() => store);
  });
}

type The = () => SnapshotStore;

function describeWatermarks(the: The): void {
  const memoryOf = (revision: number, fence = { hot: NOON, all: NOON - 60_000 }): WatermarkMemory => ({
    revision,
    fence,
    told: {
      ...{ id: 'a1', at: NOON, tableId: null, readAt: NOON, counted: ['b2'] },
      through: { hot: NOON, all: null },
    },
  });

  test('are read as they were saved, and not saved over another one', async () => {
    const feed = freshFeed();
    expect(await the().loadWatermark?.(feed)).toBeNull();
    const write = { memory: memoryOf(1), expectedRevision: null };
    expect(await the().saveWatermark?.(feed, write)).toBe('committed');
    expect(await the().saveWatermark?.(feed, write)).toBe('conflict');
    expect(await the().loadWatermark?.(feed)).toEqual(memoryOf(1));
  });

  test('are saved with the state of the feed, or neither is', async () => {
    const feed = freshFeed();
    const events = sampleBatch(['{"id":"1"}']);
    const behind = { memory: memoryOf(3), expectedRevision: 2 };
    const first = { memory: memoryOf(1), expectedRevision: null };
    expect(await the().saveFeedState(sampleStateWrite(feed, 1, { events, watermark: behind }))).toBe(
      'conflict',
    );
    expect(await the().loadFeedState(feed)).toBeNull();
    expect(await the().saveFeedState(sampleStateWrite(feed, 1, { events, watermark: first }))).toBe(
      'committed',
    );
    expect(await the().loadWatermark?.(feed)).toEqual(memoryOf(1));
  });

  test.each([
    ['was first seen after it', { hot: 1, all: 1, ahead: 60_000 }, 'committed'],
    ['was first seen at its instant on a hot date', { hot: 0, all: 1, ahead: 60_000 }, 'conflict'],
    ['was first seen on another date after the window', { hot: 9, all: -59_999, ahead: 60_000 }, 'committed'],
    ['was first seen on another date before that', { hot: 9, all: -60_000, ahead: 60_000 }, 'conflict'],
    ['is of a clock by which it is ahead', { hot: -99_999, all: -99_999, ahead: -60_001 }, 'committed'],
  ])('let a commit pass that %s: %o, %s', async (_what, { hot, all, ahead }, outcome) => {
    const feed = freshFeed();
    const watermark = { hot: NOON + hot, all: NOON + all, ahead: NOON + ahead };
    expect(await the().commit(sampleStep(feed, [creation({ slice: '2026-03-01' })], { watermark }))).toBe(
      'committed',
    );
    await the().saveWatermark?.(feed, { memory: memoryOf(1), expectedRevision: null });
    expect(await the().commit(sampleStep(feed, [creation()], { watermark }))).toBe(outcome);
  });

  test('find committed batches in the log', async () => {
    const feed = freshFeed();
    const events = sampleBatch(['{"id":"1"}'], ['{"id":"2"}']);
    await the().commit(sampleStep(feed, [creation()], { events }));
    const found: unknown[] = [];
    for await (const batch of the().readLog?.(feed, { from: NOON, to: NOON + 1 }) ?? []) found.push(batch);
    expect(found).toEqual([
      { pointer: toBatchPointer(events), committedAt: NOON, texts: ['{"id":"1"}', '{"id":"2"}'] },
    ]);
  });
}

function describeLedgers(the: The): void {
  test('are read as they were saved, also when saved again, each by its name', async () => {
    const { connection } = freshFeed();
    const key = { connection, payPeriodId: '3_7', name: 'first' };
    const entries = [['1_7', 75_000] as const, ['2_7', null, 0, -5_000] as const];
    expect(await the().loadLedger(key)).toBeNull();
    for (const _ of [1, 2]) await the().saveLedger(key, entries, NOON);
    await the().saveLedger({ ...key, name: 'second' }, entries.slice(1), NOON);
    await the().saveLedger({ ...key, name: 'none' }, [], NOON);
    expect(await the().loadLedger(key)).toEqual(entries);
    expect(await the().loadLedger({ ...key, name: 'second' })).toEqual(entries.slice(1));
    expect(await the().loadLedger({ ...key, name: 'none' })).toEqual([]);
    expect(await the().loadLedger({ ...key, payPeriodId: '3' })).toBeNull();
  });
}

function describeFeedState(the: The): void {
  test('does not exist before it is written', async () => {
    expect(await the().loadFeedState(freshFeed())).toBeNull();
  });

  test('is read as it was written', async () => {
    const feed = freshFeed();
    const write = sampleStateWrite(feed, 1, {
      state: {
        ...sampleStateWrite(feed, 1).state,
        coverage: {
          '2026-03-05': { at: NOON, revision: 3 },
          '2026-03-06': { at: NOON, revision: 4, unseen: { '7_1': null } },
        },
        shrunk: { '2026-03-01': { since: NOON, missing: 12 } },
        payPeriods: [
          {
            id: '9_1',
            calendar: 'Wöchentlich',
            startDate: '2026-03-02',
            finishDate: '2026-03-08',
            closed: false,
            totals: '1/2/3 – ü',
          },
          {
            id: '9_2',
            calendar: '',
            startDate: '2026-03-09',
            finishDate: '2026-03-15',
            closed: true,
            totals: '4/5/6',
          },
        ],
        pulls: { '9_1': { totals: '1/2/3', at: NOON } },
        loadFrom: '2026-02-01',
      },
    });

    expect(await the().saveFeedState(write)).toBe('committed');

    expect(await the().loadFeedState(feed)).toEqual({ state: write.state, outbox: [] });
  });

  test('is not created twice', async () => {
    const feed = freshFeed();
    await the().saveFeedState(sampleStateWrite(feed, 1));

    const late = sampleStateWrite(feed, 2, { expectedRevision: null });

    expect(await the().saveFeedState(late)).toBe('conflict');
    expect((await the().loadFeedState(feed))?.state.revision).toBe(1);
  });

  test.each([
    ['without events', false],
    ['with events', true],
  ])('a write on an older revision is a conflict and changes nothing, %s', async (_name, withEvents) => {
    const feed = freshFeed();
    const events = withEvents ? sampleBatch(['late']) : null;
    for (const revision of [1, 2]) await the().saveFeedState(sampleStateWrite(feed, revision));

    const late = sampleStateWrite(feed, 5, { expectedRevision: 1, events });

    expect(await the().saveFeedState(late)).toBe('conflict');
    expect(await the().loadFeedState(feed)).toEqual({
      state: sampleStateWrite(feed, 2).state,
      outbox: [],
    });
    if (events !== null) await expect(the().readEvents(feed, toBatchPointer(events))).rejects.toThrow();
  });

  test('a write on a state that does not exist is a conflict', async () => {
    const feed = freshFeed();

    expect(await the().saveFeedState(sampleStateWrite(feed, 2))).toBe('conflict');
    expect(await the().loadFeedState(feed)).toBeNull();
  });

  test.each([
    ['without events', false],
    ['with events', true],
  ])('a repeated write is one write, %s', async (_name, withEvents) => {
    const feed = freshFeed();
    const events = withEvents ? sampleBatch(['once']) : null;
    const write = sampleStateWrite(feed, 1, { events });

    expect(await the().saveFeedState(write)).toBe('committed');
    expect(await the().saveFeedState(write)).toBe('committed');

    const outbox = events === null ? [] : [toBatchPointer(events)];
    expect(await the().loadFeedState(feed)).toEqual({ state: write.state, outbox });
  });

  test('later writes keep its outbox', async () => {
    const feed = freshFeed();
    const batches = [sampleBatch(['a']), sampleBatch(['b'])];
    const writes = [
      sampleStateWrite(feed, 1),
      ...batches.map((events, index) => sampleStateWrite(feed, index + 2, { events })),
      sampleStateWrite(feed, 4),
    ];
    for (const write of writes) expect(await the().saveFeedState(write)).toBe('committed');

    expect((await the().loadFeedState(feed))?.outbox).toEqual(batches.map(toBatchPointer));
    expect(await the().readEvents(feed, toBatchPointer(batches[1] ?? sampleBatch()))).toEqual(['b']);
  });
}

function describeLease(the: The): void {
  const lease = (owner: string, now = NOON) => ({ owner, now, expiresAt: now + 60_000, takeOver: false });

  test('has one owner at a time', async () => {
    const feed = freshFeed();

    expect(await the().acquireLease(feed, lease('a'))).toBe(true);
    expect(await the().acquireLease(feed, lease('b'))).toBe(false);
    expect(await the().acquireLease(feed, lease('a', NOON + 1))).toBe(true);
    expect(await the().acquireLease({ ...feed, feed: 'pay-periods' }, lease('b'))).toBe(true);
  });

  test('ends when it expires, when its owner releases it, and when another takes it over', async () => {
    const feed = freshFeed();
    await the().acquireLease(feed, lease('a'));

    expect(await the().acquireLease(feed, lease('b', NOON + 59_999))).toBe(false);
    expect(await the().acquireLease(feed, lease('b', NOON + 60_000))).toBe(true);
    expect(await the().acquireLease(feed, { ...lease('c', NOON + 60_001), takeOver: true })).toBe(true);
    await the().releaseLease(feed, 'b');
    expect(await the().acquireLease(feed, lease('d', NOON + 60_002))).toBe(false);
    await the().releaseLease(feed, 'c');
    expect(await the().acquireLease(feed, lease('d', NOON + 60_002))).toBe(true);
    await the().releaseLease(freshFeed(), 'd');
  });

  test('can be read without being acquired', async () => {
    const feed = freshFeed();
    // A store may lack this member.
    if (the().isLeaseHeld === undefined) return;
    const isHeld = async (owner: string, now = NOON) => await the().isLeaseHeld?.(feed, { owner, now });

    expect(await isHeld('b')).toBe(false);
    await the().acquireLease(feed, { ...lease('h'), dates: 'hot' });
    expect(await isHeld('b')).toBe(false);
    await the().acquireLease(feed, lease('a'));
    expect(await isHeld('b')).toBe(true);
    expect(await isHeld('a')).toBe(false);
    expect(await isHeld('b', NOON + 59_999)).toBe(true);
    expect(await isHeld('b', NOON + 60_000)).toBe(false);
    expect(await isHeld('b', NOON - 86_400_000)).toBe(false);
    await the().releaseLease(feed, 'a');
    expect(await isHeld('b')).toBe(false);
  });
}
