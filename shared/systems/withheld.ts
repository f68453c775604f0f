import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Interest } from './filter.ts';

/** A published event that a webhook wants and that nobody has tried to deliver for so long is withheld. */
export const WITHHELD_AFTER_MS = 30 * 60_000;
/** Events of this time before that are looked at, twice by a check every quarter of an hour: one run may fail. */
export const CHECKED_MS = 30 * 60_000;

/** What the delivery store says of an event at a webhook, as far as it counts here. */
interface Tried {
  readonly outcome: 'waiting' | 'delivered' | 'failed';
  readonly nextAt?: number;
}

/** Whether nobody has tried an event, or its next attempt is overdue for so long: its message is not in the queue. */
export function isWithheld(delivery: Tried | null, now: number): boolean {
  if (delivery === null) return true;
  const { outcome, nextAt } = delivery;
  return outcome === 'waiting' && nextAt !== undefined && nextAt <= now - WITHHELD_AFTER_MS;
}

/** Since when a webhook wants what it wants: what was published before was perhaps not sent to it. */
export const knownInterestSchema = z.object({ digest: z.string(), since: z.number() });
export type KnownInterest = Readonly<z.output<typeof knownInterestSchema>>;

/** What is to be remembered of an interest; what is known of it when it is the same. */
export function followInterest(
  known: KnownInterest | null,
  { topics, filter, paused }: Interest & { readonly paused: boolean },
  now: number,
): KnownInterest {
  const digest = createHash('sha256')
    .update(JSON.stringify([topics, filter, paused]))
    .digest('hex');
  return known?.digest === digest ? known : { digest, since: now };
}
