import type { FeedName } from '#shared/core/feeds.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import type { Journal } from '../journal.ts';
import type { PollLife } from '../ports/poll-life.ts';
import type { Breadth } from './breadth.ts';
import { type EventLog, expiringStore } from './expiring-store.ts';
import { isAmong } from './share.ts';

/** The features of a history, as the ports of its polls use them. */
export interface BroadSite {
  readonly breadth: Breadth;
  readonly journal: Journal;
  readonly log: EventLog;
}

/** A store whose events expire, in histories with a short retention. */
export function forgetful(
  store: SnapshotStore,
  { breadth, journal, log }: BroadSite,
  { poll, time, faults }: PollLife,
): SnapshotStore {
  if (breadth.retentionDays === null) return store;
  const noteGone = (texts: readonly string[], feed: FeedName) => {
    const published = new Set(journal.publications.map(({ text }) => text));
    const lost = texts.filter((text) => !published.has(text));
    for (const text of lost) journal.noteLost({ poll, at: time(), text, reason: 'expired' });
    journal.expiries.push({ at: time(), feed });
    faults.note('batch_expired');
  };
  return expiringStore(store, { log, time, noteGone });
}

/** Whether the topics refuse an event for good; those of operations are never refused. */
export function isRefused({ breadth }: Pick<BroadSite, 'breadth'>, text: string): boolean {
  if (breadth.refusedShare === 0) return false;
  const { id, type } = JSON.parse(text) as { id: string; type: string };
  return /\.(?:timesheet|pay_period)\./.test(type) && isAmong(id, breadth.refusedShare, 1);
}
