import type { CompanyChange } from '#local/source/company/changes.ts';
import type { Company } from '#local/source/company/company.ts';
import type { Timesheet } from '#local/source/schemas.ts';
import { addDays } from '#shared/core/dates.ts';

/** Days back that people still work on. */
const BACK_DAYS = 5;
/** Minutes between two corrections of hours that are paid already, of which people get a message. */
const CORRECTION_MINUTES = 3;

/**
 * Work that people of the company do in each minute of a drill, beside their usual day, so that there is something to
 * tell whatever the hour: a clock-in, an approval, and now and then a correction of hours that were processed.
 */
export function doSomeWork(company: Company, minute: number): void {
  const today = company.today();
  const timesheets = company.timesheets({ from: addDays(today, -BACK_DAYS), to: today });
  const first = (wanted: (timesheet: Timesheet) => boolean) => timesheets.findLast(wanted)?.id;
  apply(
    company,
    'approve',
    first(({ approvedHours }) => approvedHours === null),
  );
  apply(
    company,
    'clock-in',
    first(({ date, clockIn }) => date === today && clockIn === null),
  );
  if (minute % CORRECTION_MINUTES === 0) {
    apply(company, 'change', first(({ processed }) => processed !== null) ?? timesheets[0]?.id);
  }
}

function apply(company: Company, change: 'approve' | 'change' | 'clock-in', id: string | undefined): void {
  if (id !== undefined) company.apply({ change, id } satisfies CompanyChange);
}
