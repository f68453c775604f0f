import { type Account, wrongAccount } from './account.ts';
import { momentsOf, type PeriodMoments, summariesAt } from './deadline-moments.ts';
import { judgeDueReminders } from './due-reminders.ts';
import type { Evidence, Told } from './evidence.ts';
import { dayAt } from './local-time.ts';
import type { Watched } from './reading.ts';
import { earlyReminder } from './standings.ts';

const READINESS = 'pay_period.readiness';

/** Whether time alone makes an event. */
export function isOfMoment(type: string): boolean {
  return type === READINESS;
}

const MAX_WAITING = 50;

interface Department {
  readonly timesheets: number;
  readonly unapproved: number;
  readonly unapprovedHours: number;
}

interface Waiting {
  readonly timesheetId: string;
  readonly epoch?: string;
  readonly sequence: number;
  readonly employeeId: string;
  readonly departmentId: string | null;
  readonly date: string;
  readonly hours: number;
}

/** What an event says about how far a period is. */
interface ReadinessNumbers {
  readonly through: string;
  readonly complete: boolean;
  readonly asOf: string | null;
  readonly members: string;
  readonly membersUnknown: number;
  readonly sharesDatesWith: readonly string[];
  readonly timesheets: number;
  readonly approved: number;
  readonly unapproved: number;
  readonly unapprovedHours: number;
  readonly hoursToPay: number;
  readonly byDepartment: readonly Department[];
  readonly waiting: readonly Waiting[];
}

/**
 * Each moment of an open period is told once, at its time and never after the deadline, with the numbers of the world;
 * and none is left out.
 */
export function judgeReadiness(evidence: Evidence): void {
  for (const [id, events] of evidence.told['pay-periods']) {
    const told = events.filter(({ type }) => type === READINESS);
    const seen = new Set<string>();
    for (const event of told) {
      const wrong =
        wrongMoment(event, evidence) ?? repeated(event, seen, evidence) ?? wrongReadiness(event, evidence);
      if (wrong !== null) evidence.violate(`pay-periods ${id}`, `${event.sequence} ${READINESS}: ${wrong}`);
    }
  }
  judgeDueReminders(evidence);
}

function wrongMoment(event: Told, evidence: Evidence): string | null {
  const { data } = event;
  const period = data.current as Watched;
  const moments = momentsOf(period, evidence.history.settings);
  const deadline = data.deadline === null ? null : Date.parse(String(data.deadline));
  if (period.closed !== null) return 'the period was closed';
  if (data.reminder === null && (data.summaries as readonly string[]).length === 0)
    return 'no moment had come';
  if (deadline === null ? moments !== null : moments?.deadlines.includes(deadline) !== true)
    return `its deadline is ${data.deadline}`;
  return wrongSummaries(event, evidence) ?? wrongReminder(event, { deadline, moments });
}

function wrongSummaries({ data, by }: Told, { history }: Evidence): string | null {
  const { settings, breadth } = history;
  for (const time of data.summaries as readonly string[]) {
    if (breadth.reminders?.summaries.includes(time) !== true) return `nobody wants a summary at ${time}`;
    if (!summariesAt(time, by, settings.connection.timeZone).some((at) => at <= by))
      return `the summary of ${time} is early`;
  }
  return null;
}

function wrongReminder(
  { data, by }: Told,
  { deadline, moments }: { readonly deadline: number | null; readonly moments: PeriodMoments | null },
): string | null {
  const reminder = data.reminder as { readonly before: string; readonly at: string } | null;
  if (reminder === null) return null;
  const at = Date.parse(reminder.at);
  if (deadline === null || by >= deadline) return `told at ${by}, after the deadline ${deadline}`;
  if (at > by) return `the reminder is ${at - by} ms early`;
  const due = moments?.reminders.find(({ before }) => before === reminder.before);
  if (due?.at.includes(at) !== true) return `the moment of ${reminder.before} is not ${reminder.at}`;
  const later = moments?.reminders.find(
    (other) => Math.min(...other.at) > at && Math.max(...other.at) < by - MAX_TELLING_MS,
  );
  return later === undefined ? null : `the reminder ${later.before} had come by then`;
}

