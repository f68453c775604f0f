import { isDeepStrictEqual } from 'node:util';
import type { Served } from '../journal.ts';
import { type Books, isOfCalendar } from '../world/books.ts';
import type { TrackedRecord } from '../world/truth.ts';
import type { ChangeGroup } from './change-group.ts';
import type { DueEvent } from './due-events.ts';
import { type Evidence, isCertain, type Told } from './evidence.ts';
import { listsKnownTo } from './pay-period-lists.ts';
import type { Watched } from './reading.ts';

/** A closed pay period as events name it. */
interface NamedClosing {
  readonly id: string;
  readonly calendar: string;
  readonly effect?: 'gains' | 'loses' | 'changes';
  readonly hours?: number;
  readonly certain?: false;
}

/** A step of a timesheet as it was told, and what is due. */
interface ToldStep {
  readonly event: Told;
  readonly expected: DueEvent;
  readonly group: ChangeGroup;
}

interface Places {
  readonly from: Watched | null;
  readonly to: Watched | null;
}

/**
 * What is wrong about the pay periods of a step and its being late, by the books of the source: when its period was
 * closed, who belongs to which calendar, and when the timesheet changed.
 */
export function wrongPeriods(step: ToldStep, evidence: Evidence): string | null {
  const { event, expected, group } = step;
  const closings = (event.data.closedPeriods ?? []) as readonly NamedClosing[];
  const saysClose = (event.data.late as readonly string[]).includes('close');
  if (event.data.closedPeriods !== undefined && closings.length === 0) return 'closedPeriods is empty';
  if (saysClose !== closings.length > 0) return `late by close with ${closings.length} closed periods`;
  if (saysClose && expected.lateDate === null) return 'it can never be late by close';
  const places = placesOf(expected, group);
  for (const closing of closings) {
    const wrong = wrongClosing(closing, places, { step, evidence });
    if (wrong !== null) return `closed period ${JSON.stringify(closing)}: ${wrong}`;
  }
  return missedClosing(closings, places, { step, evidence }) ?? wrongNames(step, evidence);
}

/** A timesheet before a step and after it: places change with its `changed`, after what is taken back. */
function placesOf({ kind, stood }: DueEvent, { after }: ChangeGroup): Places {
  return { from: kind === 'created' ? null : stood, to: kind === 'off' ? stood : after };
}

interface Judged {
  readonly step: ToldStep;
  readonly evidence: Evidence;
}

function wrongClosing(closing: NamedClosing, places: Places, { step, evidence }: Judged): string | null {
  const period = evidence.history.world.truth['pay-periods'].get(closing.id);
  if (period === undefined) return 'there is none';
  const { by } = step.event;
  const until = closing.certain === false ? by : lastChange(step, evidence);
  if (!evidence.isUncertain && !wasClosedBy(period, until)) return `it was not closed by ${until}`;
  // What is seen before a closing is told is in its numbers.
  if (knewOpen(closing.id, step, evidence)) return 'it was told as open';
  if (!period.versions.some(({ record }) => record?.calendar === closing.calendar)) return 'a wrong calendar';
  return wrongEffect(closing, places, { step, evidence });
}

/** What a period gains or loses is the hours of the timesheet where the books have it in the period. */
function wrongEffect(closing: NamedClosing, { from, to }: Places, { step, evidence }: Judged): string | null {
  const { id, effect, hours } = closing;
  if (effect === undefined) return hours === undefined ? null : 'hours without an effect';
  const sides = [
    { state: from, isOwn: effect !== 'gains', sign: -1 },
    { state: to, isOwn: effect !== 'loses', sign: 1 },
  ];
  const wrong = sides.map((side) => wrongSide(side, id, { step, evidence })).find((each) => each !== null);
  if (wrong !== undefined) return wrong;
  const own = sides.filter(({ isOwn }) => isOwn);
  const due = own.reduce((sum, { state, sign }) => sum + sign * Number(state?.hoursToPay), 0);
  return Math.abs(due - (hours ?? 0)) < 1e-6 && hours !== 0 ? null : `${due} h are due`;
}

