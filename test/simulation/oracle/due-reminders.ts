import type { PollEntry } from '../journal.ts';
import { connectionAt } from '../settings.ts';
import { isOfCalendar } from '../world/books.ts';
import type { TrackedRecord } from '../world/truth.ts';
import { momentsOf, summariesAt } from './deadline-moments.ts';
import type { Evidence } from './evidence.ts';
import { dayAt, shiftDay } from './local-time.ts';
import { type Watched, watchedOf } from './reading.ts';

/** Clocks of polls are apart by seconds. */
const CLOCK_MS = 10_000;

/** Two polls of pay periods, one after the other, that did all they planned. */
interface Stretch {
  readonly before: PollEntry;
  readonly after: PollEntry;
}

/**
 * A moment that came between two polls that did all they planned must have been told by the second one, if the period
 * was open all the time and had a timesheet that was never approved.
 */
export function judgeDueReminders(evidence: Evidence): void {
  const { history, isUncertain } = evidence;
  const { breadth, settings, faults } = history;
  if (breadth.reminders === null || isUncertain || faults.has('poison_record')) return;
  for (const stretch of findStretches(evidence)) {
    for (const [id, record] of history.world.truth['pay-periods']) {
      const period = openAllTheTime(record, { id, stretch, evidence });
      if (period === null || !hasSomethingOpen(period, stretch, evidence)) continue;
      const reminders = momentsOf(period, settings);
      for (const at of reminderDue(reminders, stretch)) judgeMoment(evidence, { id, at, stretch });
      for (const at of summariesDue(period, stretch, evidence)) judgeMoment(evidence, { id, at, stretch });
    }
  }
}

function findStretches({ history }: Evidence): Stretch[] {
  const { polls } = history.journal;
  const own = polls.filter(({ feed }) => feed === 'pay-periods').sort((a, b) => a.startedAt - b.startedAt);
  const isWhole = ({ report, endedAt, failure }: PollEntry) =>
    report?.outcome === 'complete' && report.counts.conflicts === 0 && endedAt !== null && failure === null;
  return own.flatMap((after, index): Stretch[] => {
    const before = own
      .slice(0, index)
      .findLast((each) => isWhole(each) && (each.endedAt ?? 0) < after.startedAt);
    return before === undefined || !isWhole(after) ? [] : [{ before, after }];
  });
}

interface Candidate {
  readonly id: string;
  readonly stretch: Stretch;
  readonly evidence: Evidence;
}

/** The period as both polls saw it; null when it changed in between, was closed, or was not seen. */
function openAllTheTime(record: TrackedRecord, { id, stretch, evidence }: Candidate): Watched | null {
  const { before, after } = stretch;
  const version = record.indexAt(before.startedAt);
  const raw = record.version(version);
  if (raw === null || record.endOf(version) <= (after.endedAt ?? 0)) return null;
  const isSeen = (poll: PollEntry) =>
    evidence.walksOf['pay-periods'].some(
      (walk) => walk.poll === poll.number && !walk.spoilt && walk.records.get(id)?.shape === 'good',
    );
  const watched = watchedOf('pay-periods', raw);
  return watched.closed === null && isSeen(before) && isSeen(after) ? watched : null;
}

/** A timesheet of the calendar, never approved, unchanged and seen since before, on a day that is over. */
function hasSomethingOpen(period: Watched, { before, after }: Stretch, evidence: Evidence): boolean {
  const { timeZone } = evidence.history.settings.connection;
  const today = dayAt(before.startedAt, timeZone);
  if (String(period.startDate) >= today) return false;
  return [...evidence.history.world.truth.timesheets.values()].some((record) => {
    const version = record.indexAt(before.startedAt);
    const raw = record.version(version);
    if (raw === null || record.endOf(version) <= (after.endedAt ?? 0)) return false;
    const date = String(raw.date);
    const isOwn = isOfThisAlone(String(raw.employeeId), period, evidence);
    const isOver = date < today && String(period.startDate) <= date && date <= String(period.finishDate);
    const isNever = record.versions.every((each) => !each.record?.approvedHours);
    const isKnown = (evidence.history.journal.served.timesheets.get(record.id) ?? []).some((served) => {
      const poll = evidence.poll(served.poll);
      const isSettled =
        poll?.report?.outcome === 'complete' && (poll.endedAt ?? Number.POSITIVE_INFINITY) < before.startedAt;
      return served.version === version && served.shape === 'good' && isSettled;
    });
    return isOwn && isOver && isNever && isKnown;
  });
}

/** The name of a calendar says who belongs to it, so one that was renamed may share employees: these may count there. */
function isOfThisAlone(employeeId: string, { calendar }: Watched, { history }: Evidence): boolean {
  const others = [...history.world.truth['pay-periods'].values()]
    .flatMap(({ versions }) => versions)
    .flatMap(({ record }) => (record === null || record.calendar === calendar ? [] : [record.calendar]));
  const { books } = history.world;
  // Who changed his calendar is asked about again later.
  if ((books.changes.get(employeeId) ?? []).length > 0) return false;
  const isOf = (named: unknown) => isOfCalendar(books, { employeeId, calendar: named, at: 0 });
  return isOf(calendar) && (books.hasOneCalendar || !others.some(isOf));
}

function isBetween(at: number, { before, after }: Stretch): boolean {
  return (before.endedAt ?? 0) + CLOCK_MS < at && at < after.startedAt - CLOCK_MS;
}

/** Of several moments that came, the latest; none where the deadline came, too. */
function reminderDue(moments: ReturnType<typeof momentsOf>, stretch: Stretch): number[] {
  if (moments === null || Math.min(...moments.deadlines) <= (stretch.after.endedAt ?? 0) + CLOCK_MS)
    return [];
  const due = moments.reminders.flatMap(({ at }) => (at.every((each) => isBetween(each, stretch)) ? at : []));
  return due.length === 0 ? [] : [Math.max(...due)];
}

function summariesDue(period: Watched, stretch: Stretch, { history }: Evidence): number[] {
  const { settings, breadth } = history;
  const { timeZone, window } = connectionAt(settings, stretch.after.startedAt);
  const today = dayAt(stretch.after.startedAt, timeZone);
  if (String(period.finishDate) < shiftDay(today, -window.backDays)) return [];
  // A poll over midnight may belong to either day.
  if (dayAt((stretch.after.endedAt ?? 0) + CLOCK_MS, timeZone) !== today) return [];
  return (breadth.reminders?.summaries ?? []).flatMap((time) => {
    const at = summariesAt(time, stretch.after.startedAt, timeZone);
    return at.every((each) => isBetween(each, stretch)) ? [Math.max(...at)] : [];
  });
}

/** Told by a poll that began after the moment and ended with the second one at the latest. */
function judgeMoment(
  evidence: Evidence,
  { id, at, stretch }: { readonly id: string; readonly at: number; readonly stretch: Stretch },
): void {
  const told = evidence.told['pay-periods'].get(id) ?? [];
  const isTold = told.some(
    ({ type, by }) =>
      type === 'pay_period.readiness' && by >= at - CLOCK_MS && by <= (stretch.after.endedAt ?? 0) + CLOCK_MS,
  );
  if (!isTold)
    evidence.violate(
      `pay-periods ${id}`,
      `the moment ${new Date(at).toISOString()} was not told by poll ${stretch.after.number}`,
      'skipped',
    );
}