/** From the begin of a poll to its events. */
const MAX_TELLING_MS = 65_000;

function repeated({ data, by }: Told, seen: Set<string>, { history }: Evidence): string | null {
  // Two clocks that are a day apart may each see a moment come.
  if (history.faults.has('clock_a_day_off')) return null;
  const reminder = data.reminder as { readonly at: string } | null;
  const day = dayAt(by, history.settings.connection.timeZone);
  const keys = [
    ...(reminder === null ? [] : [`${String(data.deadline)} ${reminder.at}`]),
    ...(data.summaries as readonly string[]).map((time) => `${day} ${time}`),
  ];
  const again = keys.find((key) => seen.has(key));
  for (const key of keys) seen.add(key);
  return again === undefined ? null : `${again} was told before`;
}

function wrongReadiness(event: Told, evidence: Evidence): string | null {
  const { data, by } = event;
  const numbers = data.readiness as ReadinessNumbers;
  const period = data.current as Watched;
  const { approved, unapproved, timesheets, byDepartment, waiting } = numbers;
  if (approved + unapproved !== timesheets) return `${approved} and ${unapproved} are not ${timesheets}`;
  if (unapproved === 0 && numbers.complete && numbers.membersUnknown === 0) return 'nothing is open';
  const sum = (name: keyof Department) => byDepartment.reduce((total, each) => total + each[name], 0);
  if (sum('unapproved') !== unapproved) return 'its departments are not the whole';
  if (Math.abs(sum('unapprovedHours') - numbers.unapprovedHours) > 0.001)
    return 'its hours are not the whole';
  if (waiting.length !== Math.min(MAX_WAITING, unapproved))
    return `${waiting.length} of ${unapproved} are listed`;
  if (numbers.through >= dayAt(by, evidence.history.settings.connection.timeZone))
    return `${numbers.through} was not over`;
  for (const each of waiting) {
    const wrong = wrongWaiting(each, { period, numbers, evidence });
    if (wrong !== null) return `${each.timesheetId} with sequence ${each.sequence} ${wrong}`;
  }
  return earlyReminder(event, evidence) ?? wrongAccount(event, accountOf(numbers), evidence);
}

function accountOf({ waiting, hoursToPay, ...numbers }: ReadinessNumbers): Account {
  const open = waiting.map((each) => ({ ...each, approved: false }));
  return { ...numbers, hours: hoursToPay, employees: null, unprocessed: null, open, mostOpen: MAX_WAITING };
}

interface Counted {
  readonly period: Watched;
  readonly numbers: ReadinessNumbers;
  readonly evidence: Evidence;
}

/** What waits has the state of the event with its sequence, on a date that was counted. */
function wrongWaiting(waiting: Waiting, { period, numbers, evidence }: Counted): string | null {
  const { timesheetId, epoch, sequence, date, hours, employeeId, departmentId } = waiting;
  if (date < String(period.startDate) || date > numbers.through) return `is on ${date}, outside`;
  const told = evidence.told.timesheets
    .get(timesheetId)
    ?.find((each) => each.epoch === epoch && each.sequence === sequence);
  // Sequence 0: part of the baseline, without an event since.
  if (told === undefined)
    return sequence === 0 || evidence.isCommitted(timesheetId, sequence) ? null : 'was never told';
  const state = told.data.current as Watched | null;
  if (state === null || state.approvedHours !== null) return 'is not as that event told it';
  const same =
    state.date === date &&
    state.hoursToPay === hours &&
    state.employeeId === employeeId &&
    state.departmentId === departmentId;
  return same ? null : 'has other values than that event';
}
