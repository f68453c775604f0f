import { type FindAnswer, FOUND_KINDS, type Suggestion } from '#console/routes/find.ts';
import { addDays, isDate, parseInstant, toIso, toLocalDate } from '#shared/core/dates.ts';
import { covers } from '#shared/core/records/pay-period.ts';
import { readState } from '#shared/core/snapshot/stored-state.ts';
import { walkRows } from '#shared/flow/stored-records.ts';
import { listReceivers, WITH_DELIVERIES } from '#shared/operator/receivers.ts';
import { formatDates, formatDay } from '#shared/people/messages/moments.ts';
import type { ConsoleContext } from './context.ts';
import type { ConnectionKnowledge } from './knowledge.ts';

const MAX_OF_KIND = { person: 6, timesheet: 3, period: 3, department: 3, date: 1, receiver: 3 };
const MAX_SUGGESTIONS = 12;
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
/** A shorter text is no id that is worth a read of the table. */
const MIN_ID_CHARACTERS = 3;

/** People, timesheets, pay periods, departments, dates and receivers that a text may mean. Throws what the store throws. */
export async function findSuggestions(text: string, context: ConsoleContext): Promise<FindAnswer> {
  const wanted = fold(text);
  if (wanted === '') return { suggestions: [] };
  const known = await context.knowledge.loadAll();
  const found = await Promise.all(known.map((each) => findInConnection(text.trim(), each, context)));
  const all = [...found.flat(), ...findReceivers(wanted, context)];
  const best = FOUND_KINDS.flatMap((kind) =>
    all
      .filter((each) => each.kind === kind)
      .sort((a, b) => a.rank - b.rank || a.title.localeCompare(b.title, 'en'))
      .slice(0, MAX_OF_KIND[kind]),
  );
  return { suggestions: best.slice(0, MAX_SUGGESTIONS).map(({ rank: _, ...each }) => each) };
}

interface Ranked extends Suggestion {
  /** The lower, the better. */
  readonly rank: number;
}

async function findInConnection(
  text: string,
  knowledge: ConnectionKnowledge,
  context: ConsoleContext,
): Promise<Ranked[]> {
  const { connection, names, timeZone } = knowledge;
  const wanted = fold(text);
  const place = encodeURIComponent(connection);
  const suffix = context.target.connections.length > 1 ? ` of ${connection}` : '';
  const today = toLocalDate(Math.floor(context.target.system.now()), timeZone);
  const date = readDate(wanted, today);
  return [
    ...findNamed(wanted, names.employees).map(({ id, ...each }) => ({
      ...each,
      kind: 'person' as const,
      note: id + suffix,
      to: `/people/${place}/${encodeURIComponent(id)}`,
    })),
    ...(await findTimesheet(text, knowledge, context)),
    ...findPeriods({ wanted, date, today }, knowledge).map((each) => ({ ...each, note: each.note + suffix })),
    ...findNamed(wanted, names.departments).map(({ id, ...each }) => ({
      ...each,
      kind: 'department' as const,
      note: `Live, of department ${id}${suffix}`,
      to: `/?department=${encodeURIComponent(id)}&connection=${place}`,
    })),
    ...(date === null ? [] : [describeDate(date, { today, timeZone, suffix })]),
  ];
}

interface Named {
  readonly id: string;
  readonly title: string;
  readonly rank: number;
}

function findNamed(wanted: string, names: ReadonlyMap<string, string>): Named[] {
  return [...names].flatMap(([id, title]) => {
    const rank = rankOf(wanted, title, id);
    return rank === null ? [] : [{ id, title, rank }];
  });
}

