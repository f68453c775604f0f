import { FOUND_KINDS, type Found } from '#console/answers/found.ts';
import { toAddress, toPeriodAddress, toPersonAddress, toRecordAddress } from '#console/pages/parts.ts';
import { addDays, isDate, toLocalDate } from '#shared/core/dates.ts';
import { covers } from '#shared/core/records/pay-period.ts';
import { readState } from '#shared/core/snapshot/stored-state.ts';
import { walkRows } from '#shared/flow/stored-records.ts';
import { formatDates, formatDay } from '#shared/people/messages/moments.ts';
import type { ConsoleContext } from './context.ts';
import type { ConnectionKnowledge } from './knowledge.ts';

const MAX_OF_KIND = 20;
const WEEKDAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
/** A shorter text is no id that is worth a read of the table. */
const MIN_ID_CHARACTERS = 3;

/** People, timesheets, pay periods, departments and dates that a text may mean. Throws what the store throws. */
export async function find(text: string, context: ConsoleContext): Promise<Found[]> {
  const wanted = fold(text);
  if (wanted === '') return [];
  const known = await context.knowledge.loadAll();
  const found = await Promise.all(known.map((each) => findInConnection(text.trim(), each, context)));
  const all = found.flat();
  return FOUND_KINDS.flatMap((kind) =>
    all
      .filter((each) => each.kind === kind)
      .sort((a, b) => a.rank - b.rank || a.title.localeCompare(b.title, 'en'))
      .slice(0, MAX_OF_KIND)
      .map(({ rank: _, ...each }) => each),
  );
}

interface Ranked extends Found {
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
  const isOneOfSeveral = context.target.connections.length > 1;
  const suffix = isOneOfSeveral ? ` of ${connection}` : '';
  const today = toLocalDate(Math.floor(context.target.system.now()), timeZone);
  const date = readDate(wanted, today);
  return [
    ...findNamed(wanted, names.employees).map(({ id, ...each }) => ({
      ...each,
      kind: 'person' as const,
      note: id + suffix,
      to: toPersonAddress(id, knowledge),
    })),
    ...(await findTimesheet(text, knowledge, context)),
    ...findPeriods({ wanted, date, today }, knowledge).map((each) => ({ ...each, note: each.note + suffix })),
    ...findNamed(wanted, names.departments).map(({ id, ...each }) => ({
      ...each,
      kind: 'department' as const,
      note: `what happens there, ${id}${suffix}`,
      to: toAddress('now', { department: id, connection }),
    })),
    ...(date === null
      ? []
      : [
          {
            kind: 'date' as const,
            title: formatDay(date, { year: today.slice(0, 4) }),
            note: `what happened that day${suffix}`,
            to: toAddress('now', { day: date, connection: isOneOfSeveral ? connection : undefined }),
            rank: 0,
          },
        ]),
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
  knowledge: ConnectionKnowledge,
  { store, target }: ConsoleContext,
): Promise<Ranked[]> {
  const { connection, names, timeZone } = knowledge;
  if (id.length < MIN_ID_CHARACTERS || !/^\S*\d\S*$/.test(id)) return [];
  const year = toLocalDate(Math.floor(target.system.now()), timeZone).slice(0, 4);
  const found: Ranked[] = [];
  for await (const { rows } of walkRows(connection, { feed: 'timesheets', ids: [id] }, store))
    for (const row of rows) {
      const { employeeId, date } = readState('timesheets', row) ?? {};
      const name = names.employees.get(String(employeeId)) ?? `employee ${employeeId}`;
      const note = `${name}, ${formatDay(String(date), { year })}`;
      found.push({ kind: 'timesheet', title: id, note, to: toRecordAddress(id, knowledge), rank: 0 });
    }
  return found;
}

interface WantedPeriod {
  readonly wanted: string;
  readonly date: string | null;
  readonly today: string;
}

/** Pay periods by id, by calendar, or by a date that they cover; the latest that have begun first. */
function findPeriods({ wanted, date, today }: WantedPeriod, knowledge: ConnectionKnowledge): Ranked[] {
  const { payPeriods } = knowledge;
  const isMeant = (period: ConnectionKnowledge['payPeriods'][number]) =>
    [period.id, period.calendar].some((each) => fold(each).startsWith(wanted)) ||
    (date !== null && covers(period, date));
  return payPeriods
    .filter(isMeant)
    .sort((a, b) => (a.startDate < b.startDate ? 1 : -1))
    .map(({ id, calendar, startDate, finishDate, closed }, place) => ({
      kind: 'period',
      title: `${calendar} ${formatDates(startDate, finishDate, { year: today.slice(0, 4) })}`,
      note: `${id}, ${closed ? 'closed' : startDate > today ? 'not begun' : 'open'}`,
      to: toPeriodAddress(id, knowledge),
      rank: fold(id) === wanted ? -1 : place + (startDate > today ? payPeriods.length : 0),
    }));
}

/**
 * `2026-11-20`; as the pages write it, `Fri 20 Nov` or `20 Nov`, of the nearest year; `today`, `yesterday`, or the latest
 * `tuesday`. Null for any other text.
 */
export function readDate(text: string, today: string): string | null {
  if (isDate(text)) return text;
  const daysAgo = countDaysAgo(text.toLowerCase(), today);
  if (daysAgo !== null) return addDays(today, -daysAgo);
  const [, day = '', month = ''] = /^(?:[a-z]{3} )?(\d{1,2}) ([a-z]{3})$/.exec(text.toLowerCase()) ?? [];
  const number = String(MONTHS.indexOf(month) + 1).padStart(2, '0');
  const year = Number(today.slice(0, 4));
  const dates = [year - 1, year, year + 1].map((each) => `${each}-${number}-${day.padStart(2, '0')}`);
  const distance = (date: string) => Math.abs(Date.parse(date) - Date.parse(today));
  return dates.filter(isDate).sort((a, b) => distance(a) - distance(b))[0] ?? null;
}

function countDaysAgo(text: string, today: string): number | null {
  if (text === 'today') return 0;
  if (text === 'yesterday') return 1;
  const weekday = text.length < 3 ? -1 : WEEKDAYS.findIndex((each) => each.startsWith(text));
  return weekday < 0 ? null : (new Date(`${today}T00:00:00Z`).getUTCDay() - weekday + 7) % 7;
}
