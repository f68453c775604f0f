import type { PollEntry, Walk } from '../journal.ts';
import type { Evidence } from './evidence.ts';

/** Share of its time in which a poll reads: it keeps a quarter to commit and publish. */
const READING_SHARE = 0.74;
/** Share of its time in which a poll publishes: it keeps the last twentieth to save what it found. */
const PUBLISHING_SHARE = 0.94;
/** In a poll this short a page may take three times as long as its own did, by what slower polls measured. */
const SHORT_POLL_MS = 3_000;
const SHORT_POLL_DOUBT = 3;
/** A walk that begins within this share of its poll's time had the whole time. */
const EARLY_SHARE = 0.1;
/** Clocks may differ by this much about the end of a lease. */
const LEASE_SLACK_MS = 15_000;
/** A clock with more skew than this is wrong. */
const WRONG_CLOCK_MS = 60_000;

/** Whether nothing excuses a poll as a whole: it must read what is due, and publish what it saw. */
export function isAble(evidence: Evidence, poll: PollEntry): boolean {
  const known = answers.get(poll);
  if (known !== undefined) return known;
  const able = isUnexcused(evidence, poll);
  answers.set(poll, able);
  return able;
}

/** Polls no longer change when they are checked. */
const answers = new WeakMap<PollEntry, boolean>();

function isUnexcused(evidence: Evidence, poll: PollEntry): boolean {
  const { endedAt, failure, report, troubles } = poll;
  if (endedAt === null || failure !== null || report === null) return false;
  if (report.outcome === 'skipped') return false;
  return troubles.size === 0 && !hasWrongClock(poll) && !isOverlapped(evidence, poll);
}

/**
 * Whether a poll had no time for so many pages more: at the pace of its requests so far, or for a page that takes as
 * long as all of them together.
 */
export function ranOutOfTime({ startedAt, endedAt, deadline, requests }: PollEntry, pages = 1): boolean {
  if (endedAt === null) return true;
  const usedMs = endedAt - startedAt;
  const doubt = deadline - startedAt <= SHORT_POLL_MS ? SHORT_POLL_DOUBT : 1;
  // The first request of a poll waits for none before it.
  const neededMs = usedMs * Math.max(1, pages / Math.max(1, requests - 1)) * doubt;
  return usedMs + neededMs >= READING_SHARE * (deadline - startedAt);
}

/** Whether a poll has no time to publish at an instant: what it commits then is left to the next one. */
export function isPastPublishing({ startedAt, deadline }: PollEntry, at: number): boolean {
  return at - startedAt >= PUBLISHING_SHARE * (deadline - startedAt);
}

/** Whether a walk failed because of one of these dates, which then waits before its retry. */
export function failedAlone(walk: Walk, dates: readonly string[], poll: PollEntry): boolean {
  return walk.failedOn.some((date) => dates.includes(date)) || tookWholePoll(walk, poll);
}

/** A list of one date that takes longer than its poll counts as a failure of that date. */
function tookWholePoll({ from, to, complete, beganAt }: Walk, poll: PollEntry): boolean {
  const isBegunEarly = beganAt - poll.startedAt <= EARLY_SHARE * (poll.deadline - poll.startedAt);
  return from !== null && from === to && !complete && isBegunEarly && ranOutOfTime(poll);
}

/** A poll may be skipped only while another one may run: until that one ends or is killed. */
export function judgeSkips(evidence: Evidence): void {
  const { polls } = evidence.history.journal;
  for (const poll of polls.filter(({ report }) => report?.outcome === 'skipped')) {
    // Its time was over by its own clock, at the latest when it had read who else polls.
    if (poll.repeatUntil !== undefined && poll.repeatUntil <= clockAtEnd(poll)) continue;
    const holder = polls.find((other) => other !== poll && mayHoldLease(other, poll));
    if (holder === undefined && !hasWrongClock(poll))
      evidence.violate(
        `${poll.feed} polls`,
        `poll ${poll.number} was skipped, though nobody else polled`,
        'skipped',
      );
  }
}

function clockAtEnd({ clockAtStart, startedAt, endedAt }: PollEntry): number {
  return clockAtStart + ((endedAt ?? startedAt) - startedAt);
}

function mayHoldLease(other: PollEntry, { feed, startedAt, endedAt }: PollEntry): boolean {
  if (other.feed !== feed || other.report?.outcome === 'skipped') return false;
  const isOver = other.failure === null && other.endedAt !== null;
  // Its lease ends by its own clock.
  const aheadMs = Math.max(0, other.clockAtStart - other.startedAt);
  const heldUntil = isOver ? (other.endedAt ?? 0) : other.deadline + aheadMs;
  return other.startedAt <= (endedAt ?? startedAt) && startedAt <= heldUntil + LEASE_SLACK_MS;
}

export function hasWrongClock({ startedAt, clockAtStart }: PollEntry): boolean {
  return Math.abs(clockAtStart - startedAt) > WRONG_CLOCK_MS;
}

/** Whether another poll of the feed ran at the same time: either of the two may publish a change. */
export function isOverlapped({ history }: Evidence, poll: PollEntry): boolean {
  return history.journal.polls.some((other) => {
    if (other === poll || other.feed !== poll.feed || other.report?.outcome === 'skipped') return false;
    const isOver = other.failure === null && other.endedAt !== null;
    // A crashed poll holds its lease until the lease ends by any clock.
    const overBy = isOver ? (other.endedAt ?? 0) : other.deadline + LEASE_SLACK_MS;
    return other.startedAt < (poll.endedAt ?? poll.deadline) && poll.startedAt < overBy;
  });
}
