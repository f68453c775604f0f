import { describe, expect, test } from 'vitest';
import {
  type Folded,
  type FoldResult,
  fold,
  isTimesheetEvent,
  parseEvent,
  type TimesheetEvent,
} from 'workforce-change-notifier';
import type { Leaf } from '#shared/core/snapshot/snapshot.ts';
import { listLeafRefs } from '#shared/flow/poll/compare/read-leaves.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { DAY_MS, TIMESHEETS, timesheet } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';
import { WebhookWorld } from '#test/support/webhook-world.ts';

const ID = '1_1';
const START = '2026-03-05T01:00:00Z';
const STAMP = '2026-03-05T01:02:00.000Z';

describe('a record that comes back unknown', () => {
  test('into the window after months on a date outside it: nobody takes its news for old', async () => {
    const source = new PollHarness();
    const march = timesheet({ id: ID, date: '2026-03-05' });
    await source.see();
    await source.see(march);
    await source.see({ ...march, hoursToPay: 8 });
    await source.see({ ...march, hoursToPay: 8, approvedHours: STAMP });
    for (let day = 0; day < 70; day += 1) {
      source.now += DAY_MS;
      await source.see();
    }
    const may = { ...march, date: '2026-05-12', hoursToPay: 4 };
    await source.see(may);
    await source.see({ ...may, approvedHours: '2026-05-14T01:00:00.000Z' });

    const { state, outcomes } = foldedOf(source.texts);
    expect(outcomes).toEqual(['applied', 'applied', 'applied', 'applied', 'applied']);
    expect(state?.current).toMatchObject({ date: '2026-05-12', hoursToPay: 4 });
    expect(await postedOf(source.texts)).toEqual(idsOf(source.texts));
    expect(idsWithTwoTexts(source.texts)).toEqual([]);
  });

  test('and is then put back onto its old date: its events go on in the epoch of its return', async () => {
    const source = new PollHarness();
    const march = timesheet({ id: ID, date: '2026-03-05' });
    await source.see();
    await source.see(march);
    source.now += 70 * DAY_MS;
    await source.see();
    await source.see({ ...march, date: '2026-05-12', hoursToPay: 4 });
    for (let polls = 0; polls < 3; polls += 1) await source.see(march);

    const { state, outcomes, positions } = foldedOf(source.texts);
    expect(outcomes).toEqual(['applied', 'applied', 'applied']);
    expect(positions.map(([, sequence]) => sequence)).toEqual([1, 1, 2]);
    expect(state?.current).toMatchObject({ date: '2026-03-05', hoursToPay: 7.5 });
    // What was left on that date, outside the lookback, is of an earlier epoch.
    const rows = (await leavesOf(source.store)).flatMap((leaf) => leaf.rows);
    const newest = rows.toSorted((a, b) => (b.epoch ?? 0) - (a.epoch ?? 0))[0];
    expect(newest).toMatchObject({ id: ID, sequence: 2 });
  });

  test('after the end of its tombstone: it is there again', async () => {
    const source = new PollHarness({ connection: { retentionDays: 1 } });
    const other = timesheet({ id: '9_1', date: '2026-03-06' });
    const sheet = timesheet({ id: ID, date: '2026-03-06' });
    await source.see(other);
    await source.see(sheet);
    source.remove(ID);
    await source.see();
    source.now += 3 * DAY_MS;
    // Whatever is written to the leaf takes the tombstone away.
    await source.see({ ...other, hoursToPay: 1 });
    await source.see({ ...sheet, hoursToPay: 5 });

    const { state, outcomes, positions } = foldedOf(source.texts);
    expect(outcomes).toEqual(['applied', 'applied', 'applied']);
    expect(positions.map(([, sequence]) => sequence)).toEqual([1, 2, 1]);
    expect(state).toMatchObject({ removed: false, current: { hoursToPay: 5 } });
    expect(await postedOf(source.texts)).toEqual(idsOf(source.texts));
    expect(idsWithTwoTexts(source.texts)).toEqual([]);
  });

  test('but not while its tombstone is known: then its epoch goes on', async () => {
    const source = new PollHarness();
    const sheet = timesheet({ id: ID, date: '2026-03-06' });
    await source.see();
    await source.see(sheet);
    source.remove(ID);
    await source.see();
    source.now += 20 * DAY_MS;
    await source.see();
    await source.see(sheet);

    const { positions } = foldedOf(source.texts);
    expect(positions.map(([, sequence]) => sequence)).toEqual([1, 2, 3]);
    expect(new Set(positions.map(([epoch]) => epoch)).size).toBe(1);
  });
});

