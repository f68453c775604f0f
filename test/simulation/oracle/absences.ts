import type { AbsencePeriod } from '#shared/core/records/absences.ts';
import type { PollEntry, Served } from '../journal.ts';
import { connectionAt } from '../settings.ts';
import { covers, type Evidence, type Told } from './evidence.ts';
import { instantsOf, offsetAt } from './local-time.ts';
import type { Watched } from './reading.ts';
import type { RecordStory } from './story.ts';

/** The two clockings that can be missing, as docs/source-api.md states it. */
const KINDS = [
  { field: 'clockInMissing', name: 'clock_in', planned: 'startTime', threshold: 'clockInMs' },
  { field: 'clockOutMissing', name: 'clock_out', planned: 'finishTime', threshold: 'clockOutMs' },
] as const;
type Kind = (typeof KINDS)[number];

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Thresholds come into force so long after they were deployed. */
const DELAY_MS = 15 * MINUTE_MS;
const CLOCK_SKEW_MS = 10_000;

/**
 * Each missing clocking is told when an answer showed it after its moment had passed, and never when the answer had the
 * clocking; it is told once until an event says that it ended. What a complete poll saw last is told as it saw it.
 */
export function judgeAbsences(evidence: Evidence, stories: readonly RecordStory[]): void {
  const { history } = evidence;
  if (history.faults.has('clock_a_day_off')) return;
  judgePeriods(evidence);
  if (history.settings.absences == null && evidence.absences.size > 0)
    evidence.violate('timesheets', 'missing clockings were told without the option');
  for (const story of stories) {
    if (story.feed !== 'timesheets') continue;
    for (const kind of KINDS) {
      const events = (evidence.absences.get(story.id) ?? []).filter(({ type }) => type.includes(kind.name));
      judgeTelling(evidence, { story, kind, events });
      judgeSeen(evidence, { story, kind, events });
    }
  }
}

/** Thresholds are those of a poll, in force a quarter of an hour after its end. */
function judgePeriods(evidence: Evidence): void {
  const { history } = evidence;
  for (const { since, clockInMs, clockOutMs } of history.absencePeriods) {
    if (since === 0 && history.breadth.absences?.inForce === true) continue;
    const polls = history.journal.polls.filter(({ feed, startedAt, endedAt, deadline }) => {
      const [from, to] = [startedAt, endedAt ?? deadline].map((at) => at + DELAY_MS);
      return (
        feed === 'timesheets' && (from ?? 0) - CLOCK_SKEW_MS <= since && since <= (to ?? 0) + CLOCK_SKEW_MS
      );
    });
    const isOfOne = polls.some(({ startedAt }) => {
      const { absences = {} } = connectionAt(history.settings, startedAt);
      const { clockInMinutes = Number.NaN, clockOutHours = Number.NaN } = absences as Record<string, number>;
      return (
        Object.is(clockInMs ?? Number.NaN, clockInMinutes * MINUTE_MS) &&
        Object.is(clockOutMs ?? Number.NaN, Math.round(clockOutHours * 60 * MINUTE_MS))
      );
    });
    if (!isOfOne)
      evidence.violate(
        'timesheets',
        `thresholds in force since ${new Date(since).toISOString()} are of no poll`,
      );
  }
}

/** Whether an answer of a poll that had begun by an instant showed a clocking of a timesheet as missing. */
export function showedAbsence(evidence: Evidence, story: RecordStory, by: number): boolean {
  if (story.feed !== 'timesheets') return false;
  const served = evidence.history.journal.served.timesheets.get(story.id) ?? [];
  return served
    .filter(({ poll, shape }) => shape === 'good' && (evidence.poll(poll)?.startedAt ?? 0) <= by)
    .some((answer) => KINDS.some((kind) => dueAt(answer, { evidence, story, kind }) !== null));
}

interface Judged {
  readonly story: RecordStory;
  readonly kind: Kind;
  /** Events about this clocking of the timesheet, in order. */
  readonly events: readonly Told[];
}

