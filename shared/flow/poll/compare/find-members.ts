import type { CloseCount, PeriodMembers } from '#shared/core/events/close-count.ts';
import { isToldByCalendar, learnFromAnswer, type PeriodOfCalendar } from '#shared/core/plan/membership.ts';
import {
  type EmployeeMembership,
  type Membership,
  NO_MEMBERSHIP,
  updateBuckets,
} from '#shared/core/snapshot/membership.ts';
import type { PollRun } from '../poll-run.ts';
import { type AskedMembers, askMembers } from './ask-members.ts';

/** A period that closed and shares its dates with others. */
interface ClosingPeriod {
  readonly period: PeriodOfCalendar;
  readonly sharing: readonly PeriodOfCalendar[];
  readonly count: CloseCount;
}

type TimesheetsByEmployee = ReadonlyMap<string, readonly string[]>;

/**
 * Which of the counted timesheets belong to a period that closed: by the calendar of their employee where it is known;
 * the others are asked for now. Null when the source answers for none of them and nothing is known.
 */
export async function findMembers(closing: ClosingPeriod, run: PollRun): Promise<PeriodMembers | null> {
  const { period, sharing, count } = closing;
  const stored = (await run.ports.store.loadMembership?.(run.connection.name)) ?? NO_MEMBERSHIP;
  const timesheets = count.byEmployee();
  const isUsable = isToldByCalendar(period, sharing);
  const isKnown = (id: string) => isUsable && stored.employees.get(id)?.calendar != null;
  const unknown = [...timesheets.keys()].filter((id) => !isKnown(id));
  const isAsked = unknown.length > 0 || timesheets.size === 0;
  const asked = isAsked ? await askMembers(period.id, sortByTries(unknown, stored), run) : null;
  if (asked === null && unknown.length === timesheets.size) return null;
  await saveAnswers({ period, timesheets, asked, stored }, run);
  return joinMembers({ period, timesheets, asked, stored, unknown });
}

/** Those who failed most often come last. */
function sortByTries(employees: readonly string[], { employees: known }: Membership): string[] {
  const triesOf = (id: string) => known.get(id)?.tries ?? 0;
  return employees.toSorted((a, b) => triesOf(a) - triesOf(b));
}

interface Answered {
  readonly period: PeriodOfCalendar;
  readonly timesheets: TimesheetsByEmployee;
  readonly asked: AskedMembers | null;
  readonly stored: Membership;
}

/** What the answers say decides, then the calendar that is known. */
function joinMembers({
  period,
  timesheets,
  asked,
  stored,
  unknown,
}: Answered & { readonly unknown: readonly string[] }): PeriodMembers {
  const unknownEmployees = asked?.unknownEmployees ?? new Set(unknown);
  const own = [...timesheets].filter(
    ([id]) => asked?.answers.has(id) !== true && stored.employees.get(id)?.calendar === period.calendar,
  );
  const byCalendar = own.flatMap(([, ids]) => ids);
  return { timesheets: new Set([...(asked?.timesheets ?? []), ...byCalendar]), unknownEmployees };
}

async function saveAnswers({ period, timesheets, asked, stored }: Answered, run: PollRun): Promise<void> {
  const { store, clock } = run.ports;
  if (asked === null || asked.answers.size === 0) return;
  const employees = new Map<string, EmployeeMembership>();
  for (const [id, members] of asked.answers) {
    const answer = { period, known: timesheets.get(id) ?? [], members };
    employees.set(id, learnFromAnswer(stored.employees.get(id), answer, clock.now()));
  }
  await store.saveMembership?.(run.connection.name, updateBuckets(stored, { employees }));
}
