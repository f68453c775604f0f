import type { PersonAnswer, PersonChange, PersonQuery, PersonTimesheet } from '#console/answers/person.ts';
import { addDays, parseInstant, toIso, toLocalDate } from '#shared/core/dates.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
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
  const dates = selectDates(toLocalDate(now, timeZone), knowledge);
  const begin = (parseInstant(`${dates.from}T00:00:00`, timeZone) ?? now) - DAYS_BEFORE * DAY_MS;
  const { changes, since } = await readChanges(id, { begin, now }, { knowledge, context });
  return {
    name: names.employees.get(id) ?? null,
    ...{ timeZone, ...dates, changes },
    since: toIso(since),
    timesheets: await readTimesheets(id, dates, { knowledge, context }),
  };
}

interface Place {
  readonly knowledge: ConnectionKnowledge;
  readonly context: ConsoleContext;
}

interface Dates {
  readonly from: string;
  readonly to: string;
}

/** Of each calendar the period of today, or the last one, and the one before. */
function selectDates(today: string, { payPeriods }: ConnectionKnowledge): Dates {
  const begun = payPeriods
    .filter((period) => period.startDate <= today && isOfUsualLength(period))
    .sort((a, b) => (a.startDate < b.startDate ? 1 : -1));
  const latest = [...Map.groupBy(begun, ({ calendar }) => calendar).values()].flatMap((each) =>
    each.slice(0, 2),
  );
  const [from] = latest.map(({ startDate }) => startDate).sort();
  const to = latest
    .map(({ finishDate }) => finishDate)
    .sort()
    .at(-1);
  if (from === undefined || to === undefined)
    return { from: addDays(today, -USUAL_DATES.back), to: addDays(today, USUAL_DATES.forward) };
  const [, begin = from] = [from, addDays(to, 1 - MAX_DATES)].sort();
  return { from: begin, to };
}

/** As stored, latest first. */
async function readTimesheets(
  employeeId: string,
  { from, to }: Dates,
  { knowledge, context: { store } }: Place,
): Promise<PersonAnswer['timesheets']> {
  const found: PersonTimesheet[] = [];
  const selection = { feed: 'timesheets', covers: (date: string) => from <= date && date <= to } as const;
  for await (const { rows } of walkRows(knowledge.connection, selection, store))
    for (const row of rows) {
      const state = readState('timesheets', row);
      if (state?.employeeId === employeeId) found.push(describeTimesheet(row.id, state, knowledge));
    }
  return found.reverse();
}

function describeTimesheet(id: string, state: State, { names }: ConnectionKnowledge): PersonTimesheet {
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
