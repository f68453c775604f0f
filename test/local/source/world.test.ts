import { describe, expect, it } from 'vitest';
import type { RawRecord } from '#local/source/world/records.ts';
import { type Membership, World } from '#local/source/world/world.ts';

/** Those of an even employee are in the first period, the others in the second. */
const belongs = ({ sheet, period }: Membership<RawRecord, RawRecord>) =>
  Number(sheet.employeeId) % 2 === Number(period.id);

function makeWorld(): World {
  const world = new World(belongs);
  for (const id of ['0', '1'])
    world.records['pay-periods'].add(id, {
      at: 0,
      record: { id, startDate: '2026-03-02', finishDate: '2026-03-03' },
    });
  return world;
}

function sheet(date: string, employeeId: number, hoursToPay = 8): RawRecord {
  return { date, employeeId, hoursToPay };
}

describe('a record', () => {
  it('is what it was at each instant, and nothing before it came and once it is gone', () => {
    const { timesheets } = makeWorld().records;
    for (const [at, hours] of [
      [10, 1],
      [20, 2],
      [20, 3],
    ] as const)
      timesheets.add('a', { at, record: sheet('2026-03-02', 1, hours) });
    const record = timesheets.add('a', { at: 30, record: null });
    expect([9, 10, 19, 20, 29, 30].map((at) => record.at(at)?.hoursToPay)).toEqual([
      undefined,
      1,
      1,
      3,
      3,
      undefined,
    ]);
    expect([record.indexAt(5), record.indexAt(20)]).toEqual([-1, 2]);
    expect([record.latest, timesheets.size, timesheets.list(), timesheets.list(25).length]).toEqual([
      null,
      1,
      [],
      1,
    ]);
  });
});

describe('a list of dates', () => {
  it('has what was on them at an instant: by date, and on a date the newest first', () => {
    const { timesheets } = makeWorld().records;
    timesheets.add('a', { at: 1, record: { ...sheet('2026-03-02', 1), id: 'a' } });
    timesheets.add('b', { at: 2, record: { ...sheet('2026-03-02', 2), id: 'b' } });
    timesheets.add('c', { at: 3, record: { ...sheet('2026-03-01', 3), id: 'c' } });
    timesheets.add('a', { at: 4, record: { ...sheet('2026-03-03', 1), id: 'a' } });
    timesheets.add('b', { at: 5, record: null });
    const idsOf = (from: string, to: string | undefined, at?: number) =>
      timesheets
        .between({ from, to }, at)
        .map(({ id }) => id)
        .join('');
    expect(idsOf('2026-03-01', '2026-03-02', 3)).toBe('cba');
    expect(idsOf('2026-03-01', '2026-03-02', 4)).toBe('cb');
    expect(idsOf('', undefined)).toBe('ca');
    expect(idsOf('2026-03-02', '2026-03-02')).toBe('');
    expect(idsOf('2026-03-03', '9999-12-31')).toBe('a');
  });
});

describe('a pay period', () => {
  it('has the timesheets that its driver says, and comes to them, as they were', () => {
    const world = makeWorld();
    const { timesheets } = world.records;
    timesheets.add('a', { at: 1, record: sheet('2026-03-02', 1, 0.1) });
    timesheets.add('b', { at: 2, record: sheet('2026-03-03', 1, 0.2) });
    timesheets.add('c', { at: 3, record: sheet('2026-03-03', 2) });
    timesheets.add('d', { at: 4, record: sheet('2026-03-04', 1) });
    timesheets.add('a', { at: 5, record: null });
    expect(world.members('1', 1)).toHaveLength(1);
    expect(world.totals('1', 4)).toEqual({ hours: 0.3, numberEmployees: 1, numberTimesheets: 2 });
    expect(world.totals('1')).toEqual({ hours: 0.2, numberEmployees: 1, numberTimesheets: 1 });
    expect(world.members('0')).toHaveLength(1);
    expect([world.members('0', -1), world.members('2')]).toEqual([[], []]);
  });
});