function wrongSide(
  { state, isOwn }: { state: Watched | null; isOwn: boolean },
  id: string,
  { step, evidence }: Judged,
): string | null {
  if (state === null) return isOwn ? 'it is not there' : null;
  const book = bookOf(state, step, evidence);
  return book === null || belongs(state, id, book) === isOwn ? null : `it is ${isOwn ? 'not ' : ''}its own`;
}

/**
 * The last instant at which a timesheet may have become what a look found: any until then, if it was so when the look
 * before did not show it.
 */
function lastChange({ group, event }: ToldStep, evidence: Evidence): number {
  const { feed, record, after } = group;
  const { by } = event;
  const versions = evidence.history.world.truth[feed].get(record)?.versions ?? [];
  const last = versions.findLastIndex(
    ({ at }, index) => at <= by && isDeepStrictEqual(evidence.watched(feed, record, index), after),
  );
  const at = versions[last]?.at ?? by;
  return event.after !== null && at <= event.after ? by : at;
}

const CLOSED = 'pay_period.closed';
const REOPENED = 'pay_period.reopened';
/** If it comes back it is a new one, of which no closing is told where it is closed already. */
const REMOVED = 'pay_period.removed';

/** What subscribers were told last of a pay period's being closed, open or gone, up to an instant. */
function lastTold(id: string, until: number, evidence: Evidence): Told | undefined {
  const told = evidence.told['pay-periods'].get(id) ?? [];
  return told.findLast(
    (event) => [CLOSED, REOPENED, REMOVED].includes(event.type) && evidence.committedAt(event) <= until,
  );
}

/** Whether a poll knew that a pay period is open for subscribers, and its closing was not told before its commit. */
function knewOpen(id: string, { event, group }: ToldStep, evidence: Evidence): boolean {
  const { startedAt = 0 } = evidence.poll(group.poll) ?? {};
  const known = lastTold(id, startedAt, evidence);
  if (lastTold(id, evidence.committedAt(event), evidence) !== known) return false;
  const looks = (evidence.history.journal.served['pay-periods'].get(id) ?? []).filter((look) => {
    const isOwn = evidence.poll(look.poll)?.feed === 'pay-periods';
    return (
      isOwn && look.shape === 'good' && isKept(look, evidence) && isSavedBy(startedAt, look.poll, evidence)
    );
  });
  // What a poll saw and committed without saving what it knows is published by another one, which need not have seen it.
  if (known !== undefined) {
    const toldAt = evidence.committedAt(known);
    // By the clock of the poll, which may be a day ahead, and by ours.
    const isLater = ({ receivedAt, poll }: Served) =>
      receivedAt >= known.by && (evidence.poll(poll)?.endedAt ?? 0) >= toldAt;
    return known.type === REOPENED && looks.some(isLater);
  }
  const [first] = looks;
  return first !== undefined && evidence.watched('pay-periods', id, first.version)?.closed === null;
}

/**
 * Whether what a look showed may be stored: the walk by which a baseline certainly is, a later one of its poll, or one
 * of a poll that began with that baseline. Nothing is kept of what incomplete ones before it showed, or beside it.
 */
function isKept({ poll, walk }: Served, evidence: Evidence): boolean {
  const first = evidence.walksOf['pay-periods'].find((each) => isCertain(evidence.poll(each.poll)));
  if (first === undefined) return walk === null;
  if (poll === first.poll) return (walk ?? first.number) >= first.number;
  const storedAt = evidence.poll(first.poll)?.endedAt ?? Number.POSITIVE_INFINITY;
  return (evidence.poll(poll)?.startedAt ?? 0) >= storedAt;
}