/** Every event is true of an answer at its time, and takes turns with its opposite. */
function judgeTelling(evidence: Evidence, { story, kind, events }: Judged): void {
  let standing: Told | null = null;
  for (const event of events) {
    const isEnd = event.type.endsWith('_ended');
    const wrong = isEnd
      ? wrongEnd(event, standing, { evidence, story, kind })
      : wrongMissing(event, standing, { evidence, story, kind });
    if (wrong !== null)
      evidence.violate(`timesheets ${story.id}`, `${event.sequence} ${event.type}: ${wrong}`);
    standing = isEnd ? null : event;
  }
}

interface Around extends Omit<Judged, 'events'> {
  readonly evidence: Evidence;
}

function wrongMissing(event: Told, standing: Told | null, around: Around): string | null {
  if (standing !== null && !wasRemovedBetween(standing, event, around)) return 'told already';
  const dues = answersAt(event, around).map((answer) => dueAt(answer, around));
  const said = event.data.occurredAt;
  const isTrue = dues.some((due) => due !== null && new Date(due).toISOString() === said);
  if (!isTrue) return `no answer of its time shows it since ${String(said)}`;
  const { field } = around.kind;
  const current = event.data.current as Watched;
  return current[field] === said ? null : `${field} is ${String(current[field])}`;
}

function wrongEnd(event: Told, standing: Told | null, around: Around): string | null {
  if (standing === null) return 'nothing was told that it ends';
  const isTrue = answersAt(event, around).some((answer) => dueAt(answer, around) === null);
  return isTrue ? null : 'every answer of its time still shows it';
}

/** A removal ends what is missing, without an event about that. */
function wasRemoved(
  { evidence, story }: Pick<Around, 'evidence' | 'story'>,
  from: number,
  to: number,
): boolean {
  const events = evidence.told.timesheets.get(story.id) ?? [];
  return events.some(({ type, by }) => type.endsWith('.removed') && from <= by && by <= to);
}

/** By the order of the events: of two polls side by side, the later answer may be told first. */
function wasRemovedBetween(
  from: Told,
  to: Told,
  { evidence, story }: Pick<Around, 'evidence' | 'story'>,
): boolean {
  const events = evidence.told.timesheets.get(story.id) ?? [];
  return events.some(
    (event) => event.type.endsWith('.removed') && isBefore(from, event) && isBefore(event, to),
  );
}

function isBefore(one: Told, other: Told): boolean {
  return one.epoch === other.epoch ? one.sequence < other.sequence : one.epoch < other.epoch;
}

function answersAt({ by }: Told, { evidence, story }: Around): readonly Served[] {
  const served = evidence.history.journal.served.timesheets.get(story.id) ?? [];
  return served.filter(({ receivedAt, shape }) => receivedAt === by && shape === 'good');
}

/** Since when an answer shows the clocking as missing; null when it does not. */
function dueAt({ version, requestedAt }: Served, { evidence, story, kind }: Around): number | null {
  const watched = evidence.watched('timesheets', story.id, version);
  if (watched === null || !isAwaited(watched, kind)) return null;
  const { timeZone } = evidence.history.settings.connection;
  const planned = plannedAt(watched, kind, timeZone);
  if (planned === null) return null;
  const wait = thresholdAt(planned, evidence.history.absencePeriods, kind);
  return wait === undefined || planned + wait > requestedAt ? null : planned + wait;
}

function isAwaited(watched: Watched, { name }: Kind): boolean {
  const { clockIn, clockOut, approvedHours, approvedPayroll, processed, includesLeave } = watched;
  if ([approvedHours, approvedPayroll, processed].some((value) => value !== null)) return false;
  return name === 'clock_in'
    ? clockIn === null && includesLeave === false
    : clockIn !== null && clockOut === null;
}

