import { describe, expect, it } from 'vitest';
import type { Timesheet, TimesheetPage } from '#local/source/schemas.ts';
import { makeSource } from './support.ts';

const source = makeSource();
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

  it('take dateTo as inclusive', async () => {
    const day = await walk('/timesheets?dateFrom=2026-03-03&dateTo=2026-03-03');
    expect(day.length).toBeGreaterThan(5);
    expect(new Set(day.map(({ date }) => date))).toEqual(new Set(['2026-03-03']));
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
    const capped = makeSource({ pageSizeCap: 50 });
    for (const query of ['', '&pageSize=500']) {
      const { body } = await capped.ask(`/timesheets?${RANGE}${query}`);
      expect(body.data).toHaveLength(50);
      expect(body.pagination.pageSize).toBe(50);
      expect(body.pagination.nextPage).toContain('pageSize=50');
    }
  });

  it.each(['page=0', 'page=x', 'page=-1', 'page=1.5', 'page=', 'pageSize=0', 'pageSize=x'])(
    'answer 400 to %s, by name',
    async (query) => {
      const { status, body } = await source.ask(`/timesheets?${query}`);
      expect(status).toBe(400);
      expect(body.message).toMatch(/^page(Size)?: /);
    },
  );

  it.each(['dateFrom=31/01/2026', 'dateTo=2026-13-45', 'dateFrom=2026-02-30', 'dateTo=', 'dateFrom=today'])(
    'answer 400 to %s, by name',
    async (query) => {
      const { status, body } = await source.ask(`/timesheets?${query}`);
      expect(status).toBe(400);
      expect(body.message).toMatch(/^date(From|To): must be a date YYYY-MM-DD$/);
    },
  );

  it('hold only those of an employee under their path', async () => {
    const [someone] = company.timesheets({ from: '2026-03-03' });
    const own = await walk(`/employees/${someone?.employeeId}/timesheets?${RANGE}&pageSize=5`);
    expect(own.length).toBeGreaterThan(5);
    expect(own.every(({ employeeId }) => employeeId === someone?.employeeId)).toBe(true);
  });

  it('hold a whole pay period of an employee, whatever the dates', async () => {
    const period = company.payPeriods()[6];
    const [someone] = company.timesheets({ from: period?.startDate ?? '' });
    const path = `/employees/${someone?.employeeId}/timesheets`;
    const page = await pageOf(
      `${path}?payPeriodId=${period?.id}&dateFrom=2001-01-01&dateTo=2001-01-02&pageSize=2`,
    );
    expect(page.pagination.nextPage).toBe(`/api/v1${path}?payPeriodId=${period?.id}&page=2&pageSize=2`);
    const all = await walk(`${path}?payPeriodId=${period?.id}&pageSize=2`);
    expect(all).toEqual(
      company
        .timesheets({ from: period?.startDate ?? '', to: period?.finishDate })
        .filter(({ employeeId }) => employeeId === someone?.employeeId),
    );
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

  it('has UTC times, a rate as currency text, a local clock time and a type', async () => {
    const timesheets = await walk(`/timesheets?${RANGE}`);
    for (const timesheet of timesheets) {
      expect(timesheet.finishTime).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
      expect(timesheet.hourlyRate).toMatch(/^\$\d+\.\d{2}$/);
      expect(timesheet.__type).not.toBe('');
    }
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
