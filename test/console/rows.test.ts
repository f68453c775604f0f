import { html } from 'hono/html';
import { describe, expect, test } from 'vitest';
import type { Line } from '#console/answers/lines.ts';
import { groupLines, showRows } from '#console/pages/rows.ts';
import { eventsOf, toText } from './visitor.ts';

const MINUTE_MS = 60_000;
const START = Date.parse('2026-11-20T08:00:00Z');
const READING = { now: START + 300 * MINUTE_MS, timeZone: 'UTC' };

describe('groups', () => {
  test('have what happened of one type within half an hour of each other, also when others come in between', () => {
    const lines = [at(200, 'a'), at(58, 'a'), at(30, 'b'), at(29, 'a'), at(1, 'b'), at(0, 'a')];
    expect(ids(groupLines(lines))).toEqual([['200 a'], ['58 a', '29 a', '0 a'], ['30 b'], ['1 b']]);
  });

  test('end after three hours, at midnight, and are of one connection', () => {
    const lines = Array.from({ length: 9 }, (_, index) => at((8 - index) * 25, 'a'));
    expect(groupLines(lines).map(({ length }) => length)).toEqual([8, 1]);
    const night = [970, 965, 950].map((minute) => at(minute, 'a'));
    expect(ids(groupLines(night))).toEqual([['970 a'], ['965 a'], ['950 a']]);
    const others = [at(2, 'a'), at(1, 'a'), { ...at(0, 'a'), connection: 'other' }];
    expect(groupLines(others)).toHaveLength(3);
  });
});

describe('rows', () => {
  test('have each event once, newest first, below the heading of its day', async () => {
    const lines = [at(961, 'b'), at(4, 'a'), at(3, 'b'), at(1, 'a'), at(0, 'a')];
    const page = await render(lines);
    expect(eventsOf(page)).toEqual(['961 b', '4 a', '1 a', '0 a', '3 b']);
    expect([...page.matchAll(/data-day="([^"]+)"/g)].map(([, day]) => day)).toEqual([
      '2026-11-21',
      '2026-11-20',
    ]);
  });

  test('say of a group how many, when, in how many departments, and how many of them are late', async () => {
    const type = 'timesheet.approved';
    const lines = [at(9, type), { ...at(5, type), departmentId: '2', late: ['approval'] }, at(0, type)];
    expect(toText(await render(lines))).toContain(
      '3 timesheets approved , 08:00 to 08:09, 2 departments, 1 late',
    );
  });

  test('of a type that this version does not know have its name', async () => {
    expect(toText(await render([at(2, 'x.new_one'), at(1, 'x.new_one'), at(0, 'x.new_one')]))).toContain(
      '3 x new one',
    );
  });
});

async function render(lines: readonly Line[]): Promise<string> {
  return String(await html`${showRows(lines, READING)}`);
}

function ids(groups: readonly (readonly Line[])[]): string[][] {
  return groups.map((group) => group.map(({ id }) => id));
}

function at(minute: number, type: string): Line {
  const instant = new Date(START + minute * MINUTE_MS).toISOString();
  return {
    ...{ key: `${instant}|main|000000`, id: `${minute} ${type}`, type, connection: 'main', timeZone: 'UTC' },
    ...{
      record: '1_7',
      date: '2026-11-20',
      employeeId: '1',
      employee: null,
      departmentId: '1',
      department: null,
    },
    ...{
      late: [],
      occurredAt: null,
      seenAt: instant,
      committedAt: instant,
      period: null,
      says: '',
    },
  };
}
