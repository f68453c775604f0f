import * as z from 'zod';
import { QUEUE_RETENTION_DAYS } from '../core/delivery-retention.ts';

const DAY_MS = 86_400_000;
/** Its instant is written at most so often. */
const NOTED_EVERY_MS = 3_600_000;
/** Longer than SQS keeps an event, and longer than one is tried. */
const LONG_MS = QUEUE_RETENTION_DAYS * DAY_MS;

/** A time in which a webhook took nothing. Instants in milliseconds since 1970. */
const outageSchema = z.object({ from: z.number(), to: z.number() });
export type Outage = z.output<typeof outageSchema>;

/** When a webhook took an event, within an hour, and the last time that it took none for longer than one is kept. */
export const acceptanceSchema = z.object({ at: z.number(), outage: outageSchema.exactOptional() });
export type Acceptance = Readonly<z.output<typeof acceptanceSchema>>;

/** What an accepted event leaves to be saved; null when that was saved within the hour. */
export function followAcceptance(known: Acceptance | null, now: number): Acceptance | null {
  if (known === null) return { at: now };
  if (now - known.at < NOTED_EVERY_MS) return null;
  if (now - known.at <= LONG_MS) return { ...known, at: now };
  // Of one that is still offered, nobody may have sent again what it left out.
  return { at: now, outage: { from: findRecentOutage(known, now)?.from ?? known.at, to: now } };
}

/** How long after its end it is offered to send the events of an outage again. */
const OFFERED_MS = 30 * DAY_MS;
/** What was not heard of for longer is in no queue any more: a day beyond what SQS keeps, for clocks and what waited before. */
const LOST_MS = LONG_MS + DAY_MS;

/** The outage whose events may have to be sent again; null when there was none of late. */
export function findRecentOutage(known: Acceptance | null, now: number): Outage | null {
  const { outage } = known ?? {};
  return outage !== undefined && now - outage.to < OFFERED_MS ? outage : null;
}

/** Whether nothing brings an event to the webhook by itself any more. `at`: when it was heard of last. */
export function isGivenUp(
  outcome: 'waiting' | 'delivered' | 'failed' | null,
  at: number,
  now: number,
): boolean {
  if (outcome === 'failed') return true;
  return (outcome === 'waiting' || outcome === null) && now - at > LOST_MS;
}
