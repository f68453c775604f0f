import { describe, expect, test } from 'vitest';
import { checkWatermark } from '#kit/watermark.ts';
import { EVENT_SCHEMAS, type WorkforceEvent } from '#kit/workforce-event.ts';
import { DATE, MINUTE_MS, timesheet } from '#test/support/builders.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const SHEET = timesheet({ id: '1_7' });
const STAMP = '2026-03-05T00:30:00.000Z';
const WATERMARK = 'workforce.feed.complete';
const CONNECTION = { watermark: true, window: { backDays: 2, forwardDays: 2 } };

describe('a connection with watermarks', () => {
  test('tells one at once, which counts nothing, and the next one after its minutes', async () => {
    const watch = await begin();
    expect(watermarksOf(watch)).toEqual([expect.objectContaining({ since: null, events: null, except: [] })]);

    for (let minute = 1; minute <= 5; minute += 1) await watch.poll();
    expect(watermarksOf(watch)).toHaveLength(2);
    const [first, second] = watermarkEvents(watch);
    expect(second?.data.since?.id).toBe(first?.id);
    expect(second?.data.events).toMatchObject({ count: 0, types: [] });
  });

  test('says by its dates from when the looks are that it goes by', async () => {
    const watch = await begin();
    const { through } = watermarksOf(watch)[0] ?? {};
    const looks = watch.walks.map(({ at }) => at);

    expect(through?.hotDates).toMatchObject({ from: watch.day(-1), to: watch.day(1) });
    expect(through?.window).toMatchObject({ from: watch.day(-2), to: watch.day(2) });
    expect(Date.parse(through?.window?.at ?? '')).toBe(Math.min(...looks));
  });

  test('counts what was committed since, so that a receiver knows what it lacks', async () => {
    const watch = await begin();
    watch.put({ ...SHEET, approvedHours: STAMP });
    for (let minute = 1; minute <= 5; minute += 1) await watch.poll();

    const watermark = watermarkEvents(watch)[1] as WorkforceEvent<typeof WATERMARK>;
    const received = watch.published.filter(({ type }) => type === 'workforce.timesheet.approved');
    expect(checkWatermark(received, watermark)).toMatchObject({ outcome: 'complete', later: [] });
    expect(checkWatermark([], watermark)).toMatchObject({
      outcome: 'incomplete',
      missing: received.map(({ id }) => id),
    });
  });

  test('waits while an event waits, and is told with it', async () => {
    const watch = await begin();
    watch.accepts = ({ type }) => type !== 'workforce.timesheet.approved';
    watch.put({ ...SHEET, approvedHours: STAMP });
    for (let minute = 1; minute <= 8; minute += 1) await watch.poll();
    expect(watermarksOf(watch)).toHaveLength(1);

    watch.accepts = () => true;
    await watch.poll();
    expect(watermarksOf(watch)[1]?.events?.count).toBe(1);
  });

  test('names a date that cannot be read, and how far it was', async () => {
    const watch = await begin();
    const { SourceError } = await import('#shared/core/errors.ts');
    const failed = new SourceError('source_failed', 'the source answered 500', {
      retryable: true,
      status: 500,
    });
    watch.onPage = ({ from, to }) => (from <= DATE && DATE <= to ? failed : null);
    for (let minute = 1; minute <= 6; minute += 1) await watch.poll();

    expect(watermarksOf(watch).at(-1)?.except).toEqual([
      { reason: 'unreadable', from: DATE, to: DATE, seenAt: expect.any(String) },
    ]);
  });

  test('begins anew in a restored table', async () => {
    const watch = await begin();
    const restored = new PollHarness({
      store: watch.store.restored(),
      connection: CONNECTION,
      startAt: '2026-03-05T01:30:00Z',
    });
    restored.put(SHEET);
    for (let minute = 1; minute <= 3; minute += 1) await restored.poll({ scope: 'window' });

    expect(watermarksOf(restored)[0]).toMatchObject({ since: null, events: null });
  });

  test('names dates of a restored table until what may have been told of them is told anew', async () => {
    const watch = await begin();
    const restored = new PollHarness({
      store: watch.store.restored(),
      connection: CONNECTION,
      startAt: '2026-03-05T01:30:00Z',
    });
    const seen = () => watermarksOf(restored).at(-1)?.except;
    restored.put(SHEET);
    await restored.poll({ scope: 'window' });
    restored.now = Date.parse('2026-03-06T01:00:00Z');
    const date = restored.day(3);
    restored.put(...Array.from({ length: 5_000 }, (_, index) => timesheet({ id: `${index}_8`, date })));
    for (let polls = 1; polls <= 3; polls += 1) await restored.poll({ scope: 'window' });
    expect(seen()).toEqual([{ reason: 'untold', from: date, to: date, seenAt: expect.any(String) }]);

    for (let minute = 1; minute <= 10; minute += 1) await restored.poll();
    expect(seen()).toEqual([]);
  });

  test('goes on after it was switched off, and counts what came meanwhile', async () => {
    const watch = await begin();
    const off = new PollHarness({ store: watch.store, startAt: '2026-03-05T01:10:00Z' });
    off.put({ ...SHEET, approvedHours: STAMP });
    await off.poll({ scope: 'window' });
    expect(off.headings).toEqual(['timesheet.approved 1_7']);

    const on = new PollHarness({
      store: watch.store,
      connection: CONNECTION,
      startAt: '2026-03-05T02:00:00Z',
    });
    on.put({ ...SHEET, approvedHours: STAMP });
    await on.poll({ scope: 'window' });
    expect(watermarksOf(on)[0]).toMatchObject({
      since: { id: watermarkEvents(watch)[0]?.id },
      events: { count: 1 },
    });
  });

  test('waits for a clock that was put back, and keeps publishing events', async () => {
    const watch = await begin();
    watch.now -= 30 * MINUTE_MS;
    watch.put({ ...SHEET, approvedHours: STAMP });
    for (let minute = 1; minute <= 6; minute += 1) await watch.poll({ scope: 'window' });
    expect(watch.headings).toContain('timesheet.approved 1_7');
    expect(watermarksOf(watch)).toHaveLength(1);

    watch.now += 30 * MINUTE_MS;
    await watch.poll({ scope: 'window' });
    expect(watermarksOf(watch)).toHaveLength(2);
  });

  test('tells none without the option', async () => {
    const watch = new PollHarness();
    await watch.see(SHEET);
    expect(watermarksOf(watch)).toEqual([]);
  });
});

