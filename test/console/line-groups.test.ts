import { describe, expect, test } from 'vitest';
import { buildRows, groupLines, summarizeGroup } from '#console/page/live/line-groups.ts';
import { findWords } from '#console/page/live/words.ts';
import type { Line } from '#console/routes/lines.ts';
import { PUBLISHED_TYPES } from '#shared/core/event-types.ts';

const MINUTE_MS = 60_000;
const START = Date.parse('2026-11-20T08:00:00Z');

describe('groups', () => {
  test('have what happened of one type within half an hour of each other, also when others come in between', () => {
    const lines = [at(0, 'a'), at(1, 'b'), at(29, 'a'), at(30, 'b'), at(58, 'a'), at(200, 'a')];
    expect(groupLines(lines).map((group) => group.map(({ id }) => id))).toEqual([
      ['0 a', '29 a', '58 a'],
      ['1 b', '30 b'],
      ['200 a'],
    ]);
  });

  test('end after three hours, and are of one connection', () => {
    const lines = Array.from({ length: 9 }, (_, index) => at(index * 25, 'a'));
    expect(groupLines(lines).map(({ length }) => length)).toEqual([8, 1]);
    const others = [at(0, 'a'), { ...at(1, 'a'), connection: 'other' }];
    expect(groupLines(others)).toHaveLength(2);
  });

  test('are one row from three events on, the newest first, under the heading of their day', () => {
    const lines = [at(0, 'a'), at(1, 'a'), at(2, 'b'), at(3, 'b'), at(4, 'b')];
    expect(rows(lines)).toEqual(['day', '3 b', '1 a', '0 a']);
    expect(rows(lines, ['3 b'])).toEqual(['day', '3 b', '4 b', '3 b', '2 b', '1 a', '0 a']);
  });

  test('keep their place in the document when they grow', () => {
    const lines = [at(0, 'a'), at(1, 'a'), at(2, 'a')];
    const keyOf = (all: readonly Line[]) => build(all).find(({ kind }) => kind === 'group')?.key;
    expect(keyOf([...lines, at(3, 'a')])).toBe(keyOf(lines));
  });

  test('say how many, when, and in how many departments', () => {
    const lines = [at(0, 'a'), { ...at(5, 'a'), departmentId: '2', late: ['approval'] }, at(9, 'a')];
    expect(summarizeGroup({ lines })).toEqual({
      count: 3,
      from: START,
      to: START + 9 * MINUTE_MS,
      departments: 2,
      people: 1,
      late: 1,
    });
  });
});

describe('words', () => {
  test('are there for every type about a record', () => {
    const types = PUBLISHED_TYPES.map((type) => type.replace('workforce.', '')).filter((type) =>
      /^(timesheet|pay_period)\./.test(type),
    );
    expect(types.length).toBeGreaterThan(18);
    // The words of an unknown type are its name.
    for (const type of types) expect(findWords(type).many, type).not.toBe(type.replaceAll(/[._]/g, ' '));
  });
});

function build(lines: readonly Line[], open: readonly string[] = []) {
  return buildRows(lines, { open: new Set(open), dayOf: ({ seenAt }) => seenAt.slice(0, 10) });
}

function rows(lines: readonly Line[], open: readonly string[] = []): string[] {
  return build(lines, open).map((row) => {
    if (row.kind === 'group') return `${row.lines.length} ${row.lines[0]?.type}`;
    return row.kind === 'day' ? 'day' : row.line.id;
  });
}

function at(minute: number, type: string): Line {
  const instant = new Date(START + minute * MINUTE_MS).toISOString();
  return {
    key: `${instant}|main|000000`,
    id: `${minute} ${type}`,
    type,
    connection: 'main',
    record: '1_7',
    date: '2026-11-20',
    employeeId: '1',
    employee: null,
    departmentId: '1',
    department: null,
    calendars: [],
    late: [],
    collapsed: false,
    occurredAt: null,
    seenAt: instant,
    committedAt: instant,
    period: null,
    says: '',
  };
}
