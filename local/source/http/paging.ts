import type { Timesheet, TimesheetPage } from '../schemas.ts';

const PAGE_TYPE = 'PageOfTimesheets:#Workforce.Sample';

export interface PageRequest {
  /** Path of the operation, from `/api/v1` on. */
  readonly path: string;
  /** The parameters that the links to other pages repeat. */
  readonly query: Readonly<Record<string, string>>;
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
}

/** One page of the records, with links to its neighbours (docs/source-api.md, Paging). */
export function buildPage(records: readonly Timesheet[], request: PageRequest): TimesheetPage {
  const { page, pageSize } = request;
  const totalPages = Math.ceil(records.length / pageSize);
  const first = (page - 1) * pageSize;
  return {
    __type: PAGE_TYPE,
    data: records.slice(first, first + pageSize),
    pagination: {
      page,
      pageSize,
      totalPages,
      totalRecords: records.length,
      nextPage: page < totalPages ? buildLink(request, page + 1) : '',
      previousPage: page > 1 ? buildLink(request, page - 1) : '',
    },
  };
}

/** The envelope of a single timesheet: page size, pages and records are all 1 (docs/source-api.md, Timesheets). */
export function buildSingleRecordPage(timesheet: Timesheet): TimesheetPage {
  return {
    __type: PAGE_TYPE,
    data: [timesheet],
    pagination: { page: 1, pageSize: 1, totalPages: 1, totalRecords: 1, nextPage: '', previousPage: '' },
  };
}

function buildLink({ path, query, pageSize }: PageRequest, page: number): string {
  return `${path}?${new URLSearchParams({ ...query, page: String(page), pageSize: String(pageSize) })}`;
}
