import type { PersonAnswer, PersonChange, PersonQuery, PersonTimesheet } from '#console/answers/person.ts';
import { addDays, parseInstant, toIso, toLocalDate } from '#shared/core/dates.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import {
  findPeriodsOf,
  findSharing,
  findTimesheetPeriods,
  type MemberAnswers,
  type OwnedTimesheet,
} from '#shared/core/periods/members.ts';
import type { State } from '#shared/core/records/fields.ts';
import { isOfUsualLength } from '#shared/core/records/pay-period.ts';
import { readState } from '#shared/core/snapshot/stored-state.ts';
import { walkRows } from '#shared/flow/stored-records.ts';
import { loadDeliveries } from '#shared/operator/deliveries/find-deliveries.ts';
import { listReceivers as listConfigured, WITH_DELIVERIES } from '#shared/operator/receivers.ts';
import type { ConsoleContext } from '../context.ts';
import type { ConnectionKnowledge } from '../knowledge.ts';
import { describeCommit } from '../lines/describe-line.ts';
import { compareKeys } from '../lines/list-lines.ts';
import { listReceivers } from '../records/read-record.ts';

const DAY_MS = 86_400_000;
/** Two months: longer pay periods are cut at their beginning. */
const MAX_DATES = 62;
/** Without pay periods. */
const USUAL_DATES = { back: 14, forward: 7 };
/** Timesheets change before their date: so many days before the first one the log is read. */
const DAYS_BEFORE = 7;
/** The log is read backwards in such steps, until so many events were looked at. */
const STEP_MS = 7 * DAY_MS;
const MAX_EVENTS_READ = 200_000;

/** What happened to the timesheets of a person lately, and who heard of it. Throws what the store throws. */
export async function readPerson(
  { id, connection }: PersonQuery,
  context: ConsoleContext,
): Promise<PersonAnswer> {
  const knowledge = await context.knowledge.load(connection);
  const now = Math.floor(context.target.system.now());
  const { timeZone, names } = knowledge;
  const today = toLocalDate(now, timeZone);
  const latest = selectPeriods(today, knowledge);
  const read = await readTimesheets(id, selectDates(latest, today), { knowledge, context });
  const own = latest.filter((period) => read.some(({ payPeriods }) => payPeriods.includes(period.id)));
  // Who has no timesheet may get one in any of them.
  const periods = own.length > 0 ? own : latest;
  const dates = selectDates(periods, today);
  const begin = (parseInstant(`${dates.from}T00:00:00`, timeZone) ?? now) - DAYS_BEFORE * DAY_MS;
  const { changes, since } = await readChanges(id, { begin, now }, { knowledge, context });
  return {
    name: names.employees.get(id) ?? null,
    timeZone,
    ...dates,
    since: toIso(since),
    periods: periods.map(({ id: periodId, calendar, startDate, finishDate, closed }) => {
      return { id: periodId, calendar, startDate, finishDate, closed };
    }),
    timesheets: read.filter(({ date }) => date !== null && dates.from <= date && date <= dates.to),
    changes,
  };
}

type PayPeriod = ConnectionKnowledge['payPeriods'][number];

interface Place {
  readonly knowledge: ConnectionKnowledge;
  readonly context: ConsoleContext;
}

/** Of each calendar the period of today, or the last one, and the one before. */
function selectPeriods(today: string, { payPeriods }: ConnectionKnowledge): PayPeriod[] {
  const begun = payPeriods
    .filter((period) => period.startDate <= today && isOfUsualLength(period))
    .sort((a, b) => (a.startDate < b.startDate ? 1 : -1));
  const latest = [...Map.groupBy(begun, ({ calendar }) => calendar).values()];
  return latest.flatMap((each) => each.slice(0, 2)).sort((a, b) => (a.startDate < b.startDate ? 1 : -1));
}

interface Dates {
  readonly from: string;
  readonly to: string;
}

function selectDates(periods: readonly PayPeriod[], today: string): Dates {
  const to = periods
    .map(({ finishDate }) => finishDate)
    .sort()
    .at(-1);
  if (to === undefined)
    return { from: addDays(today, -USUAL_DATES.back), to: addDays(today, USUAL_DATES.forward) };
  const [begin = to] = periods.map(({ startDate }) => startDate).sort();
  const [, from = begin] = [begin, addDays(to, 1 - MAX_DATES)].sort();
  return { from, to };
}

