import type { PollEntry, Served } from '../journal.ts';
import type { Settings } from '../settings.ts';
import { isOfCalendar } from '../world/books.ts';
import type { RawRecord, TrackedRecord } from '../world/truth.ts';
import { covers, type Evidence, isCertain, type Told } from './evidence.ts';
import type { Watched } from './reading.ts';

/** What is said of the timesheets of a pay period, by a closing, a statement or a reminder. */
export interface Account {
  readonly complete: boolean;
  /** Start of the oldest look on which it is based. */
  readonly asOf: string | null;
  /** Timesheets that the last look at their date did not show. */
  readonly asLastSeen?: number;
  readonly members: string;
  readonly sharesDatesWith: readonly string[];
  readonly timesheets: number;
  readonly employees: number | null;
  readonly hours: number;
  readonly unapproved: number;
  readonly unprocessed: number | null;
  /** Those of which something is open. */
  readonly open: readonly OpenTimesheet[];
  /** Its last date, of a period that is not over yet. */
  readonly through: string;
  readonly mostOpen: number;
}

interface OpenTimesheet {
  readonly timesheetId: string;
  readonly employeeId?: string | null;
  readonly departmentId?: string | null;
  readonly date?: string | null;
  readonly hours?: number;
  readonly approved: boolean;
  readonly processed?: boolean;
}

/** Clocks of polls are seconds apart. */
const BEFORE_SCAN_MS = 6_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const HOURS_APART = 0.0001;

/** A timesheet as the account could have counted it: in one of these states, of which null is not at all. */
type States = readonly (RawRecord | null)[];

/**
 * What is wrong with an account: it must be of states in which the world was between its looks and its commit, to the
 * hour and the person. Null where nothing is, or where the source did not let anybody see that.
 */
export function wrongAccount(event: Told, account: Account, evidence: Evidence): string | null {
  const shared = wrongSharing(event, account, evidence);
  if (shared !== null) return shared;
  const judged = readWorld(event, account, evidence);
  if (judged === null) return null;
  evidence.judgedAccounts += 1;
  return wrongSums(account, judged) ?? wrongPeople(account, judged) ?? wrongOpen(account, judged);
}

/** Where all timesheets on its dates count, other periods of these dates that were known are named. */
function wrongSharing(event: Told, { members, sharesDatesWith }: Account, evidence: Evidence): string | null {
  const { world, journal, settings } = evidence.history;
  if (members !== 'all' || evidence.isUncertain || settings.renewal !== null) return null;
  const { startDate, finishDate } = event.data.current as Watched;
  const until = evidence.committedAt(event);
  const polls = journal.polls.filter(
    ({ feed, report, endedAt }) =>
      feed === 'pay-periods' &&
      report?.outcome === 'complete' &&
      endedAt !== null &&
      endedAt < event.by - MINUTE_MS,
  );
  const left = [...world.truth['pay-periods'].values()].find((record) => {
    const version = record.indexAt(until);
    const period = record.version(version);
    if (period === null || record.id === event.envelope.subject || sharesDatesWith.includes(record.id))
      return false;
    const isOnDates =
      String(period.startDate) <= String(finishDate) && String(startDate) <= String(period.finishDate);
    return isOnDates && polls.some((poll) => wasListed(record, { poll: poll.number, version, evidence }));
  });
  return left === undefined
    ? null
    : `all on its dates count, and ${left.id}, which shares them, is not named`;
}

/** Whether a complete list had a period in the version that it still has. */
function wasListed(
  { id }: TrackedRecord,
  {
    poll,
    version,
    evidence,
  }: { readonly poll: number; readonly version: number; readonly evidence: Evidence },
): boolean {
  return evidence.walksOf['pay-periods'].some((walk) => {
    const served = walk.records.get(id);
    return walk.poll === poll && !walk.spoilt && served?.shape === 'good' && served.version === version;
  });
}

