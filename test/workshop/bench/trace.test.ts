import { describe, expect, test } from 'vitest';
import { dateOf } from '#workshop/bench/fortnight/trace/calendar.ts';
import { type FortnightSize, THIRTY } from '#workshop/bench/fortnight/trace/size.ts';
import {
  createTrace,
  readChange,
  type Trace,
  type TraceChange,
} from '#workshop/bench/fortnight/trace/trace.ts';

const DAY_MS = 86_400_000;
const SIZE: FortnightSize = { ...THIRTY, people: 120, organisations: 3, calendars: 2 };

function changesOf(trace: Trace): TraceChange[] {
  const days = Array.from(
    { length: (trace.to - trace.from) / DAY_MS },
    (_, day) => trace.from / DAY_MS + day,
  );
  return days.flatMap((day) => [...trace.changesOnDay(dateOf(day))]);
}

describe('a fortnight', () => {
  const trace = createTrace({ seed: 3, size: SIZE });
  const changes = changesOf(trace);

  test('is the same for a seed, and another for another', () => {
    expect(changesOf(createTrace({ seed: 3, size: SIZE }))).toEqual(changes);
    expect(changesOf(createTrace({ seed: 4, size: SIZE }))).not.toEqual(changes);
  });

  test('is in order of time, and each day holds its own changes', () => {
    expect(changes.length).toBeGreaterThan(2_000);
    expect(changes.map(({ at }) => at)).toEqual(changes.map(({ at }) => at).sort((a, b) => a - b));
    const firstDay = [...trace.changesOnDay(dateOf(trace.from / DAY_MS))];
    expect(firstDay.every(({ at }) => at >= trace.from && at < trace.from + DAY_MS)).toBe(true);
  });

  test('has every kind of change, and quieter weekends', () => {
    expect(new Set(changes.map(({ type }) => type)).size).toBeGreaterThanOrEqual(10);
    const onDay = (day: number) => changes.filter(({ at }) => Math.floor((at - trace.from) / DAY_MS) === day);
    expect(onDay(5).length + onDay(6).length).toBeLessThan(onDay(1).length + onDay(2).length);
  });

  test('counts the timesheets of a date as they come and go', () => {
    const date = dateOf(trace.from / DAY_MS + 8);
    const list = trace.changesOfDate(date);
    let count = 0;
    for (let index = 0; index < list.at.length; index += 1) {
      const { at, type } = readChange(list, index);
      if (type === 'timesheet.created') count += 1;
      if (type === 'timesheet.removed') count -= 1;
      if (list.at[index + 1] !== at) expect(trace.recordsOn(date, at)).toBe(count);
    }
    expect(count).toBeGreaterThan(50);
  });

  test('gives each timesheet a life in order: nothing before it is there or after it is gone', () => {
    const lives = Map.groupBy(changes, ({ date, record }) => `${date} ${record}`);
    const whole = [...lives.values()].filter(([first]) => first?.type === 'timesheet.created');
    expect(whole.length).toBeGreaterThan(500);
    for (const life of whole) {
      const types = life.map(({ type }) => type);
      expect(types.indexOf('timesheet.created')).toBe(types.lastIndexOf('timesheet.created'));
      expect(types.slice(0, -1)).not.toContain('timesheet.removed');
      const [payroll, processed] = ['timesheet.payroll_approved', 'timesheet.processed'] as const;
      if (types.includes(processed)) expect(types.indexOf(payroll)).toBeLessThan(types.indexOf(processed));
    }
  });

  test('moves the totals of a pay period when its timesheets change, and closes it after its sweep', () => {
    const open = (at: number) => trace.payPeriodsAt(at).filter(({ closed }) => !closed).length;
    const totals = (at: number) =>
      trace.payPeriodsAt(at).map(({ changes, timesheets }) => [changes, timesheets]);
    expect(totals(trace.from + 9 * 3_600_000)).not.toEqual(totals(trace.from + 18 * 3_600_000));
    // Two calendars, and in a week one period of each ends.
    expect(open(trace.from)).toBe(open(trace.from + 7 * DAY_MS));
  });
});
