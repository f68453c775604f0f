import type { PayPeriod, Timesheet } from '#local/source/schemas.ts';
import { type Claim, toNumber } from './claim.ts';
import { dayBegins } from './local-moments.ts';
import { isUnapproved } from './world-figures.ts';

/** Timesheets that are not approved, of people who were in two places at once. */
export const DOUBLES: Claim<PayPeriod> = {
  pattern: /, (?<doubles>\d+) possible doubles?(?=:|$)/,
  holds: ({ doubles }, period, { figures, at, seenAt }) => {
    const members = figures.membersOf(period, at).filter(({ date }) => date < dayBegins(seenAt));
    const found = members
      .filter(isUnapproved)
      .filter((each) => members.some((other) => isDouble(each, other)));
    return found.length === toNumber(doubles);
  },
};

function isDouble(one: Timesheet, other: Timesheet): boolean {
  return (
    one.id !== other.id &&
    one.employeeId === other.employeeId &&
    one.startTime < other.finishTime &&
    other.startTime < one.finishTime
  );
}