/** Hours of each timesheet in the world of an account, at least and at most; null where that cannot be told. */
export function readHours(
  event: Told,
  account: Account,
  evidence: Evidence,
): ReadonlyMap<string, readonly [least: number, most: number]> | null {
  const judged = readWorld(event, account, evidence);
  if (judged === null) return null;
  const hours = [...judged].map(([id, states]) => {
    const values = states.map((state) => Number(state?.hoursToPay ?? 0));
    return [id, [Math.min(...values), Math.max(...values)]] as const;
  });
  return new Map(hours);
}

/** The states by timesheet; null where faults of the source kept them from those who looked. */
function readWorld(event: Told, account: Account, evidence: Evidence): ReadonlyMap<string, States> | null {
  const { asOf, complete, members, asLastSeen = 0 } = account;
  const { breadth, world } = evidence.history;
  if (!complete || asOf === null || members === 'partly') return null;
  if (breadth.form !== null) return null;
  const span = { since: Date.parse(asOf) - BEFORE_SCAN_MS, until: evidence.committedAt(event) };
  if (wasMisled(span, account, { event, evidence }) || hadWrongDay(span, evidence)) return null;
  const membersOf = members === 'asked' ? readMembers(event, evidence) : () => true;
  if (membersOf === null) return null;
  const { startDate } = event.data.current as Watched;
  const states = [...world.truth.timesheets.values()].map((record) => {
    const all = statesOf(record, { ...span, asLastSeen }, evidence).flatMap((state): States => {
      const date = String(state?.date);
      if (state === null || date < String(startDate) || date > account.through) return [null];
      const is = membersOf(String(state.employeeId));
      return is === null ? [state, null] : [is ? state : null];
    });
    return [record.id, all] as const;
  });
  return new Map(states.filter(([, all]) => all.some((state) => state !== null)));
}

interface Span {
  readonly since: number;
  readonly until: number;
}

/** Whether a poll had a clock that was a day off: it may have named another instant, and other dates. */
function hadWrongDay({ until }: Span, { history }: Evidence): boolean {
  const isOff = ({ clockAtStart, startedAt }: PollEntry) => Math.abs(clockAtStart - startedAt) > HOUR_MS;
  return history.journal.polls.some((poll) => poll.startedAt <= until && isOff(poll));
}

/** Whether a list of these dates did not say what was true. */
function wasMisled(
  { since, until }: Span,
  { through }: Account,
  { event, evidence }: { readonly event: Told; readonly evidence: Evidence },
): boolean {
  const { startDate } = event.data.current as Watched;
  return evidence.walksOf.timesheets.some(
    ({ spoilt, endedAt, beganAt, from, to }) =>
      spoilt &&
      endedAt >= since &&
      beganAt <= until &&
      (from ?? '') <= through &&
      (to ?? '9999') >= String(startDate),
  );
}

/** All states of a timesheet that the account may have known. */
function statesOf(
  { id, versions }: TrackedRecord,
  { since, until, asLastSeen }: Span & { readonly asLastSeen: number },
  evidence: Evidence,
): States {
  const { spells, poisons, journal, settings } = evidence.history;
  const known = versions.filter(({ at }) => at <= until);
  const isHard =
    journal.unanswered.timesheets.some((each) => each.id === id) ||
    poisons.some((each) => each.id === id) ||
    spells.records.some((each) => each.id === id);
  const served = (journal.served.timesheets.get(id) ?? []).filter(
    ({ shape, receivedAt }) => shape === 'good' && !isForgotten(receivedAt, until, settings),
  );
  // What a list leaves out is asked for rarely, and what cannot be read stays as it was.
  // Nor is what was read counted while the losses of most of its date are held.
  const isHeld = settings.takenFact != null || !served.some((each) => each.receivedAt >= since);
  const isLate = isHard || (asLastSeen > 0 && isHeld);
  // In their order: a later poll may have had a clock that was a day behind.
  const later = served.findIndex((each) => each.receivedAt > since);
  const earlier = later === -1 ? served : served.slice(0, later);
  // What a list shows of dates for which it was not asked is left out.
  const isTaken = ({ walk, version }: Served) => {
    const list = journal.walks[walk ?? -1];
    return list === undefined || covers(list, String(versions[version]?.record?.date));
  };
  const last = earlier.findLast((each) => isCertain(evidence.poll(each.poll)) && isTaken(each));
  // Facts that it lost with most of its date were held back, and it could not be read when they were believed.
  const from = settings.takenFact == null ? Math.max(0, last?.version ?? 0) : 0;
  if (isLate) return [null, ...known.slice(from).map(({ record }) => record)];
  const recent = known
    .filter((_, index) => (known[index + 1]?.at ?? Number.POSITIVE_INFINITY) > since)
    .map(({ record }) => record);
  const isNew = (known[0]?.at ?? Number.POSITIVE_INFINITY) > since;
  // One that nobody knows may leave a date before its look, for one whose look was before.
  const isBetween = last === undefined && new Set(recent.map((record) => record?.date)).size > 1;
  // A list of other dates that did not say what was true may have shown it there.
  const isIn = (at: number) => since < at && at <= until + BEFORE_SCAN_MS;
  const misplaced = served
    .filter(({ walk, receivedAt }) => isIn(receivedAt) && journal.walks[walk ?? -1]?.spoilt === true)
    .map(({ version }) => known[version]?.record ?? null);
  return [...(isNew || isBetween ? [null] : []), ...recent, ...misplaced];
}

