import { createWebhookStateStore } from '#shared/adapters/dynamo/deliveries/webhook-state-store.ts';
import { toIso } from '#shared/core/dates.ts';
import { FEED_NAMES } from '#shared/core/feeds.ts';
import { formatCommand } from '#shared/terminal/format-command.ts';
import { findRecentOutage, isGivenUp, type Outage } from '#shared/webhooks/acceptance.ts';
import { type Target, toTableOptions } from '../target.ts';
import { findDeliveries, findLedgerReceivers } from './find-deliveries.ts';

/** What a webhook lacks of a time in which it took nothing for longer than an event is kept for it. */
export interface MissedEvents {
  readonly outage: Outage;
  readonly events: number;
  /** RFC 3339: when the first and the last of them were committed. */
  readonly first: string;
  readonly last: string;
  /** Sends them again. */
  readonly command: string;
}

/** Null when it lacks nothing, as after the replay. Reads the log of that time, and what became of each event. */
export async function findMissedEvents(webhook: string, target: Target): Promise<MissedEvents | null> {
  // Its clock is not that of the log.
  if (target.webhooksInRealTime === true) return null;
  const now = target.system.now();
  const known = await createWebhookStateStore(toTableOptions(target)).loadAcceptance(webhook);
  const outage = findRecentOutage(known, now);
  if (outage === null) return null;
  const label = `webhooks/${webhook}`;
  const queries = target.connections.map((connection) => ({ connection, feeds: FEED_NAMES, ...outage }));
  const missed: string[] = [];
  for await (const each of findDeliveries(queries, findLedgerReceivers(label, target), target)) {
    const { delivery, committedAt } = each;
    const heardOf = delivery?.at ?? Date.parse(committedAt);
    if (isGivenUp(delivery?.outcome ?? null, heardOf, now)) missed.push(committedAt);
  }
  const [first, last] = [missed.toSorted()[0], missed.toSorted().at(-1)];
  if (first === undefined || last === undefined) return null;
  const until = toIso(Date.parse(last) + 1);
  const command = formatCommand(target, 'replay', '--since', first, '--until', until, '--to', label);
  return { outage, events: missed.length, first, last, command };
}
