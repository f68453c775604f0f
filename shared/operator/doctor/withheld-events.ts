import { createInterestStore } from '#shared/adapters/dynamo/deliveries/interest-store.ts';
import { isWithheld, WITHHELD_AFTER_MS } from '#shared/systems/withheld.ts';
import { formatCommand } from '#shared/terminal/format-command.ts';
import { findDeliveries } from '../deliveries/find-deliveries.ts';
import { findReceiver, WITH_DELIVERIES } from '../receivers.ts';
import { type Target, toTableOptions } from '../target.ts';

const DAY_MS = 86_400_000;

/** What a webhook wants of the last day, and nobody has tried for half an hour. */
interface WithheldEvents {
  readonly events: number;
  /** RFC 3339: when the first of them was committed. */
  readonly first: string;
  /** Sends them again. */
  readonly command: string;
}

/** Null when there are none, or nothing is known yet of what the webhook wants. */
export async function findWithheldEvents(webhook: string, target: Target): Promise<WithheldEvents | null> {
  // Its clock is not that of the log.
  if (target.webhooksInRealTime === true) return null;
  const now = target.system.now();
  const interest = await createInterestStore(toTableOptions(target)).load(webhook);
  if (interest === null) return null;
  const to = now - WITHHELD_AFTER_MS;
  const from = Math.max(interest.since, now - DAY_MS);
  if (from >= to) return null;
  const queries = target.connections.map((connection) => ({ connection, from, to }));
  const withheld: string[] = [];
  for await (const each of findDeliveries(queries, [findReceiver(webhook, WITH_DELIVERIES, target)], target))
    if (isWithheld(each.delivery, now)) withheld.push(each.committedAt);
  const [first] = withheld.toSorted();
  if (first === undefined) return null;
  const command = formatCommand(target, 'send', '--events', '--since', first, '--to', webhook);
  return { events: withheld.length, first, command };
}