/** The closing that was told last of a pay period as a poll knew it; undefined where that is open, or not known. */
function knownClosing(id: string, { group }: ToldStep, evidence: Evidence): Told | undefined {
  const { startedAt = 0 } = evidence.poll(group.poll) ?? {};
  const told = lastTold(id, startedAt, evidence);
  return told?.type === CLOSED && isSavedBy(startedAt, evidence.committedBy(told), evidence)
    ? told
    : undefined;
}

function stampOf(closing: Told | undefined): unknown {
  return (closing?.data.current as Watched | undefined)?.closed;
}

/** Whether what a poll learned is stored for those that begin at an instant. */
function isSavedBy(startedAt: number, poll: number, evidence: Evidence): boolean {
  const saver = evidence.poll(poll);
  return isCertain(saver) && saver?.endedAt != null && saver.endedAt < startedAt;
}

function wasClosedBy({ versions }: TrackedRecord, instant: number): boolean {
  return versions.some(({ at, record }) => at <= instant && isClosed(record?.closed));
}

function isClosed(stamp: unknown): boolean {
  return typeof stamp === 'string' && stamp !== '';
}

/** Dates and calendar of the pay periods around a date, as they had been from the beginning. */
interface Book {
  readonly periods: ReadonlyMap<string, Watched>;
  readonly company: Books;
}

/**
 * Null when one of them came, went, or was changed, or is not on every list that the poll may have gone by, and when the
 * employee went to another calendar: it is not known then which of these states counted.
 */
function bookOf(state: Watched, { group, event }: ToldStep, evidence: Evidence): Book | null {
  const { world, settings } = evidence.history;
  const { by } = event;
  const date = String(state.date);
  // The source may be asked about the employee after the look, by another poll, and before the commit.
  const until = evidence.committedAt(event);
  if ((world.books.changes.get(String(state.employeeId)) ?? []).some((at) => at <= until)) return null;
  const all = [...world.truth['pay-periods'].values()].map(({ id, versions }) => ({
    ...{ id, versions: versions.filter(({ at }) => at <= by) },
  }));
  const near = all.filter(({ versions }) => versions.some(({ record }) => record && covers(record, date)));
  const spans = near.flatMap(({ versions }) => versions.map(({ record }) => record));
  const around = all.filter(({ versions }) =>
    versions.some(({ record }) => record && spans.some((span) => span && overlap(span, record))),
  );
  const lists = listsKnownTo(group, evidence);
  if (lists === null) return null;
  const periods = new Map<string, Watched>();
  for (const { id, versions } of around) {
    const [first] = versions;
    const places = versions.map(({ record }) => [record?.calendar, record?.startDate, record?.finishDate]);
    const isKept = places.every((each) => isDeepStrictEqual(each, places[0]));
    const isListed = lists.every((list) => list?.periods.has(id) ?? true);
    if (first?.record == null || !isKept || !isListed || first.at > settings.startAt) return null;
    periods.set(id, first.record);
  }
  // Where all are of one calendar, nothing tells periods from each other that share dates.
  const book = { periods, company: world.books };
  const isTold =
    !world.books.hasOneCalendar || ![...periods.values()].some((each) => sharesDates(each, book));
  return isTold ? book : null;
}

function overlap(one: Watched, other: Watched): boolean {
  return (
    String(one.startDate) <= String(other.finishDate) && String(one.finishDate) >= String(other.startDate)
  );
}

function covers({ startDate, finishDate }: Watched, date: string): boolean {
  return String(startDate) <= date && date <= String(finishDate);
}

function sharesDates(period: Watched, { periods }: Book): boolean {
  return [...periods.values()].some((other) => other !== period && overlap(other, period));
}

function belongs(state: Watched | null, id: string, book: Book): boolean {
  const period = book.periods.get(id);
  if (state === null || period === undefined || !covers(period, String(state.date))) return false;
  const own = { employeeId: String(state.employeeId), calendar: period.calendar, at: 0 };
  return !sharesDates(period, book) || isOfCalendar(book.company, own);
}