describe('a table that is restored from yesterday', () => {
  test('publishes everything in later epochs, which subscribers take', async () => {
    const sheet = timesheet({ id: ID, date: '2026-03-06' });
    const live = new PollHarness();
    await live.see(timesheet({ id: '9_1', date: '2026-03-06' }));
    await live.see(sheet);
    const backup = live.store.restored();
    await live.see({ ...sheet, approvedHours: STAMP });
    await live.see(sheet);
    await live.see({ ...sheet, hoursToPay: 2 });

    const restored = new PollHarness({ store: backup, startAt: '2026-03-06T02:00:00Z' });
    restored.put(...live.timesheets);
    await restored.see({ ...sheet, hoursToPay: 2, processed: '2026-03-06T01:00:00.000Z' });
    await restored.see({ ...sheet, hoursToPay: 3, processed: '2026-03-06T01:00:00.000Z' });

    const texts = [...live.texts, ...restored.texts];
    const { state, outcomes, positions } = foldedOf(texts);
    expect(new Set(outcomes)).toEqual(new Set(['applied']));
    expect(state?.current).toMatchObject({ processed: '2026-03-06T01:00:00.000Z', hoursToPay: 3 });
    expect(state?.current).toHaveProperty('details');
    expect(positions.map(([, sequence]) => sequence)).toEqual([1, 2, 3, 4, 1, 2, 3]);
    expect(idsWithTwoTexts(texts)).toEqual([]);
    expect(await postedOf(texts)).toEqual(idsOf(texts));
  });

  test('begins the epoch of its operational events anew', async () => {
    const live = new PollHarness();
    await live.see();
    const backup = live.store.restored();
    const bad = { id: 'bad', date: '2026-03-06' };
    for (let polls = 0; polls < 2; polls += 1) await live.see(bad);
    const restored = new PollHarness({ store: backup, startAt: '2026-03-06T02:00:00Z' });
    for (let polls = 0; polls < 3; polls += 1) await restored.see({ ...bad, id: 'worse' });

    const published = [...live.published, ...restored.published];
    expect(published.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['workforce.baseline.completed', 1],
      ['workforce.trouble.began', 2],
      ['workforce.trouble.began', 1],
    ]);
    expect(new Set(published.map(({ id }) => id)).size).toBe(3);
  });

  test('is published once: what begins anew then goes on, also in later polls', async () => {
    const sheet = timesheet({ id: ID, date: '2026-03-06' });
    const live = new PollHarness();
    await live.see(sheet);
    const restored = new PollHarness({ store: live.store.restored(), startAt: '2026-03-06T02:00:00Z' });
    await restored.see({ ...sheet, approvedHours: STAMP });
    await restored.see(sheet);

    const [approved, revoked] = restored.published;
    expect([approved?.sequence, revoked?.sequence]).toEqual([1, 2]);
    expect(revoked).toMatchObject({ epoch: approved?.epoch, data: { reverses: approved?.id } });
  });
});

