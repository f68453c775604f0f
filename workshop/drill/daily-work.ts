import type { Company } from '#local/source/company/company.ts';
import type { Timesheet } from '#local/source/schemas.ts';
import { addDays } from '#shared/core/dates.ts';

/** Days back that people still work on. */
const BACK_DAYS = 5;

/** Work that people of the company do beside their usual day, so that there is something to tell whatever the hour. */
export interface DailyWork {
  /** A clock-in and an approval; with `corrections`, also a change of hours that were processed, of which people hear. */
  doSome(how: { readonly corrections: boolean }): void;
}

export function createDailyWork(company: Company): DailyWork {
  let turn = 0;
  return {
    doSome: ({ corrections }) => {
      company.advanceTo(Date.now());
      turn += 1;
      const today = company.today();
      const timesheets = company.timesheets({ from: addDays(today, -BACK_DAYS), to: today });
      const pick = (wanted: (timesheet: Timesheet) => boolean) => {
        const suitable = timesheets.filter(wanted);
        return suitable[turn % suitable.length]?.id;
      };
      const apply = (change: 'approve' | 'change' | 'clock-in', id: string | undefined) => {
        if (id !== undefined) company.apply({ change, id });
      };
      apply(
        'approve',
        pick(({ approvedHours }) => approvedHours === null),
      );
      apply('clock-in', pick(({ clockIn }) => clockIn === null) ?? createJob(company));
      if (corrections)
        apply(
          'change',
          pick(({ processed }) => processed !== null),
        );
    },
  };
}

/** When everybody has clocked in, somebody is called for a casual job. */
function createJob(company: Company): string | undefined {
  const created = company.apply({ change: 'create' });
  return created.outcome === 'done' ? created.record?.id : undefined;
}
