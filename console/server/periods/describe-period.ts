import type { PeriodAnswer, PeriodRow } from '#console/answers/periods.ts';
import { computeWindow, listDates, toIso } from '#shared/core/dates.ts';
import type { Account, ChangedTimesheet } from '#shared/core/periods/account-data.ts';
import { CADENCE_MS } from '#shared/core/plan/cadence.ts';
import { nameSlice } from '#shared/core/snapshot/head.ts';
import { isLate } from '#shared/operator/doctor/state-checks.ts';
import {
  countLeftOver,
  isWatched,
  sayAgreement,
  sayMissing,
  sayOpen,
  sayState,
} from '#shared/operator/period-words.ts';
import { sayReason } from '#shared/people/messages/account-lines.ts';
import {
  type AccountReader,
  listReserves,
  sayVerdict,
  toContext,
} from '#shared/people/messages/account-sentences.ts';
import { describePeriod as namePeriod } from '#shared/people/period-name.ts';
import type { PeriodReading } from '#shared/period/reading.ts';
import { formatCommand } from '#shared/terminal/format-command.ts';
import { type ConsoleContext, findConnection } from '../context.ts';
import type { ConnectionKnowledge } from '../knowledge.ts';

const MINUTE_MS = 60_000;

type Known = Pick<ConnectionKnowledge, 'timeZone' | 'serviceName' | 'names' | 'state'>;

/** A pay period in the words of whoever reads it. */
export function describePeriod(reading: PeriodReading, known: Known, context: ConsoleContext): PeriodRow {
  const { id, connection, period, account } = reading;
  const { calendar, startDate, finishDate } = period;
  const { state, closesAt, changes } = account;
  const { people, timesheets, hours, ready, notReady, unprocessed } = account;
  const reader = toReader(known, context);
  return {
    ...{ connection, timeZone: known.timeZone, id, calendar, startDate, finishDate },
    title: namePeriod({ current: period, previous: null, payPeriodId: id }, toContext(reader)),
    ...{ people, timesheets, hours, ready, notReady, unprocessed, state, closesAt },
    stateSays: sayState(reading, reader),
    wasWatched: isWatched(account),
    isToPay: account.verdict === 'pay',
    verdict: sayVerdict(account, reader),
    reserves: listReserves(account, reader),
    agreement: sayAgreement(account, reader),
    ...describeAge(reading, known, context),
    changes: changes === null ? null : describeChanges(changes, known),
    open: changes === null ? null : { timesheets: changes.open.timesheets, says: sayOpen(account) ?? '' },
    command: formatCommand(context.target, 'period', id),
  };
}

function toReader({ timeZone, serviceName }: Known, { target }: ConsoleContext): AccountReader {
  return { timeZone, serviceName, now: Math.floor(target.system.now()) };
}

function describeChanges(
  { since, timesheets, hours, listed }: NonNullable<Account['changes']>,
  known: Known,
): PeriodRow['changes'] {
  return { since, timesheets, hours, listed: listed.map((each) => describeChanged(each, known)) };
}

function describeChanged(changed: ChangedTimesheet, known: Known) {
  const { was, now, difference, isOpen } = changed;
  return { ...nameOwner(changed, known), was, now, difference, isOpen, why: sayReason(changed) };
}

interface Owned {
  readonly timesheetId: string;
  readonly date: string | null;
  readonly employeeId: string | null;
  readonly departmentId: string | null;
}

function nameOwner({ timesheetId, date, employeeId, departmentId }: Owned, { names }: Pick<Known, 'names'>) {
  return {
    ...{ timesheetId, date, employeeId, departmentId },
    employee: names.employees.get(employeeId ?? '') ?? null,
    department: names.departments.get(departmentId ?? '') ?? null,
  };
}

/** The same with its departments, what is left over, and what it was told as. */
export function describeDetails(
  reading: PeriodReading,
  known: Known,
  context: ConsoleContext,
): Omit<PeriodAnswer, 'readAt'> {
  const { account, told } = reading;
  const reader = toReader(known, context);
  return {
    row: describePeriod(reading, known, context),
    departments: account.byDepartment.map((each) => ({
      ...each,
      department: known.names.departments.get(each.departmentId ?? '') ?? null,
    })),
    left: countLeftOver(account),
    leftOver: account.leftOver.map((each) => ({
      ...nameOwner(each, known),
      ...{ hours: each.hours, missing: sayMissing(each) },
    })),
    told: told.map(({ time, moment, account: then }) => ({
      ...{ time, moment },
      counted:
        then === null
          ? null
          : { ready: then.ready, notReady: then.notReady, verdict: sayVerdict(then, reader) },
    })),
  };
}

/** How old its count is, by the dates that are still watched and can be read: others say so as a reserve. */
function describeAge(
  { connection, period, account }: PeriodReading,
  { state, timeZone }: Known,
  context: ConsoleContext,
): Pick<PeriodRow, 'countedAt' | 'isOld'> {
  const { target } = context;
  const now = target.system.now();
  const window = computeWindow(Math.floor(now), timeZone, findConnection(context, connection).window);
  const isWatched = (date: string) => window.from <= date && date <= window.to;
  const looks = listDates({ from: period.startDate, to: period.finishDate })
    .filter(isWatched)
    .map((date) => nameSlice({ feed: 'timesheets', slice: date }))
    .filter((name) => state?.failing[name] === undefined)
    .flatMap((name) => state?.lookedAt[name] ?? []);
  if (looks.length === 0) return { countedAt: account.asOf, isOld: false };
  const seenAt = Math.min(...looks);
  const isOpen = account.state === 'open' || account.state === 'reopened';
  const cadenceMinutes = (isOpen ? CADENCE_MS.open : CADENCE_MS.quiet) / MINUTE_MS;
  return { countedAt: toIso(seenAt), isOld: isLate({ seenAt, cadenceMinutes }, now, target.speed) };
}