/** A restored table forgot what was seen after its backup. */
function isForgotten(at: number, until: number, { renewal }: Settings): boolean {
  const { at: renewedAt = Number.POSITIVE_INFINITY, backupAt = null } = renewal ?? {};
  return until >= renewedAt && at < renewedAt && at > (backupAt ?? 0);
}

/**
 * Whether an employee is in the calendar of the period: null when he changed it since the source was asked about him, or
 * the period did. Null as a whole where
 * calendars have more than one name, or one of them has two periods on the same dates: the source contradicts itself.
 */
function readMembers(event: Told, evidence: Evidence): ((employeeId: string) => boolean | null) | null {
  const { history } = evidence;
  const { truth, books } = history.world;
  const versions = [...truth['pay-periods'].values()].flatMap((each) =>
    each.versions.flatMap(({ record }) => (record === null ? [] : [{ id: each.id, record }])),
  );
  const names = new Set(versions.map(({ record }) => String(record.calendar)));
  const own = String((event.data.current as Watched).calendar);
  const others = [...names].filter((name) => name !== own);
  const isTwice = versions.some((one) =>
    versions.some(
      (other) =>
        one.id < other.id &&
        one.record.calendar === other.record.calendar &&
        String(one.record.startDate) <= String(other.record.finishDate) &&
        String(other.record.startDate) <= String(one.record.finishDate),
    ),
  );
  const isOf = (employeeId: string, calendar: string, at = 0) =>
    isOfCalendar(books, { employeeId, calendar, at });
  const sample = '7_1';
  const isMixed = !books.hasOneCalendar && others.some((name) => isOf(sample, name) === isOf(sample, own));
  if (isTwice || isMixed || others.length > 1 || isRemoved(event, evidence)) return null;
  return (employeeId) => {
    const moments = momentsSinceAsked(employeeId, event, evidence);
    const [first, ...others] = moments?.map((at) => isOf(employeeId, own, at)) ?? [];
    return first === undefined || others.some((each) => each !== first) ? null : first;
  };
}

/** Of a period that was removed meanwhile the source says that nobody belongs to it. */
function isRemoved(event: Told, evidence: Evidence): boolean {
  const period = evidence.history.world.truth['pay-periods'].get(String(event.envelope.subject));
  return (period?.version(period.indexAt(evidence.committedAt(event))) ?? null) === null;
}

/**
 * The last answer of the source about an employee that polls know for certain, else the first that they may know, or what
 * it answered the poll that counts, if that was before; and his changes since. Null without any.
 */
