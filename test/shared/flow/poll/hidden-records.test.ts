import { describe, expect, test } from 'vitest';
import { SourceError } from '#shared/core/errors.ts';
import { DATE, timesheet } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const SMALL = { window: { backDays: 1, forwardDays: 1 } };

describe('records that the list leaves out although they answer by id', () => {
  test('are looked up less and less often, and the removal of those that are really gone is published', async () => {
    const { harness, hidden, gone } = await harnessWith({ records: 500, hiddenCount: 200, goneCount: 15 });
    await harness.pollFor(4);
    expect(removals(harness)).toEqual(gone.sort());
    await harness.pollFor(116);
    expect(harness.requests.byId).toBeLessThan(2_500);
    const [first = ''] = hidden;
    harness.remove(first);
    await harness.pollFor(61);
    expect(removals(harness)).toEqual([...gone, first].sort());
  });

  test('make polls incomplete until it is known that they are left out for good', async () => {
    const { harness } = await harnessWith({ records: 40, hiddenCount: 5, goneCount: 0 });
    const first = await harness.poll();
    expect(first.outcome).toBe('incomplete');
    expect(first.reasons).toEqual(['the list left out 5 records that the source still has']);
    expect((await harness.poll({ atOnce: true, scope: 'window' })).reasons).toEqual(first.reasons);
    expect((await harness.pollFor(15)).outcome).toBe('complete');
    const before = (await harness.state()).coverage[DATE]?.at ?? 0;
    await harness.poll();
    const look = (await harness.state()).coverage[DATE];
    expect(look?.at).toBeGreaterThan(before);
    expect(look?.unseen).toBeUndefined();
  });

  test('and are removed later: the poll that proves and publishes it is complete', async () => {
    const { harness, hidden } = await harnessWith({ records: 40, hiddenCount: 1, goneCount: 0 });
    const first = await harness.poll();
    expect(first.reasons).toEqual(['the list left out 1 record that the source still has']);
    const [id = ''] = hidden;
    harness.remove(id);
    const second = await harness.poll();
    expect(removals(harness)).toEqual([id]);
    expect([second.outcome, second.reasons]).toEqual(['complete', []]);
  });

  test('and fail by id at first: what is not known is not said, and their removal completes a poll', async () => {
    const { harness, gone } = await harnessWith({ records: 40, hiddenCount: 0, goneCount: 1 });
    const failure = 'some absent records could not be asked for by id (source_failed)';
    harness.onLookUp = () => new SourceError('source_failed', 'it fails');
    expect((await harness.poll()).reasons).toEqual([failure]);
    const unread = 'the list left out 1 record that could not be read by id; asked for again later';
    expect((await harness.poll()).reasons).toEqual([unread]);
    expect((await harness.poll({ atOnce: true, scope: 'window' })).reasons).toEqual([unread]);
    harness.onLookUp = () => null;
    const last = await harness.pollFor(3);
    expect(removals(harness)).toEqual(gone);
    expect([last.outcome, last.reasons]).toEqual(['complete', []]);
  });

  test('are published when they change, between two look-ups', async () => {
    const { harness, hidden } = await harnessWith({ records: 20, hiddenCount: 1, goneCount: 0 });
    await harness.poll();
    harness.change({ hoursToPay: 3 }, hidden);
    await harness.pollFor(10);
    const [event, ...others] = harness.published.filter(({ type }) => type.endsWith('timesheet.changed'));
    expect([event?.subject, others]).toEqual([hidden[0], []]);
    const { after, by } = (event?.data.observed ?? {}) as { after: string; by: string };
    expect(Date.parse(by) - Date.parse(after)).toBeLessThan(10 * 60_000);
    expect(Date.parse(after)).toBeLessThan(Date.parse(by));
  });

  test('that are listed again are as if nothing had been', async () => {
    const { harness } = await harnessWith({ records: 20, hiddenCount: 3, goneCount: 0 });
    await harness.pollFor(5);
    harness.listed = (records) => records;
    expect((await harness.poll()).outcome).toBe('complete');
    const heads = await harness.store.loadHeads({ connection: 'main', feed: 'timesheets' }, DATE);
    expect(heads[0]?.unlistedCount).toBeUndefined();
    expect(harness.published).toEqual([]);
  });

  test.each(['source_forbidden', 'source_failed'] as const)(
    'a question that fails (%s) is one record alone: the others are asked on',
    async (code) => {
      const { harness, gone } = await harnessWith({ records: 40, hiddenCount: 2, goneCount: 4 });
      harness.onLookUp = (id) => (id === '100_0' ? new SourceError(code, 'it may hold a name') : null);
      const report = await harness.poll();
      expect(removals(harness)).toEqual(gone.sort());
      expect(report.outcome).toBe('incomplete');
      expect(report.reasons).toContain(`some absent records could not be asked for by id (${code})`);
    },
  );

  test.each(['source_unauthorised', 'source_unreachable', 'source_throttled'] as const)(
    'a source that does not answer anybody (%s) is not asked on',
    async (code) => {
      const { harness } = await harnessWith({ records: 40, hiddenCount: 6, goneCount: 0 });
      harness.onLookUp = () => new SourceError(code, 'not now');
      const report = await harness.poll();
      expect(harness.requests.byId).toBe(1);
      expect(report.outcome).toBe(code === 'source_unauthorised' ? 'refused' : 'incomplete');
    },
  );

  test('three failures in a row end the asking of a poll', async () => {
    const { harness } = await harnessWith({ records: 40, hiddenCount: 6, goneCount: 0 });
    harness.onLookUp = () => new SourceError('source_failed', 'it fails');
    await harness.poll();
    expect(harness.requests.byId).toBe(3);
  });
});

async function harnessWith(counts: {
  readonly records: number;
  readonly hiddenCount: number;
  readonly goneCount: number;
}) {
  const { records, hiddenCount, goneCount } = counts;
  const harness = new PollHarness({ connection: SMALL });
  const ids = Array.from({ length: records }, (_, n) => `100_${n}`);
  harness.put(...ids.map((id) => timesheet({ id, date: DATE })));
  await harness.poll();
  harness.news();
  const hidden = ids.slice(0, hiddenCount);
  const gone = ids.slice(records - goneCount);
  const isHidden = new Set(hidden);
  harness.listed = (each) => each.filter(({ id }) => !isHidden.has(id));
  for (const id of gone) harness.remove(id);
  return { harness, hidden, gone };
}

function removals({ published }: PollHarness): string[] {
  const removed = published.filter(({ type }) => type.endsWith('timesheet.removed'));
  return removed.map(({ subject }) => subject ?? '').sort();
}
