import type { Company, StoredPayPeriod } from '#local/source/company/company.ts';
import type { Timesheet } from '#local/source/schemas.ts';
import type { Account, Figures } from '#shared/core/periods/account-data.ts';
import type { PublishedEvent } from '#test/support/poll-harness.ts';

const MINUTE_MS = 60_000;

/** What a fortnight told, and the company's own records. */
export interface ToldAccounts {
  readonly events: readonly PublishedEvent[];
  readonly company: Company;
}

/** An event with an account, and when its dates were read: from the oldest look until it was told. */
interface Told {
  readonly name: string;
  readonly account: Account;
  readonly from: number;
  readonly to: number;
}

/**
 * Compares each account with the company's own records: each date as it was at some minute while it was read. Returns how
 * many accounts there are, and what is wrong.
 */
export function checkAccounts({ events, company }: ToldAccounts): {
  readonly accounts: number;
  readonly wrong: readonly string[];
} {
  const told = events.flatMap((event): (Told & { readonly id: string })[] => {
    const account = (event.data as { readonly account?: Account | null }).account;
    if (account == null || account.reserves.length > 0) return [];
    const to = Date.parse(event.time);
    const from = account.asOf === null ? to : Date.parse(account.asOf);
    return [
      { name: `${event.type} ${event.subject} ${event.time}`, id: event.subject ?? '', account, from, to },
    ];
  });
  return { accounts: told.length, wrong: told.flatMap((each) => check(each, each.id, company)) };
}

function check({ name, account, from, to }: Told, id: string, company: Company): string[] {
  const minutes: number[] = [];
  for (let at = Math.floor(from / MINUTE_MS) * MINUTE_MS; at <= to; at += MINUTE_MS) minutes.push(at);
  const period = company.world.records['pay-periods'].get(id)?.at(to) ?? null;
  if (period === null) return [`${name}: there is no such period`];
  const possible = listPossible(period, account.through, { minutes, company });
  const { timesheets, hours, ready, notReady } = account;
  const said = describe({ timesheets, hours, readyTimesheets: ready.timesheets, readyHours: ready.hours });
  const isWhole = timesheets === ready.timesheets + notReady.timesheets && sumsUp(account);
  if (possible.has(said) && isWhole) return [];
  return [`${name}: ${said} was never so; it was ${[...possible].slice(0, 3).join(' or ')}`];
}

/** Its departments come to the whole. */
function sumsUp({ byDepartment, timesheets, hours }: Account): boolean {
  const sum = (of: (each: Figures) => number) => byDepartment.reduce((total, each) => total + of(each), 0);
  return sum((each) => each.timesheets) === timesheets && Math.abs(sum((each) => each.hours) - hours) < 1e-6;
}

interface Sums {
  readonly timesheets: number;
  readonly hours: number;
  readonly readyTimesheets: number;
  readonly readyHours: number;
}

const NOTHING: Sums = { timesheets: 0, hours: 0, readyTimesheets: 0, readyHours: 0 };

/** What all dates together can have come to. */
function listPossible(
  { calendar, startDate, finishDate }: StoredPayPeriod,
  through: string,
  { minutes, company }: { readonly minutes: readonly number[]; readonly company: Company },
): ReadonlySet<string> {
  const last = through < finishDate ? through : finishDate;
  const isOwn = ({ date, employeeId }: Timesheet) =>
    startDate <= date && date <= last && company.calendarOf(employeeId) === calendar;
  const { timesheets } = company.world.records;
  const versions = minutes.map((at) => Map.groupBy(timesheets.list(at).filter(isOwn), ({ date }) => date));
  const dates = new Set(versions.flatMap((each) => [...each.keys()]));
  let possible = new Map([[describe(NOTHING), NOTHING]]);
  for (const date of dates) {
    const ofDate = new Map(
      versions.map((each) => sumUp(each.get(date) ?? [])).map((sums) => [describe(sums), sums]),
    );
    const next = [...possible.values()].flatMap((before) =>
      [...ofDate.values()].map((sums) => add(before, sums)),
    );
    possible = new Map(next.map((sums) => [describe(sums), sums]));
  }
  return new Set(possible.keys());
}

function sumUp(timesheets: readonly Timesheet[]): Sums {
  return timesheets.reduce((sum, { hoursToPay: hours, approvedHours, processed }) => {
    const isReady = approvedHours !== null || processed !== null;
    return add(sum, {
      ...{ timesheets: 1, hours },
      ...{ readyTimesheets: isReady ? 1 : 0, readyHours: isReady ? hours : 0 },
    });
  }, NOTHING);
}

function add(left: Sums, right: Sums): Sums {
  return {
    timesheets: left.timesheets + right.timesheets,
    hours: left.hours + right.hours,
    readyTimesheets: left.readyTimesheets + right.readyTimesheets,
    readyHours: left.readyHours + right.readyHours,
  };
}

function describe({ timesheets, hours, readyTimesheets, readyHours }: Sums): string {
  return `${timesheets} timesheets, ${hours.toFixed(4)} h; ready ${readyTimesheets}, ${readyHours.toFixed(4)} h`;
}
