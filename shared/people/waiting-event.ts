import * as z from 'zod';

/** How long an event may wait for others of its group, so that they are read as one message. */
export const DELAYS_MS = { now: 0, minute: 60_000, hour: 3_600_000 } as const;
export type Delay = keyof typeof DELAYS_MS;

/**
 * An event that waits for people in a channel. It becomes text when it is sent: names, what came after it and what undid
 * it are known then. Members of a later version are ignored.
 */
export const waitingEventSchema = z.object({
  /** Id of the event: what comes twice waits once. */
  id: z.string(),
  /** The event as it was published, as JSON. */
  text: z.string(),
  /** When it was seen, in milliseconds since 1970. */
  at: z.number(),
  delay: z.enum(Object.keys(DELAYS_MS) as [Delay, ...Delay[]]),
  /** Sent in quiet hours, too. */
  urgent: z.boolean(),
  /** The channel is told of it only since it ends a missing clocking. */
  endsClocking: z.boolean().optional(),
});
export type WaitingEvent = Readonly<z.output<typeof waitingEventSchema>>;