/** Null unless the id begins with the text, or each word of it begins a word of the name. */
function rankOf(wanted: string, name: string, id: string): number | null {
  if (fold(id) === wanted) return 0;
  const folded = fold(name);
  if (folded.startsWith(wanted)) return 1;
  const words = folded.split(/[\s,'’-]+/);
  if (wanted.split(' ').every((part) => words.some((word) => word.startsWith(part)))) return 2;
  return fold(id).startsWith(wanted) ? 3 : null;
}

/** Without case, accents and spaces to spare. */
function fold(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll(/\s+/g, ' ').trim();
}

/** A timesheet by its whole id: each date has one place where it may be stored. */
async function findTimesheet(
  id: string,
  { connection, names, timeZone }: ConnectionKnowledge,
  { store, target }: ConsoleContext,
): Promise<Ranked[]> {
  if (id.length < MIN_ID_CHARACTERS || !/^\S*\d\S*$/.test(id)) return [];
  const year = toLocalDate(Math.floor(target.system.now()), timeZone).slice(0, 4);
  const found: Ranked[] = [];
  for await (const { rows } of walkRows(connection, { feed: 'timesheets', ids: [id] }, store))
    for (const row of rows) {
      const { employeeId, date } = readState('timesheets', row) ?? {};
      const name = names.employees.get(String(employeeId)) ?? `employee ${employeeId}`;
      const to = `/records/${encodeURIComponent(id)}?connection=${encodeURIComponent(connection)}`;
      const note = `${name}, ${formatDay(String(date), { year })}`;
      found.push({ kind: 'timesheet', title: id, note, to, rank: 0 });
    }
  return found;
}

interface WantedPeriod {
  readonly wanted: string;
  readonly date: string | null;
  readonly today: string;
}

/** Pay periods by id, by calendar, or by a date that they cover; the latest that have begun first. */
function findPeriods(
  { wanted, date, today }: WantedPeriod,
  { connection, payPeriods }: ConnectionKnowledge,
): Ranked[] {
  const isMeant = (period: ConnectionKnowledge['payPeriods'][number]) =>
    fold(period.id).startsWith(wanted) ||
    (date === null ? fold(period.calendar).startsWith(wanted) : covers(period, date));
  return payPeriods
    .filter(isMeant)
    .sort((a, b) => (a.startDate < b.startDate ? 1 : -1))
    .map(({ id, calendar, startDate, finishDate, closed }, place) => ({
      kind: 'period',
      title: `${calendar} ${formatDates(startDate, finishDate, { year: today.slice(0, 4) })}`,
      note: `${id}, ${closed ? 'closed' : startDate > today ? 'not begun' : 'open'}`,
      to: `/periods/${encodeURIComponent(id)}?connection=${encodeURIComponent(connection)}`,
      rank: fold(id) === wanted ? -1 : place + (startDate > today ? payPeriods.length : 0),
    }));
}

interface DateContext {
  readonly today: string;
  readonly timeZone: string;
  readonly suffix: string;
}

/** The log as it was at the end of a date. */
function describeDate(date: string, { today, timeZone, suffix }: DateContext): Ranked {
  const end = parseInstant(`${addDays(date, 1)}T00:00:00`, timeZone) ?? Date.parse(date);
  return {
    kind: 'date',
    title: formatDay(date, { year: today.slice(0, 4) }),
    note: `the log at the end of that day${suffix}`,
    to: `/?until=${encodeURIComponent(toIso(end - 1))}`,
    rank: 0,
  };
}

function findReceivers(wanted: string, { target }: ConsoleContext): Ranked[] {
  return listReceivers(WITH_DELIVERIES, target)
    .filter(({ label }) =>
      fold(label)
        .split('/')
        .some((part) => part.startsWith(wanted.replace(/^#/, ''))),
    )
    .map(({ label }) => ({
      kind: 'receiver',
      title: label,
      note: 'what was sent there',
      to: `/deliveries?to=${encodeURIComponent(label)}`,
      rank: 0,
    }));
}

/** `2026-11-20`, or as the page writes it: `Fri 20 Nov`, `20 Nov`, of the nearest year. Null for any other text. */
export function readDate(text: string, today: string): string | null {
  if (isDate(text)) return text;
  const [, day = '', month = ''] = /^(?:[a-z]{3} )?(\d{1,2}) ([a-z]{3})$/.exec(text.toLowerCase()) ?? [];
  const number = String(MONTHS.indexOf(month) + 1).padStart(2, '0');
  const year = Number(today.slice(0, 4));
  const dates = [year - 1, year, year + 1].map((each) => `${each}-${number}-${day.padStart(2, '0')}`);
  const distance = (date: string) => Math.abs(Date.parse(date) - Date.parse(today));
  return dates.filter(isDate).sort((a, b) => distance(a) - distance(b))[0] ?? null;
}
