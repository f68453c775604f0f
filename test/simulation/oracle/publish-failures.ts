import { FEED_NAMES, type FeedName } from '#shared/core/feeds.ts';
import type { Loss } from '../journal.ts';
import type { Evidence, Told } from './evidence.ts';
import { isBegun } from './troubles.ts';

/** Most ids in one event about failures. */
const MAX_IDS = 50;
/** Clocks differ by less. */
const CLOCK_SKEW_MS = 15_000;

/**
 * Every committed event is published, or an event of operations names it as lost, with the reason; no other event is
 * named.
 */
export function judgePublishFailures(evidence: Evidence): void {
  for (const feed of FEED_NAMES) {
    const { lost } = evidence.history.journal;
    const own = lost.filter(({ text }) => sourceOf(text).endsWith(`/${feed}`));
    const told = evidence.operations[feed].filter(
      ({ type, data }) => type.startsWith('trouble.') && data.kind === 'publish_failed',
    );
    judgeRefused(evidence, feed, { told, lost: own });
    judgeExpired(evidence, feed, { told, lost: own });
  }
}

interface Failures {
  readonly told: readonly Told[];
  readonly lost: readonly Loss[];
}

function judgeRefused(evidence: Evidence, feed: FeedName, { told, lost }: Failures): void {
  const events = told.filter((each) => isBegun(each) && each.data.cause === 'refused');
  const named = new Map<string, number>();
  for (const { data } of events) {
    for (const id of data.about as string[]) named.set(id, (named.get(id) ?? 0) + 1);
  }
  const refused = new Set(lost.filter(({ reason }) => reason === 'refused').map(({ text }) => idOf(text)));
  const expired = new Set(lost.filter(({ reason }) => reason === 'expired').map(({ text }) => idOf(text)));
  const isCut = events.some(({ data }) => Number(data.count) > MAX_IDS);
  for (const id of refused) {
    if (!named.has(id) && !expired.has(id) && !isCut)
      evidence.violate(`${feed} ${id}`, 'was refused for good, and nobody said so', 'lost');
  }
  for (const [id, times] of named) {
    if (!refused.has(id)) evidence.violate(`${feed} ${id}`, 'is told to be refused, and was not');
    if (times > 1 && !hasBrokenPolls(evidence, feed))
      evidence.violate(`${feed} ${id}`, `is told ${times} times to be refused`);
  }
}

function judgeExpired(evidence: Evidence, feed: FeedName, { told, lost }: Failures): void {
  const turns = told.filter(({ envelope }) => envelope.subject === 'expired');
  const events = turns.filter(isBegun);
  const expired = lost.filter(({ reason }) => reason === 'expired');
  const { expiries } = evidence.history.journal;
  const first = Math.min(...expiries.filter((each) => each.feed === feed).map(({ at }) => at));
  for (const { by } of events) {
    if (!evidence.isUncertain && by < first - CLOCK_SKEW_MS)
      evidence.violate(`${feed} event log`, 'is told to have lost events, and had not');
  }
  for (const { at, text } of expired) {
    const standing = turns.findLast(({ by }) => by < at - CLOCK_SKEW_MS);
    const isStanding = standing !== undefined && isBegun(standing);
    if (!isStanding && !events.some(({ by }) => evidence.isUncertain || by >= at - CLOCK_SKEW_MS))
      evidence.violate(`${feed} ${idOf(text)}`, 'expired unpublished, and nobody said so', 'lost');
  }
}

/** A poll that crashed or met a conflict may leave its events about failures to be repeated. */
function hasBrokenPolls({ history }: Evidence, feed: FeedName): boolean {
  return history.journal.polls.some(
    (poll) =>
      poll.feed === feed &&
      (poll.report === null || poll.report.counts.conflicts > 0 || history.faults.has('overlapping_polls')),
  );
}

function idOf(text: string): string {
  return (JSON.parse(text) as { id: string }).id;
}

function sourceOf(text: string): string {
  return (JSON.parse(text) as { source: string }).source;
}
