import { describe, expect, it } from 'vitest';
import type { Timesheet, TimesheetPage } from '#local/source/schemas.ts';
import { openSource } from './support.ts';

const source = await openSource();
const { company } = source;
const RANGE = 'dateFrom=2026-02-10&dateTo=2026-03-20';

describe('timesheet lists', () => {
  it('link their pages by paths that repeat the query, with empty strings at both ends', async () => {
    const first = await pageOf(`/timesheets?${RANGE}&pageSize=100`);
    expect(first.pagination).toEqual({
      page: 1,
      pageSize: 100,
      totalPages: Math.ceil(first.pagination.totalRecords / 100),
      totalRecords: company.timesheets({ from: '2026-02-10', to: '2026-03-20' }).length,
      nextPage: `/api/v1/timesheets?${RANGE}&page=2&pageSize=100`,
      previousPage: '',
    });
    const second = await pageOf(first.pagination.nextPage);
    expect(second.pagination.previousPage).toBe(`/api/v1/timesheets?${RANGE}&page=1&pageSize=100`);
    const last = await pageOf(`/timesheets?${RANGE}&pageSize=100&page=${first.pagination.totalPages}`);
    expect(last.pagination.nextPage).toBe('');
    expect(last.data.length).toBeLessThanOrEqual(100);
  });

  it('return every record once when the links are followed', async () => {
    const walked = await walk(`/timesheets?${RANGE}&pageSize=37`);
    expect(new Set(walked.map(({ id }) => id)).size).toBe(walked.length);
    expect(walked).toEqual(company.timesheets({ from: '2026-02-10', to: '2026-03-20' }));
  });

  it('begin today in the company’s zone, whose date is not that of UTC, and have no end', async () => {
    const { data } = await pageOf('/timesheets?pageSize=200');
    const dates = data.map(({ date }) => date).toSorted();
    expect(new Date(source.now()).toISOString().slice(0, 10)).toBe('2026-03-04');
    expect(dates[0]).toBe('2026-03-05');
    const ahead = (await walk('/timesheets')).map(({ date }) => date).toSorted();
    expect(ahead.at(-1)).toBe(company.timesheets().at(-1)?.date);
  });

  it('are empty for a range without timesheets, with no pages', async () => {
    const { data, pagination } = await pageOf('/timesheets?dateFrom=2001-01-01&dateTo=2001-01-31');
    expect({ data, pagination }).toEqual({
      data: [],
      pagination: { page: 1, pageSize: 200, totalPages: 0, totalRecords: 0, nextPage: '', previousPage: '' },
    });
  });

  it('have 200 records a page by default and never more than the cap', async () => {
    expect((await pageOf(`/timesheets?${RANGE}`)).data).toHaveLength(200);
    const { data, pagination } = await pageOf(`/timesheets?${RANGE}&pageSize=500`);
    expect([data.length, pagination.pageSize]).toEqual([200, 200]);
    expect(pagination.nextPage).toContain('pageSize=200');
  });
});

describe('a timesheet', () => {
  it('comes in an envelope of one', async () => {
    const [wanted] = company.timesheets();
    const { data, pagination } = await pageOf(`/timesheets/${wanted?.id}`);
    expect(data).toEqual([wanted]);
    expect(pagination).toEqual({
      page: 1,
      pageSize: 1,
      totalPages: 1,
      totalRecords: 1,
      nextPage: '',
      previousPage: '',
    });
  });

  it('has a local clock time, and the minutes from the schedule', async () => {
    const timesheets = await walk(`/timesheets?${RANGE}`);
    const clocked = timesheets.find(({ clockIn }) => clockIn !== null && clockIn.overrideEmployee === null);
    const { localTime, variance } = clocked?.clockIn ?? { localTime: null, variance: 0 };
    const scheduled = Date.parse(clocked?.startTime ?? '') + 13 * 3_600_000;
    expect(Math.abs((Date.parse(`${localTime}Z`) - scheduled) / 60_000 - variance)).toBeLessThanOrEqual(1);
  });
});

async function pageOf(path: string): Promise<TimesheetPage> {
  const { status, body } = await source.ask(path);
  expect(status).toBe(200);
  return body;
}

async function walk(path: string): Promise<Timesheet[]> {
  const found: Timesheet[] = [];
  for (let next = path; next !== ''; ) {
    const { data, pagination } = await pageOf(next);
    found.push(...data);
    next = pagination.nextPage;
  }
  return found;
}