function momentsSinceAsked(employeeId: string, event: Told, evidence: Evidence): number[] | null {
  const { world, journal, faults, settings } = evidence.history;
  const until = evidence.committedAt(event);
  const teller = evidence.committedBy(event);
  const answers = (journal.members.get(employeeId) ?? []).filter(
    ({ at }) => at <= until && !isForgotten(at, until, settings),
  );
  const changes = world.books.changes.get(employeeId);
  if (changes === undefined) return [0];
  // Whom the source was asked about may not be known to the next poll.
  if (UNSAVED.some((kind) => faults.has(kind))) return null;
  const found = answers.filter(({ isEmpty }) => !isEmpty);
  // A poll may ask once more for another period after it counted this one, and one that was killed may have saved its answer.
  const known = found.findLast(({ poll }) => poll !== teller && isCertain(evidence.poll(poll))) ?? found[0];
  if (known === undefined) return null;
  const own = answers.find(({ poll }) => poll === teller) ?? known;
  const first = Math.min(known.at, own.at);
  return [first, ...changes.filter((at) => first < at && at <= until)];
}

const UNSAVED = ['store_error_before:saveMembership', 'store_error_after:saveMembership'] as const;

type World = ReadonlyMap<string, States>;

function wrongSums(account: Account, world: World): string | null {
  const isOpen = (value: unknown) => value === null || value === '' || value === undefined;
  const sums: readonly (readonly [string, number | null, (state: RawRecord) => number])[] = [
    ['timesheets', account.timesheets, () => 1],
    ['hours', account.hours, ({ hoursToPay }) => Number(hoursToPay)],
    ['unapproved', account.unapproved, ({ approvedHours }) => Number(isOpen(approvedHours))],
    ['unprocessed', account.unprocessed, ({ processed }) => Number(isOpen(processed))],
  ];
  for (const [name, said, read] of sums) {
    let least = 0;
    let most = 0;
    for (const states of world.values()) {
      const values = states.map((state) => (state === null ? 0 : read(state)));
      least += Math.min(...values);
      most += Math.max(...values);
    }
    if (said !== null && (said < least - HOURS_APART || said > most + HOURS_APART))
      return `${said} ${name}, in the world ${least} to ${most}`;
  }
  return null;
}

function wrongPeople({ employees }: Account, world: World): string | null {
  if (employees === null) return null;
  const certain = new Set<unknown>();
  const possible = new Set<unknown>();
  for (const states of world.values()) {
    const own = new Set(states.map((state) => state?.employeeId ?? null));
    for (const employeeId of own) if (employeeId !== null) possible.add(employeeId);
    if (own.size === 1) certain.add([...own][0]);
  }
  return certain.size <= employees && employees <= possible.size
    ? null
    : `${employees} employees, in the world ${certain.size} to ${possible.size}`;
}

/** What is listed as open was so, and what was certainly open is listed. */
function wrongOpen({ open, mostOpen, unprocessed }: Account, world: World): string | null {
  for (const each of open) {
    const isSo = (world.get(each.timesheetId) ?? []).some((state) => state !== null && isAs(each, state));
    if (!isSo) return `${each.timesheetId} is listed as ${JSON.stringify(each)}, which it was not`;
  }
  if (open.length >= mostOpen) return null;
  const listed = new Set(open.map(({ timesheetId }) => timesheetId));
  const left = [...world].find(
    ([id, states]) =>
      !listed.has(id) && states.every((state) => state !== null && isOpenState(state, unprocessed !== null)),
  );
  return left === undefined ? null : `${left[0]} was open, and is not listed`;
}

function isOpenState({ approvedHours, processed }: RawRecord, minds: boolean): boolean {
  return !approvedHours || (minds && !processed);
}

function isAs(open: OpenTimesheet, state: RawRecord): boolean {
  const department = state.department as { readonly id: string } | null;
  return (
    (open.employeeId === undefined || open.employeeId === state.employeeId) &&
    (open.departmentId === undefined || open.departmentId === (department?.id ?? null)) &&
    (open.date === undefined || open.date === state.date) &&
    (open.hours === undefined || Math.abs(open.hours - Number(state.hoursToPay)) < HOURS_APART) &&
    open.approved === Boolean(state.approvedHours) &&
    (open.processed === undefined || open.processed === Boolean(state.processed))
  );
}