test('two installations never give an id to two different events', async () => {
  const texts: string[] = [];
  for (const startAt of [START, '2026-03-05T02:00:00Z']) {
    const source = new PollHarness({ startAt });
    const sheets = Array.from({ length: 30 }, (_, index) =>
      timesheet({ id: `${index}_1`, date: '2026-03-06' }),
    );
    await source.see(...sheets);
    await source.see(...sheets.map((sheet) => ({ ...sheet, hoursToPay: texts.length + 1 })));
    await source.see(...sheets.map((sheet) => ({ ...sheet, approvedHours: STAMP })));
    texts.push(...source.texts);
  }

  expect(texts.length).toBeGreaterThan(120);
  expect(idsWithTwoTexts(texts)).toEqual([]);
});

test('epochs grow although the clock goes back', async () => {
  const source = new PollHarness();
  await source.see();
  const [first] = await source.see(timesheet({ id: ID, date: '2026-03-06' }));
  source.now -= DAY_MS;
  const [second] = await source.see(timesheet({ id: '2_1', date: '2026-03-06' }));
  const [third] = await source.see(timesheet({ id: '3_1', date: '2026-03-06' }));

  expect(second?.time.slice(0, 19)).toBe('2026-03-04T01:02:00');
  const epochs = [first, second, third].map((event) => event?.epoch);
  expect(epochs.toSorted()).toEqual(epochs);
  expect(new Set(epochs).size).toBe(3);
});

test('what a later version remembers of a feed stays when this one writes', async () => {
  const source = new PollHarness();
  await source.see();
  const stored = await source.store.loadFeedState(TIMESHEETS);
  if (stored === null) throw new Error('no state was saved');
  const later = { ...stored.state, revision: stored.state.revision + 1, lastRoundAt: 1 };
  const { revision: expectedRevision } = stored.state;
  await source.store.saveFeedState({
    feed: TIMESHEETS,
    token: 'later',
    state: later,
    expectedRevision,
    events: null,
    eventsExpireAt: 0,
  });
  await source.see();

  expect((await source.store.loadFeedState(TIMESHEETS))?.state).toMatchObject({ lastRoundAt: 1 });
});

/** Every leaf that a head points to. */
async function leavesOf(store: SnapshotStore): Promise<readonly Leaf[]> {
  const heads = await store.loadHeads(TIMESHEETS, '');
  return await store.readLeaves(TIMESHEETS, heads.flatMap(listLeafRefs));
}

function foldedOf(texts: readonly string[]) {
  let state: Folded<TimesheetEvent> | null = null;
  const outcomes: string[] = [];
  const positions: [string | undefined, number][] = [];
  for (const text of texts) {
    const parsed = parseEvent(text);
    if (parsed.outcome !== 'event' || !isTimesheetEvent(parsed.event) || parsed.event.subject !== ID)
      continue;
    const folded: FoldResult<TimesheetEvent> = fold<TimesheetEvent>(state, parsed.event);
    outcomes.push(folded.outcome);
    positions.push([parsed.event.epoch, parsed.event.sequence]);
    state = folded.state;
  }
  return { state: state as Folded<TimesheetEvent> | null, outcomes, positions };
}

/** Ids of the events of the record that our own webhook posts, in their order. */
async function postedOf(texts: readonly string[]): Promise<string[]> {
  const world = new WebhookWorld();
  for (const text of texts) {
    world.now = Math.max(world.now, Date.parse(JSON.parse(text).time));
    world.publish(text);
    await world.run();
  }
  return world.arrivals.filter(({ record }) => record === ID).map(({ eventId }) => eventId);
}

/** Ids of the events of the record. */
function idsOf(texts: readonly string[]): string[] {
  return texts.map((text) => JSON.parse(text)).flatMap(({ id, subject }) => (subject === ID ? [id] : []));
}

function idsWithTwoTexts(texts: readonly string[]): string[] {
  const known = new Map<string, string>();
  return texts.flatMap((text) => {
    const { id } = JSON.parse(text);
    const other = known.get(id);
    known.set(id, text);
    return other === undefined || other === text ? [] : [id];
  });
}
