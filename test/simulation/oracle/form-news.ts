import { FORMS } from '../breadth/form-spell.ts';
import type { PollEntry, Served, Walk } from '../journal.ts';
import { hasWrongClock, isAble } from './able-polls.ts';
import { covers, type Evidence, type Told } from './evidence.ts';
import { isBegun } from './troubles.ts';

/** Beyond this number and share of a list, bad records have no events of their own. */
const MAX_SINGLE = 10;
const SINGLE_SHARE = 0.01;
/** Clocks differ by less. */
const CLOCK_SKEW_MS = 15_000;

/** So many records of a list are unreadable that the source must have changed its form. */
function isUnreadable(evidence: Evidence, walk: Walk): boolean {
  const all = [...walk.records.values()];
  const isBad = ({ shape }: Served) => shape !== 'good';
  if (all.filter(isBad).length <= MAX_SINGLE) return false;
  const records = all.filter((served) => isRequested(evidence, walk, served));
  const bad = records.filter(isBad).length;
  return bad > MAX_SINGLE && bad > records.length * SINGLE_SHARE;
}

/** A record of another date does not count, if its date can be read: nobody asked for it. */
function isRequested(evidence: Evidence, walk: Walk, { id, version, shape }: Served): boolean {
  return shape === 'unplaced' || covers(walk, evidence.slice(walk.feed, id, version) ?? '');
}

/** Whether too many records of a list are unreadable for a first scan of a slice. */
export function keepsFromAdoption(evidence: Evidence, walk: Walk, slice: string): boolean {
  if (evidence.history.breadth.form === null || !isUnreadable(evidence, walk)) return false;
  return [...walk.records.values()].some(({ id, version, shape }) => {
    if (shape === 'unplaced') return true;
    return shape === 'bad' && evidence.slice(walk.feed, id, version) === slice;
  });
}

/** A change of the source's form is told with the field, and a poll that saw it is not complete. */
export function judgeForm(evidence: Evidence): void {
  const events = evidence.operations.timesheets.filter(({ envelope }) => envelope.subject === 'form');
  for (const told of events.filter(isBegun)) judgeCause(evidence, told);
  const met = Map.groupBy(
    evidence.walksOf.timesheets.filter((walk) => isUnreadable(evidence, walk)),
    ({ poll }) => poll,
  );
  for (const number of met.keys()) {
    const poll = evidence.poll(number);
    if (poll !== undefined) judgePoll(evidence, poll, events);
  }
}

/** The form had changed, and the event names the field. */
function judgeCause(evidence: Evidence, { by, data }: Told): void {
  const { form } = evidence.history.breadth;
  const isMet = evidence.history.journal.walks.some(
    (walk) => isUnreadable(evidence, walk) && walk.beganAt <= by + CLOCK_SKEW_MS,
  );
  if (form === null || (!isMet && !evidence.isUncertain)) {
    evidence.violate('timesheets form', 'is told to have changed, and had not');
    return;
  }
  const { field } = FORMS[form.form];
  if (!String(data.cause).includes(field))
    evidence.violate('timesheets form', `${field} is not named in ${String(data.cause)}`);
  if (Number(data.count) <= MAX_SINGLE)
    evidence.violate('timesheets form', `${String(data.count)} are told to be bad`);
}

function judgePoll(evidence: Evidence, poll: PollEntry, events: readonly Told[]): void {
  const { number, startedAt, endedAt, report } = poll;
  if (report === null || report.counts.conflicts > 0) return;
  if (report.outcome === 'complete')
    evidence.violate('timesheets form', `poll ${number} could not read its list and calls itself complete`);
  const by = endedAt ?? startedAt;
  const standing = events.findLast((told) => inTrueTime(evidence, told) <= by + CLOCK_SKEW_MS);
  const isTold = events.some((told) => told.by >= startedAt - CLOCK_SKEW_MS && told.by <= by + CLOCK_SKEW_MS);
  if (isAble(evidence, poll) && !isTold && (standing === undefined || !isBegun(standing)))
    evidence.violate('timesheets form', `poll ${number} could not read its list and nobody said so`, 'late');
}

/** When an event was made: a poll with a wrong clock gives it a wrong time. */
function inTrueTime({ history }: Evidence, { by, at }: Told): number {
  const maker = history.journal.polls.find(
    (poll) =>
      poll.feed === 'timesheets' &&
      hasWrongClock(poll) &&
      poll.clockAtStart <= by &&
      by <= poll.clockAtStart + poll.deadline - poll.startedAt,
  );
  return maker === undefined ? by : Math.min(at, by - maker.clockAtStart + maker.startedAt);
}
