import { describe, expect, test } from 'vitest';
import { SourceError } from '#shared/core/errors.ts';
import { DATE, timesheet } from '#test/support/builders.ts';
import { PollStage } from '#test/support/poll-stage.ts';

const SMALL = { window: { backDays: 1, forwardDays: 1 } };

describe('records that the list leaves out although they answer by id', () => {
  test('are asked for ever more rarely, and who is really gone among them is told', async () => {
    const { stage, hidden, gone } = await stageWith({ records: 500, hiddenCount: 200, goneCount: 15 });
    await stage.pollFor(4);
    expect(removals(stage)).toEqual(gone.sort());
    await stage.pollFor(116);
    expect(stage.requests.byId).toBeLessThan(2_500);
    const [first = ''] = hidden;
    stage.timesheets.delete(first);
    await stage.pollFor(61);
    expect(removals(stage)).toEqual([...gone, first].sort());
  });

  test('make polls incomplete until it is known that they are left out for good', async () => {
    const { stage } = await stageWith({ records: 40, hiddenCount: 5, goneCount: 0 });
    const first = await stage.poll();
    expect(first.outcome).toBe('incomplete');
    expect(first.reasons).toEqual(['the list left out 5 records that the source still has']);
    expect((await stage.pollFor(15)).outcome).toBe('complete');
    const before = (await stage.state())?.coverage[DATE]?.at ?? 0;
    await stage.poll();
    const look = (await stage.state())?.coverage[DATE];
    expect(look?.at).toBeGreaterThan(before);
    expect(look?.unseen).toBeUndefined();
  });

  test('are told of when they change, between two questions', async () => {
    const { stage, hidden } = await stageWith({ records: 20, hiddenCount: 1, goneCount: 0 });
    await stage.poll();
    stage.change({ hoursToPay: 3 }, hidden);
    await stage.pollFor(10);
    const [event, ...others] = stage.published.filter(({ type }) => type.endsWith('timesheet.changed'));
    expect([event?.subject, others]).toEqual([hidden[0], []]);
    const { after, by } = (event?.data.observed ?? {}) as { after: string; by: string };
    expect(Date.parse(by) - Date.parse(after)).toBeLessThan(10 * 60_000);
    expect(Date.parse(after)).toBeLessThan(Date.parse(by));
  });

  test('that are listed again are as if nothing had been', async () => {
    const { stage } = await stageWith({ records: 20, hiddenCount: 3, goneCount: 0 });
    await stage.pollFor(5);
    stage.listed = (records) => records;
    expect((await stage.poll()).outcome).toBe('complete');
    const heads = await stage.store.loadHeads({ connection: 'main', feed: 'timesheets' }, DATE);
    expect(heads[0]?.unlistedCount).toBeUndefined();
    expect(stage.published).toEqual([]);
  });

  test.each(['source_forbidden', 'source_failed'] as const)(
    'a question that fails (%s) is one record alone: the others are asked on',
    async (code) => {
      const { stage, gone } = await stageWith({ records: 40, hiddenCount: 2, goneCount: 4 });
      stage.failsById = (id) => (id === '100_0' ? new SourceError(code, 'it may hold a name') : null);
      const report = await stage.poll();
      expect(removals(stage)).toEqual(gone.sort());
      expect(report.outcome).toBe('incomplete');
      expect(report.reasons).toContain(`some absent records could not be asked for by id (${code})`);
    },
  );

  test.each(['source_unauthorised', 'source_unreachable', 'source_throttled'] as const)(
    'a source that does not answer anybody (%s) is not asked on',
    async (code) => {
      const { stage } = await stageWith({ records: 40, hiddenCount: 6, goneCount: 0 });
      stage.failsById = () => new SourceError(code, 'not now');
      const report = await stage.poll();
      expect(stage.requests.byId).toBe(1);
      expect(report.outcome).toBe(code === 'source_unauthorised' ? 'refused' : 'incomplete');
    },
  );

  test('three failures in a row end the asking of a poll', async () => {
    const { stage } = await stageWith({ records: 40, hiddenCount: 6, goneCount: 0 });
    stage.failsById = () => new SourceError('source_failed', 'it fails');
    await stage.poll();
    expect(stage.requests.byId).toBe(3);
  });
});

async function stageWith(counts: {
  readonly records: number;
  readonly hiddenCount: number;
  readonly goneCount: number;
}) {
  const { records, hiddenCount, goneCount } = counts;
  const stage = new PollStage({ connection: SMALL });
  const ids = Array.from({ length: records }, (_, n) => `100_${n}`);
  stage.put(...ids.map((id) => timesheet({ id, date: DATE })));
  await stage.poll();
  stage.news();
  const hidden = ids.slice(0, hiddenCount);
  const gone = ids.slice(records - goneCount);
  const isHidden = new Set(hidden);
  stage.listed = (each) => each.filter(({ id }) => !isHidden.has(id));
  for (const id of gone) stage.timesheets.delete(id);
  return { stage, hidden, gone };
}

function removals({ published }: PollStage): string[] {
  const removed = published.filter(({ type }) => type.endsWith('timesheet.removed'));
  return removed.map(({ subject }) => subject ?? '').sort();
}
