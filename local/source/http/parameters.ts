import { z } from '@hono/zod-openapi';
import { isDate } from '#shared/core/dates.ts';

const DAILY_STATUS_PATTERN = /^(\d{2})\/(\d{2})\/(\d{4})$/;

const date = (name: string, description: string) =>
  z
    .string()
    .refine(isDate, 'must be a date YYYY-MM-DD')
    .optional()
    .openapi({ param: { name, in: 'query' }, format: 'date', description });

const count = (name: string, description: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,8}$/, 'must be an integer of at least 1')
    .transform(Number)
    .optional()
    .openapi({ param: { name, in: 'query' }, type: 'integer', minimum: 1, description });

/** Query of the timesheet lists (docs/source-api.md, Timesheets). */
export const rangeQuery = z.object({
  dateFrom: date('dateFrom', 'On or after this date; default: today'),
  dateTo: date('dateTo', 'Up to and including this date; without it, no upper bound'),
  page: count('page', 'Default 1'),
  pageSize: count('pageSize', 'Default: the system default page size'),
});
export type RangeQuery = z.output<typeof rangeQuery>;

export const employeeRangeQuery = rangeQuery.extend({
  payPeriodId: z
    .string()
    .optional()
    .openapi({ description: 'All timesheets of this pay period; the dates are ignored' }),
});

/** A date `DD/MM/YYYY`, converted to `YYYY-MM-DD` (docs/source-api.md, Employees). */
export const dailyStatusQuery = z.object({
  dailyStatus: z
    .string()
    .refine((text) => isDate(toIsoDate(text)), 'must be a date DD/MM/YYYY')
    .transform(toIsoDate)
    .optional()
    .openapi({ type: 'string', description: 'The date, DD/MM/YYYY, to resolve availability for' }),
});

export const organisationQuery = z.object({
  organisation_id: z
    .string()
    .optional()
    .openapi({ description: 'Only this organisation under the head office' }),
});

/** An id in the path: any text; unknown ids are answered with 404. */
export const idParameter = <Name extends string>(name: Name) =>
  z.object({ [name]: z.string().openapi({ param: { name, in: 'path' } }) } as Record<Name, z.ZodString>);

function toIsoDate(text: string): string {
  const [, day, month, year] = DAILY_STATUS_PATTERN.exec(text) ?? [];
  return `${year}-${month}-${day}`;
}