describe('a view that is older than a watermark', () => {
  test('is never committed, although nobody has written the head since', async () => {
    const memory = createMemorySnapshotStore();
    let beforeCommit = async () => {};
    const store = {
      ...memory,
      commit: async (step: Parameters<typeof memory.commit>[0]) => {
        const first = beforeCommit;
        beforeCommit = async () => {};
        await first();
        return await memory.commit(step);
      },
    };
    const watch = new PollHarness({ store, connection: CONNECTION });
    watch.put(SHEET);
    await watch.poll();
    watch.now += 5 * MINUTE_MS;
    watch.news();

    watch.put({ ...SHEET, approvedHours: STAMP });
    beforeCommit = async () => {
      watch.put(SHEET);
      await watch.poll({ atOnce: true });
    };
    const slow = await watch.poll();

    expect(watch.news()).toEqual(['feed.complete']);
    expect(slow.counts.conflicts).toBe(1);
  });
});

async function begin(): Promise<PollHarness> {
  const watch = new PollHarness({ connection: CONNECTION });
  watch.put(SHEET);
  await watch.poll();
  return watch;
}

function watermarkEvents(watch: Pick<PollHarness, 'texts'>) {
  return watch.texts
    .map((text) => JSON.parse(text) as { type: string })
    .filter(({ type }) => type === WATERMARK)
    .map((event) => EVENT_SCHEMAS[WATERMARK].parse(event));
}

function watermarksOf(watch: Pick<PollHarness, 'texts'>) {
  return watermarkEvents(watch).map(({ data }) => data);
}