/** Null when the timesheet does not say. Of a time that occurs twice, the first. */
function plannedAt(watched: Watched, { planned }: Kind, timeZone: string): number | null {
  const [start, finish] = [watched.startTime, watched.finishTime].map((text) =>
    text === null ? null : firstOf(String(text), timeZone),
  );
  if (planned === 'startTime' || start == null || finish == null)
    return (planned === 'startTime' ? start : finish) ?? null;
  if (finish >= start) return finish;
  const tomorrow = finish + offsetAt(finish, timeZone) + DAY_MS;
  return firstOf(new Date(tomorrow).toISOString().slice(0, -1), timeZone);
}

function firstOf(text: string, timeZone: string): number {
  return Math.min(...instantsOf(text, timeZone));
}

function thresholdAt(
  planned: number,
  periods: readonly AbsencePeriod[],
  { threshold }: Kind,
): number | undefined {
  return periods.findLast(({ since }) => since <= planned)?.[threshold];
}

/** What a complete poll saw last, without another poll beside it, is as it was told by then. */
function judgeSeen(evidence: Evidence, judged: Judged): void {
  const { history } = evidence;
  // Which answer counts is not known, facts are held back, or what was told is lost.
  if (evidence.isUncertain || history.settings.takenFact != null || history.journal.lost.length > 0) return;
  for (const poll of history.journal.polls) {
    if (poll.report?.outcome !== 'complete' || poll.feed !== 'timesheets' || !isAlone(poll, evidence))
      continue;
    const answer = findLastAnswer(evidence, judged.story, poll);
    if (answer !== null) judgeAnswer(evidence, judged, answer);
  }
}

function isAlone({ number, feed, startedAt, endedAt }: PollEntry, { history }: Evidence): boolean {
  return history.journal.polls.every(
    (other) =>
      other.number === number ||
      other.feed !== feed ||
      other.startedAt > (endedAt ?? 0) ||
      (other.endedAt ?? other.deadline) < startedAt,
  );
}

/** The last good answer about a date that the poll requested. */
function findLastAnswer(evidence: Evidence, { id }: RecordStory, { number }: PollEntry): Served | null {
  const served = evidence.history.journal.served.timesheets.get(id) ?? [];
  const last = served.findLast(({ poll }) => poll === number);
  if (last === undefined || last.shape !== 'good') return null;
  const slice = evidence.slice('timesheets', id, last.version);
  const walk = last.walk === null ? undefined : evidence.history.journal.walks[last.walk];
  if (walk === undefined || slice === null || !walk.complete || !covers(walk, slice)) return null;
  // What was read is read anew where another poll committed meanwhile: the last list of the date counts.
  const isLast = evidence.walks.findLast((each) => each.poll === number && covers(each, slice)) === walk;
  return isLast ? last : null;
}

function judgeAnswer(evidence: Evidence, { story, kind, events }: Judged, answer: Served): void {
  const due = dueAt(answer, { evidence, story, kind });
  const { receivedAt, requestedAt } = answer;
  const last = events.findLast(({ by }) => by <= receivedAt);
  const isTold =
    last !== undefined &&
    !last.type.endsWith('_ended') &&
    !wasRemoved({ evidence, story }, last.by, receivedAt);
  const about = `timesheets ${story.id}`;
  const when = new Date(receivedAt).toISOString();
  if (due === null && isTold)
    evidence.violate(about, `lost: ${kind.name} came by ${when} and no event ended it`, 'lost');
  const isTellable = due !== null && requestedAt - due <= DAY_MS && !mayBeBaselined(story, due);
  if (isTellable && !isTold)
    evidence.violate(about, `lost: ${kind.name} was missing at ${when} and not told`, 'lost');
}

/** Taken over silently by a baseline when it was missing already. */
function mayBeBaselined({ bases }: RecordStory, due: number): boolean {
  return bases.some(({ toldAt }) => toldAt >= due - CLOCK_SKEW_MS);
}
