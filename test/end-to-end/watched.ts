import type { ClockRecord, PayPeriod, Timesheet } from '#local/source/schemas.ts';

export type SourceRecord = Timesheet | PayPeriod;

/** The members of a record in events, written by hand from docs/events.md. */
export function watched(record: SourceRecord): Record<string, unknown> {
  return 'employeeId' in record ? watchedOfTimesheet(record) : watchedOfPayPeriod(record);
}

function watchedOfTimesheet(timesheet: Timesheet): Record<string, unknown> {
  return {
    date: timesheet.date,
    employeeId: timesheet.employeeId,
    departmentId: timesheet.department?.id ?? null,
    roleId: timesheet.role?.id ?? null,
    shiftId: timesheet.shift?.id ?? null,
    organisationWorkedId: timesheet.organisationWorkedId,
    organisationPayRollId: timesheet.organisationPayRollId,
    startTime: timesheet.startTime,
    finishTime: timesheet.finishTime,
    hoursToPay: timesheet.hoursToPay,
    casualJob: timesheet.casualJob,
    includesLeave: timesheet.includesLeave,
    overnight: timesheet.overnight,
    clockIn: watchedOfClock(timesheet.clockIn),
    clockOut: watchedOfClock(timesheet.clockOut),
    approvedHours: timesheet.approvedHours,
    approvedPayroll: timesheet.approvedPayroll,
    processed: timesheet.processed,
    details: timesheet.details.map((detail) => ({
      ...detail,
      alternateDepartment: detail.alternateDepartment || null,
      alternateOrganisation: detail.alternateOrganisation || null,
    })),
  };
}

function watchedOfClock(clock: ClockRecord | null): unknown {
  if (clock === null) return null;
  const { id, localTime, variance, kiosk, beacon } = clock;
  return { id, localTime, variance, kiosk, beacon };
}

function watchedOfPayPeriod(period: PayPeriod): Record<string, unknown> {
  const { calendar, startDate, finishDate, closed, payRollCompanyId, payRollProvider } = period;
  return {
    calendar,
    startDate,
    finishDate,
    closed,
    payRollCompanyId: payRollCompanyId || null,
    payRollProvider: payRollProvider || null,
  };
}
