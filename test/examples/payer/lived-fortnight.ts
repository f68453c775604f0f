import config from '#config';
import type { CompanyChange } from '#local/source/company/changes.ts';
import { type Company, createCompany } from '#local/source/company/company.ts';
import { FORTNIGHTLY } from '#local/source/company/premises.ts';
import type { PayPeriod, Timesheet } from '#local/source/schemas.ts';
import { addDays, toIso } from '#shared/core/dates.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import { readStates } from '#shared/operator/send/events-to-send.ts';
import { listMembers, mirrorCompany } from '#test/support/company-mirror.ts';
import { createMemoryStore } from '#test/support/memory-store.ts';
import { PollHarness, type PollHarnessOptions } from '#test/support/poll-harness.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** 08:00 on a Monday in Auckland, which is summer time. */
const STARTS = Date.parse('2026-11-01T19:00:00Z');
/** Long enough for several changes of a timesheet to fall between two polls. */
const POLL_EVERY_MS = HOUR_MS;
/** The payer begins on Friday at noon, and gets the stored state an hour later. */
const SINCE = STARTS + 4 * DAY_MS + 4 * HOUR_MS;
const SNAPSHOT_AT = SINCE + HOUR_MS;
/** On the second Wednesday the table is restored from its state of six hours before. */
const BACKUP_AT = STARTS + 9 * DAY_MS + HOUR_MS;
const RESTORED_AT = BACKUP_AT + 6 * HOUR_MS;
const ENDS = STARTS + 14 * DAY_MS;
/** An employee is paid by the other calendar from the second Monday on, and the source says so on Saturday. */
const CALENDAR_CHANGE = { employeeId: '1002_1', at: SINCE + DAY_MS, from: '2026-11-09' } as const;
/** From then on the weekly calendar has another name. */
const RENAMED_AT = SINCE + 2 * DAY_MS;
/** Closed pay periods are open from then on, and closed again. */
const REOPENED = { from: SINCE + 6 * HOUR_MS, to: SINCE + 30 * HOUR_MS } as const;
/** Also dates that are not due. */
const LOOKED_AT_WHOLLY: readonly number[] = [SINCE, RESTORED_AT, ENDS];
const CONNECTION = {
  ...config.connections[0],
  timeZone: 'Pacific/Auckland',
  window: { backDays: 35, forwardDays: 7 },
};

/** What people change by hand besides the life of the company: when, which timesheet, and how. */
const BY_HAND: readonly (readonly [
  number,
  (each: Timesheet) => boolean,
  (each: Timesheet) => CompanyChange,
])[] = [
  // Paid before the payer began: of one 20 minutes more are owed, of the other everything is taken back.
  [SINCE + HOUR_MS, isProcessed, (each) => addHours(each, 1 / 3)],
  [SINCE + 2 * HOUR_MS, isProcessed, ({ id }) => ({ change: 'remove', id })],
  [SINCE + 3 * HOUR_MS, isApproved, (each) => addHours(each, -0.7)],
  [SINCE + 4 * HOUR_MS, isApproved, ({ id }) => ({ change: 'remove', id })],
  [SINCE + 26 * HOUR_MS, isApproved, ({ id, date }) => ({ change: 'change', id, date: addDays(date, 1) })],
  [SINCE + 27 * HOUR_MS, isApproved, ({ id }) => ({ change: 'revoke-approval', id })],
  // Of what happens between the backup and the restore, the restored table knows nothing.
  [BACKUP_AT + HOUR_MS, isApproved, (each) => addHours(each, 0.25)],
  [BACKUP_AT + 2 * HOUR_MS, isApproved, ({ id }) => ({ change: 'remove', id })],
  [BACKUP_AT + 3 * HOUR_MS, isApproved, ({ id }) => ({ change: 'revoke-approval', id })],
];

/** What the payer can get, and what it should have paid by it. */
export interface LivedFortnight {
  /** Every event that was published, in order. */
  readonly texts: readonly string[];
  /** The snapshots of what was stored when the payer began. */
  readonly snapshots: readonly string[];
  /** When it began, RFC 3339. */
  readonly since: string;
  /** Of each timesheet with any: minutes that are approved in the end, less those that were processed when it began. */
  readonly owed: ReadonlyMap<string, number>;
}