/**
 * Whether a poll knew to which periods a timesheet belongs: by the dates alone, or since the calendar of its employee is
 * the only one of its name on the date.
 */
function isKnownTo(
  { group }: ToldStep,
  state: Watched,
  { book, evidence }: { book: Book; evidence: Evidence },
) {
  const covering = [...book.periods.values()].filter((period) => covers(period, String(state.date)));
  if (covering.every((period) => !sharesDates(period, book))) return true;
  const known = evidence.poll(group.poll)?.membership?.get(String(state.employeeId));
  const own = covering.filter(({ calendar }) => calendar === known?.calendar);
  const ofName = [...book.periods.values()].filter(({ calendar }) => calendar === known?.calendar);
  return own.length === 1 && ofName.length === 1;
}

/** A period that had been seen closed before the timesheet was last seen as it was, and is not named. */
function missedClosing(
  closings: readonly NamedClosing[],
  { from, to }: Places,
  { step, evidence }: Judged,
): string | null {
  const { event, expected, group } = step;
  const lists = listsKnownTo(group, evidence);
  if (lists === null || expected.lateDate === null || event.after === null) return null;
  const stampedAt = Date.parse(String(event.data.occurredAt));
  const since = Math.min(event.after, Number.isNaN(stampedAt) ? event.after : stampedAt);
  const isNamed = (id: string) => closings.some((each) => each.id === id);
  for (const state of [from, to]) {
    const book = state === null ? null : bookOf(state, step, evidence);
    if (state === null || book === null || !isKnownTo(step, state, { book, evidence })) continue;
    for (const id of book.periods.keys()) {
      const isSeenClosed = lists.every(
        (list) =>
          list !== null &&
          isClosed(list.periods.get(id)?.closed) &&
          list.endedAt <= since &&
          stampOf(knownClosing(id, step, evidence)) === list.periods.get(id)?.closed,
      );
      if (belongs(state, id, book) && isSeenClosed && lists.length > 0 && !isNamed(id))
        return `late by the close of ${id} is due`;
    }
  }
  return null;
}

interface NamedPeriod {
  readonly id: string;
  readonly calendar: string;
  readonly state: 'open' | 'closed';
}

/** The pay periods that an event names as those of its timesheet. */
function wrongNames(step: ToldStep, evidence: Evidence): string | null {
  const { event, group } = step;
  const named = event.data.payPeriods as readonly NamedPeriod[] | undefined;
  const state = group.after ?? group.before;
  if (state === null) return null;
  const book = bookOf(state, step, evidence);
  if (named === undefined) {
    const lists = listsKnownTo(group, evidence);
    const isDue = book !== null && lists !== null && lists.length > 0 && !lists.includes(null);
    return isDue && isKnownTo(step, state, { book, evidence }) ? 'payPeriods is missing' : null;
  }
  for (const { id, calendar, state: told } of named) {
    // A closing that is held is not known yet to those who read events.
    const isHeld = told === 'open' && knownClosing(id, step, evidence) === undefined;
    const versions = evidence.history.world.truth['pay-periods'].get(id)?.versions ?? [];
    const isPossible = versions.some(
      ({ at, record }) =>
        record !== null &&
        (at <= event.by || evidence.isUncertain) &&
        record.calendar === calendar &&
        covers(record, String(state.date)) &&
        (isHeld || isClosed(record.closed) === (told === 'closed')),
    );
    if (!isPossible) return `pay period ${id} was never ${told}, of ${calendar} and on ${state.date}`;
  }
  if (book === null) return null;
  const due = [...book.periods.keys()].filter((id) => belongs(state, id, book)).sort();
  const is = named.map(({ id }) => id).sort();
  return isDeepStrictEqual(is, due) ? null : `payPeriods is ${is}, due is ${due}`;
}