/** As stored, latest first. */
async function readTimesheets(
  employeeId: string,
  { from, to }: Dates,
  { knowledge, context: { store } }: Place,
): Promise<PersonAnswer['timesheets']> {
  const found: { readonly id: string; readonly state: State }[] = [];
  const selection = { feed: 'timesheets', covers: (date: string) => from <= date && date <= to } as const;
  for await (const { rows } of walkRows(knowledge.connection, selection, store))
    for (const row of rows) {
      const state = readState('timesheets', row);
      if (state?.employeeId === employeeId) found.push({ id: row.id, state });
    }
  const periods = knowledge.payPeriods;
  const answers = new Map<string, MemberAnswers>();
  for (const period of periods.filter(({ startDate, finishDate }) => startDate <= to && finishDate >= from))
    if (findSharing(period, periods).length > 0)
      answers.set(period.id, await store.loadAnswers(knowledge.connection, period.id));
  const find = (own: OwnedTimesheet) => findTimesheetPeriods(own, { periods, answers });
  return found.toReversed().map(({ id, state }) => ({
    ...describeTimesheet(id, state, knowledge),
    payPeriods: findPeriodsOf({ id, state }, find)?.periods.map((period) => period.id) ?? [],
  }));
}

function describeTimesheet(
  id: string,
  state: State,
  { names }: ConnectionKnowledge,
): Omit<PersonTimesheet, 'payPeriods'> {
  const read = (name: string) => (typeof state[name] === 'string' ? state[name] : null);
  const departmentId = read('departmentId');
  return {
    ...{ id, date: read('date'), departmentId },
    department: names.departments.get(departmentId ?? '') ?? null,
    hours: typeof state.hoursToPay === 'number' ? state.hoursToPay : 0,
    approved: state.approvedHours != null,
    payrollApproved: state.approvedPayroll != null,
    processed: state.processed != null,
  };
}

/** Events that name the person, newest first, and from when on they are known. */
async function readChanges(
  employeeId: string,
  { begin, now }: { readonly begin: number; readonly now: number },
  { knowledge, context }: Place,
): Promise<{ readonly changes: PersonChange[]; readonly since: number }> {
  const found: Omit<PersonChange, 'receivers'>[] = [];
  const texts = new Map<string, string>();
  // A day ahead: what another clock than this one committed.
  let to = now + DAY_MS;
  for (let read = 0; to > begin && read < MAX_EVENTS_READ; ) {
    const from = Math.max(begin, to - STEP_MS);
    const stretch = { from, to, topic: 'timesheets' } as const;
    for await (const commit of context.log.read(knowledge.connection, stretch)) {
      read += commit.texts.length;
      const own = commit.texts.filter((text) => names(text, employeeId));
      const lines = describeCommit({ ...commit, texts: own }, knowledge);
      for (const [index, line] of lines.entries()) texts.set(line.id, own[index] ?? '');
      found.push(...lines);
    }
    to = from;
  }
  const receivers = await readReceivers(texts, context);
  const changes = found.sort((a, b) => compareKeys(b, a));
  return { changes: changes.map((each) => ({ ...each, receivers: receivers(each.id) })), since: to };
}

/** Whether an event is about a timesheet that is or was the person's. */
function names(text: string, employeeId: string): boolean {
  if (!text.includes(JSON.stringify(employeeId))) return false;
  const { data } = (parseJsonOrNull(text) ?? {}) as { readonly data?: Readonly<Record<string, unknown>> };
  const { employeeId: owner } = (data?.previous ?? {}) as { readonly employeeId?: unknown };
  return data?.employeeId === employeeId || owner === employeeId;
}

async function readReceivers(
  texts: ReadonlyMap<string, string>,
  { target }: ConsoleContext,
): Promise<(eventId: string) => PersonChange['receivers']> {
  const destinations = listConfigured(WITH_DELIVERIES, target).map(({ destination }) => destination);
  const asked = [...texts.keys()].flatMap((eventId) =>
    destinations.map((destination) => ({ eventId, destination })),
  );
  const known = asked.length === 0 ? [] : await loadDeliveries(asked, target);
  const byEvent = Map.groupBy(known, ({ eventId }) => eventId);
  return (eventId) =>
    listReceivers(JSON.parse(texts.get(eventId) ?? '{}') as object, byEvent.get(eventId) ?? [], target);
}
