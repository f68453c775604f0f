import { describe, expect, test } from 'vitest';
import { DATE, timesheet } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const SMALL = { window: { backDays: 1, forwardDays: 1 } };
const IDS = Array.from({ length: 277 }, (_, n) => `100_${n}`);

describe('a source that sends what cannot be read', () => {
  test('makes the poll incomplete, with the field and the kind of value named, and is reported once', async () => {
    const harness = await baselined();
    harness.change({ hoursToPay: '7.5 CANARY' });
    const report = await harness.poll();
    expect(report.outcome).toBe('incomplete');
    expect(report.reasons.join()).toMatch(/^source_changed_form: 277 of 277 .*hoursToPay: string/);
    expect(JSON.stringify([report, harness.published])).not.toContain('CANARY');
    expect(harness.published.map(({ data }) => data)).toMatchObject([
      {
        ...{ feed: 'timesheets', about: [DATE], count: 277, cause: 'form_changed hoursToPay' },
        since: '2026-03-05T01:01:00.000Z',
      },
    ]);
    expect(harness.news()).toEqual(['began dates_doubtful form']);
    await harness.poll();
    expect(harness.news()).toEqual([]);
    harness.change({ hoursToPay: 7.5 });
    expect((await harness.poll()).outcome).toBe('complete');
    expect(harness.news()).toEqual(['ended dates_doubtful form']);
    expect((await harness.state()).formChanged).toBeNull();
  });

  test('still has its good records published, and none is taken for gone', async () => {
    const harness = await baselined();
    harness.change({ hoursToPay: null }, IDS.slice(0, 20));
    harness.change({ hoursToPay: 5 }, ['100_50']);
    harness.remove('100_60');
    await harness.poll();
    expect(harness.news()).toEqual(['timesheet.changed 100_50', 'began dates_doubtful form']);
    harness.change({ hoursToPay: 8 }, IDS.slice(0, 20));
    await harness.poll();
    expect(harness.news().toSorted()).toEqual(
      [
        ...IDS.slice(0, 20).map((id) => `timesheet.changed ${id}`),
        'timesheet.removed 100_60',
        'ended dates_doubtful form',
      ].toSorted(),
    );
  });

  test('that names its dates otherwise loses nobody', async () => {
    const harness = await baselined();
    harness.change({ date: '05/03/2026' });
    const report = await harness.poll();
    expect(report.reasons.join()).toContain('date: string');
    expect(harness.news()).toEqual(['began dates_doubtful form']);
    expect(harness.lines.at(-1)).toMatchObject({ outcome: 'poll.completed', doubtfulSlices: 3 });
    harness.change({ date: DATE });
    await harness.poll();
    expect(harness.lines.at(-1)).toMatchObject({ doubtfulSlices: 0 });
    expect(harness.news()).toEqual(['ended dates_doubtful form']);
  });

  test('in a few records only has them quarantined one by one', async () => {
    const harness = await baselined();
    harness.change({ hoursToPay: 'many' }, IDS.slice(0, 10));
    expect((await harness.poll()).outcome).toBe('complete');
    await harness.poll();
    const quarantined = IDS.slice(0, 10).map((id) => `began records_unreadable ${id}`);
    expect(harness.news().toSorted()).toEqual(quarantined);
    harness.change({ hoursToPay: 7.5 }, IDS.slice(1, 10));
    harness.change({ hoursToPay: 9 }, IDS.slice(0, 1));
    await harness.poll();
    const readable = IDS.slice(0, 10).map((id) => `ended records_unreadable ${id}`);
    expect(harness.news().toSorted()).toEqual([...readable, 'timesheet.changed 100_0'].toSorted());
    await harness.poll();
    expect(harness.news()).toEqual([]);
  });

  test('is no baseline for the dates concerned', async () => {
    const harness = new PollHarness({ connection: SMALL });
    harness.put(...IDS.map((id) => timesheet({ id, date: DATE, hoursToPay: 'many' })));
    expect((await harness.poll()).baselined).toBe(false);
    harness.change({ hoursToPay: 7.5 });
    expect((await harness.poll()).baselined).toBe(true);
    expect(harness.news()).toEqual([
      'began dates_doubtful form',
      ...['ended dates_doubtful form', 'baseline.completed'],
    ]);
  });
});

async function baselined(): Promise<PollHarness> {
  const harness = new PollHarness({ connection: SMALL });
  harness.put(...IDS.map((id) => timesheet({ id, date: DATE, hoursToPay: 7.5 })));
  await harness.poll();
  harness.news();
  return harness;
}