/** Lets the sample company with two calendars live through a fortnight, in virtual time, and polls it. */
export async function liveFortnight(): Promise<LivedFortnight> {
  const { timeZone } = CONNECTION;
  const company = createCompany({ seed: 21, size: 30, calendars: 2, timeZone, startsAt: STARTS });
  const mirror = mirrorCompany(company);
  let before: readonly Timesheet[] = [];
  const texts: string[] = [];
  let snapshots: readonly string[] = [];
  let store = createMemoryStore();
  let backup = store;
  let harness = openHarness(company, new PollHarness({ ...at(STARTS), store }));
  const changeByHand = createHands(company);
  const reopen = createReopening(company);
  const look = async (now: number, all = false) => {
    company.advanceTo(now);
    changeByHand(now);
    reopen(now);
    mirror.update(harness);
    harness.lists['pay-periods'] = company.payPeriods().map((each) => rename(each, now));
    harness.now = now;
    const { length } = harness.texts;
    await harness.pollNow({ all });
    texts.push(...harness.texts.slice(length));
  };
  await look(STARTS);
  for (let now = STARTS + POLL_EVERY_MS; now <= ENDS; now += POLL_EVERY_MS) {
    if (now === RESTORED_AT) {
      store = backup;
      harness = openHarness(company, new PollHarness({ ...at(now), store }));
    }
    await look(now, LOOKED_AT_WHOLLY.includes(now));
    if (now === SINCE) before = company.timesheets();
    if (now === BACKUP_AT) backup = store.restored();
    if (now === SNAPSHOT_AT) snapshots = await takeSnapshots(store);
  }
  // Observed within the second.
  return { texts, snapshots, since: toIso(SINCE + 1_000), owed: countOwed(before, company.timesheets()) };
}

function at(now: number): PollHarnessOptions {
  return { connection: CONNECTION, startAt: toIso(now), requestMs: 20 };
}

function openHarness(company: Company, harness: PollHarness): PollHarness {
  harness.members = (employeeId, periodId) =>
    employeeId === CALENDAR_CHANGE.employeeId && harness.now >= CALENDAR_CHANGE.at
      ? listMembersOfChanged(company, periodId)
      : listMembers(company, employeeId, periodId);
  harness.put(...company.timesheets());
  return harness;
}

/** What was worked before the change of calendar is still of the old one. */
function listMembersOfChanged(company: Company, periodId: string): string[] {
  const period = company.payPeriod(periodId);
  if (period === undefined) return [];
  const { employeeId, from } = CALENDAR_CHANGE;
  return company
    .timesheets({ from: period.startDate, to: period.finishDate })
    .filter((each) => each.employeeId === employeeId && each.date >= from === isFortnightly(period))
    .map(({ id }) => id);
}

function isFortnightly({ calendar }: PayPeriod): boolean {
  return calendar === FORTNIGHTLY;
}

function rename(period: PayPeriod, now: number): PayPeriod {
  return isFortnightly(period) || now < RENAMED_AT
    ? period
    : { ...period, calendar: 'Weekly, by the new name' };
}

/** Reopens the closed pay periods of a moment, and closes them again. */
function createReopening(company: Company): (now: number) => void {
  let reopened: readonly string[] = [];
  return (now) => {
    if (now === REOPENED.from) {
      reopened = company.payPeriods().flatMap(({ id, closed }) => (closed === null ? [] : [id]));
      for (const id of reopened) company.apply({ change: 'reopen-pay-period', id });
    }
    if (now === REOPENED.to) for (const id of reopened) company.apply({ change: 'close-pay-period', id });
  };
}

/** Changes each timesheet once at most. */
function createHands(company: Company): (now: number) => void {
  const touched = new Set<string>();
  return (now) => {
    const dates = { from: addDays(company.today(), -28), to: company.today() };
    for (const [, suits, toChange] of BY_HAND.filter(([moment]) => moment === now)) {
      const found = company.timesheets(dates).find((each) => !touched.has(each.id) && suits(each));
      if (found === undefined) throw new Error(`no timesheet suits at ${toIso(now)}`);
      touched.add(found.id);
      const { outcome } = company.apply(toChange(found));
      if (outcome !== 'done') throw new Error(`${found.id} cannot be changed at ${toIso(now)}`);
    }
  };
}

/** By the company's own records when the payer began and in the end, without the notifier. */
function countOwed(before: readonly Timesheet[], after: readonly Timesheet[]): Map<string, number> {
  const owed = new Map(after.map((each) => [each.id, countApproved(each)]));
  for (const each of before)
    if (each.processed !== null) owed.set(each.id, (owed.get(each.id) ?? 0) - countApproved(each));
  return new Map([...owed].filter(([, minutes]) => minutes !== 0));
}

function countApproved({ approvedHours, hoursToPay }: Timesheet): number {
  return approvedHours === null ? 0 : Math.round(hoursToPay * 60);
}

function isProcessed({ processed, includesLeave }: Timesheet): boolean {
  return processed !== null && !includesLeave;
}

function isApproved({ approvedHours, approvedPayroll, includesLeave }: Timesheet): boolean {
  return approvedHours !== null && approvedPayroll === null && !includesLeave;
}

function addHours({ id, hoursToPay }: Timesheet, hours: number): CompanyChange {
  return { change: 'change', id, hours: hoursToPay + hours };
}

async function takeSnapshots(store: Store): Promise<string[]> {
  const states = await Array.fromAsync(readStates('main', { select: [{ feed: 'timesheets' }] }, store));
  return states.map(({ text }) => text);
}
