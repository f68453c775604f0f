import { describe, expect, test } from 'vitest';
import { DATE, timesheet } from '#test/support/builders.ts';
import { PollStage } from '#test/support/poll-stage.ts';

const SMALL = { window: { backDays: 1, forwardDays: 1 } };
const IDS = Array.from({ length: 277 }, (_, n) => `100_${n}`);

describe('a source that sends what cannot be read', () => {
  test('makes the poll incomplete, with the field and the kind of value named, and is told once', async () => {
    const stage = await baselined();
    stage.change({ hoursToPay: '7.5 CANARY' });
    const report = await stage.poll();
    expect(report.outcome).toBe('incomplete');
    expect(report.reasons.join()).toMatch(/^source_changed_form: 277 of 277 .*hoursToPay: string/);
    expect(JSON.stringify([report, stage.published])).not.toContain('CANARY');
    expect(stage.published.map(({ data }) => data)).toEqual([
      {
        feed: 'timesheets',
        since: '2026-03-05T01:02:00.000Z',
        fields: [{ field: 'hoursToPay', kinds: ['string'] }],
        bad: 277,
        records: 277,
      },
    ]);
    expect(stage.news()).toEqual(['source.form_changed']);
    await stage.poll();
    expect(stage.news()).toEqual([]);
    stage.change({ hoursToPay: 7.5 });
    expect((await stage.poll()).outcome).toBe('complete');
    expect(stage.news()).toEqual(['source.form_restored']);
    expect((await stage.state())?.formChanged).toBeUndefined();
  });

  test('still has its good records told of, and nobody is taken for gone', async () => {
    const stage = await baselined();
    stage.change({ hoursToPay: null }, IDS.slice(0, 20));
    stage.change({ hoursToPay: 5 }, ['100_50']);
    stage.timesheets.delete('100_60');
    await stage.poll();
    expect(stage.news()).toEqual(['timesheet.changed 100_50', 'source.form_changed']);
    stage.change({ hoursToPay: 8 }, IDS.slice(0, 20));
    await stage.poll();
    expect(stage.news().toSorted()).toEqual(
      [
        ...IDS.slice(0, 20).map((id) => `timesheet.changed ${id}`),
        'timesheet.removed 100_60',
        'source.form_restored',
      ].toSorted(),
    );
  });

  test('that names its dates otherwise loses nobody', async () => {
    const stage = await baselined();
    stage.change({ date: '05/03/2026' });
    const report = await stage.poll();
    expect(report.reasons.join()).toContain('date: string');
    expect(stage.news()).toEqual(['source.form_changed']);
    stage.change({ date: DATE });
    await stage.poll();
    expect(stage.news()).toEqual(['source.form_restored']);
  });

  test('in a few records only has them quarantined one by one', async () => {
    const stage = await baselined();
    stage.change({ hoursToPay: 'many' }, IDS.slice(0, 10));
    expect((await stage.poll()).outcome).toBe('complete');
    const told = IDS.slice(0, 10).map((id) => `record.quarantined ${id}`);
    expect(stage.news().toSorted()).toEqual(told);
  });

  test('is no baseline for the dates concerned', async () => {
    const stage = new PollStage({ connection: SMALL });
    stage.put(...IDS.map((id) => timesheet({ id, date: DATE, hoursToPay: 'many' })));
    expect((await stage.poll()).baselined).toBe(false);
    stage.change({ hoursToPay: 7.5 });
    expect((await stage.poll()).baselined).toBe(true);
    expect(stage.news()).toEqual(['source.form_changed', 'baseline.completed', 'source.form_restored']);
  });
});

async function baselined(): Promise<PollStage> {
  const stage = new PollStage({ connection: SMALL });
  stage.put(...IDS.map((id) => timesheet({ id, date: DATE, hoursToPay: 7.5 })));
  await stage.poll();
  stage.news();
  return stage;
}
