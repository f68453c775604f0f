import { describe, expect, test } from 'vitest';
import { parseEvent } from '#kit/parse-event.ts';
import { checkWatermark, type ReceivedEvent } from '#kit/watermark.ts';
import { SourceError } from '#shared/core/errors.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import { DATE, DAY_MS, timesheet } from '#test/support/builders.ts';
import { createMemoryStore, type MemoryStore } from '#test/support/memory-store.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const SHEET = timesheet({ id: '1_7' });
const APPROVED = { ...SHEET, approvedHours: '2026-03-05T00:30:00.000Z' };
const WATERMARK = 'workforce.feed.complete';

describe('a connection with watermarks', () => {
  test('tells one at once, which counts nothing, and the next after its minutes', async () => {
    const watch = await begin();
    expect(watermarksOf(watch)).toMatchObject([{ data: { since: null, events: null, except: [] } }]);

    await watch.pollFor(5);
    const [first, second, ...others] = watermarksOf(watch);
    expect(others).toEqual([]);
    expect(second?.data).toMatchObject({ since: { id: first?.id, at: first?.time }, events: { count: 0 } });
    expect(second?.data.hotDates).toMatchObject({ from: watch.day(-1), to: watch.day(1) });
    expect((second?.data.hotDates?.through ?? '') >= (second?.data.through ?? '~')).toBe(true);
  });

  test('counts what was committed since, so that a receiver knows what it lacks', async () => {
    const watch = await begin();
    watch.put(APPROVED, timesheet({ id: '2_7' }));
    await watch.pollFor(5);
    const [, watermark] = watermarksOf(watch);
    if (watermark === undefined) throw new Error('there is none');

    const received = watch.texts.map((text) => JSON.parse(text) as ReceivedEvent);
    expect(checkWatermark(received.toReversed(), watermark)).toMatchObject({ complete: true, later: [] });
    expect(checkWatermark(received.slice(0, -2), watermark)).toMatchObject({ complete: false, missing: 1 });
    expect(checkWatermark([], watermark)).toMatchObject({ complete: false, missing: 2 });
  });

  test('waits while an event waits, and is told with it', async () => {
    const watch = await begin();
    watch.accepts = ({ type }) => type !== 'workforce.timesheet.approved';
    watch.put(APPROVED);
    await watch.pollFor(8);
    expect(watermarksOf(watch)).toHaveLength(1);

    watch.accepts = () => true;
    await watch.poll();
    expect(watermarksOf(watch)[1]?.data.events?.count).toBe(1);
  });

  test('names a date that cannot be read, and how far it was', async () => {
    const watch = await begin();
    watch.onPage = ({ range }) =>
      range !== null && range.from <= DATE && DATE <= range.to
        ? new SourceError('source_failed', 'the source answered 500', { retryable: true, status: 500 })
        : null;
    await watch.pollFor(6);
    expect(watermarksOf(watch).at(-1)?.data.except).toEqual([
      { reason: 'unreadable', from: DATE, to: DATE, seenAt: expect.any(String) },
    ]);
  });

  test.each<[string, (store: MemoryStore) => MemoryStore, boolean]>([
    ['in a restored table', (store) => store.restored(), true],
    ['after it was switched off', (store) => store, false],
  ])('begins anew %s', async (_, move, watermark) => {
    const store = createMemoryStore();
    await begin(store);
    const other = watching({ store: move(store), watermark, startAt: '2026-03-05T01:10:00Z' });
    other.put(APPROVED);
    await other.poll({ all: true });
    const again = watermark ? other : watching({ store, startAt: '2026-03-05T01:20:00Z' });
    again.put(APPROVED);
    await again.pollFor(2);
    expect(watermarksOf(again)[0]?.data).toMatchObject({ since: null, events: null });

    // States that are published since are no changes.
    again.put(timesheet({ id: '2_7' }), timesheet({ id: '3_7', date: again.day(1) }));
    await again.pollFor(15);
    // A date that time brings is as it was read first.
    again.now += DAY_MS;
    again.put(timesheet({ id: '4_7', date: again.day(3) }));
    await again.pollFor(15);
    const received = again.texts.map((text) => JSON.parse(text) as ReceivedEvent);
    const states = again.texts.filter((text) => text.includes('.snapshot"'));
    expect(states.filter((text) => text.includes('"4_7"'))).toEqual([]);
    expect(watermarksOf(again).at(-1)?.data.except).toEqual([]);
    const checks = watermarksOf(again).map((watermark) => checkWatermark(received, watermark).complete);
    expect(checks.length).toBeGreaterThan(2);
    expect(new Set(checks)).toEqual(new Set([true]));
  });
});

function watching({
  watermark = true,
  ...options
}: {
  store?: Store;
  watermark?: boolean;
  startAt?: string;
}) {
  return new PollHarness({ ...options, connection: { watermark, window: { backDays: 2, forwardDays: 2 } } });
}

async function begin(store: Store = createMemoryStore()): Promise<PollHarness> {
  const watch = watching({ store });
  watch.put(SHEET);
  await watch.poll();
  return watch;
}

function watermarksOf({ texts }: Pick<PollHarness, 'texts'>) {
  return texts.flatMap((text) => {
    const parsed = parseEvent(text);
    return parsed.outcome === 'event' && parsed.event.type === WATERMARK ? [parsed.event] : [];
  });
}
