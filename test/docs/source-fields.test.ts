import { expect, it } from 'vitest';
import { FEED_NAMES, type FeedName } from '#shared/core/feeds.ts';
import { listSourceFields } from '#workshop/documents/source-fields.ts';

/** Fields of docs/source-api.md, Timesheets, Pay periods, Employees and Departments, by name. */
const DOCUMENTED: Readonly<Record<FeedName, string>> = {
  timesheets: `__type approvedHours approvedPayroll casualJob
    clockIn clockIn.beacon clockIn.id clockIn.kiosk clockIn.localTime clockIn.overrideEmployee
    clockIn.overrideOrganisation clockIn.variance
    clockOut clockOut.beacon clockOut.id clockOut.kiosk clockOut.localTime clockOut.overrideEmployee
    clockOut.overrideOrganisation clockOut.variance
    contractedHoursId date department department.id department.name
    details details[].activity details[].alternateDepartment details[].alternateOrganisation
    details[].finishTime details[].hours details[].id details[].mealBreak details[].restBreak
    details[].startTime
    employeeId finishTime hourlyRate hoursToPay id includesLeave organisationPayRollId
    organisationWorkedId overnight processed role role.id role.name shift shift.id shift.name startTime`,
  'pay-periods': `calendar closed finishDate hours id numberEmployees numberTimesheets payRollCompanyId
    payRollProvider startDate`,
  employees: `address address.city address.country address.id address.line1 address.line2 address.postalCode
    address.state address.suburb
    contractedHours contractedHours[].day contractedHours[].department contractedHours[].department.id
    contractedHours[].department.name contractedHours[].finishTime contractedHours[].id
    contractedHours[].minutesTotal contractedHours[].minutesWorking contractedHours[].role
    contractedHours[].role.id contractedHours[].role.name contractedHours[].shift contractedHours[].shift.id
    contractedHours[].shift.name contractedHours[].startTime contractedHours[].week
    contractedHours[].workPattern
    firstNames id lastName payRollCode`,
  departments: `costCentreCode id manager name payRollCode
    roles roles[].costCentreCode roles[].defaultActivity roles[].id roles[].name
    workDayFinishTime workDayStartTime`,
};

it.each(FEED_NAMES)('the pages of events are about every field of the specification of %s', (feed) => {
  const paths = listSourceFields(feed).map(({ path }) => path);
  expect(paths.sort()).toEqual(DOCUMENTED[feed].split(/\s+/).sort());
});

it.each([
  ['approvedHours', ['timesheet.approved', 'timesheet.approved', 'timesheet.approval_revoked']],
  ['clockIn.id', ['impossible', 'timesheet.clock_in_corrected', 'impossible']],
  ['department', ['timesheet.changed', 'by member', 'timesheet.changed']],
  ['hourlyRate', ['impossible', 'never', 'impossible']],
  ['id', ['timesheet.created', 'impossible', 'timesheet.removed']],
])('what sets, replaces and clears %s is told by its event', (wanted, effects) => {
  const field = listSourceFields('timesheets').find(({ path }) => path === wanted);
  expect([field?.set, field?.replaced, field?.unset]).toEqual(effects);
});
