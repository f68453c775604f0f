import * as z from 'zod';

/** Outcome of one event, or one message to people, at one destination. Instants in milliseconds since 1970. */
export const deliverySchema = z.object({
  /** `filtered`: not sent, since the destination does not subscribe to it. */
  outcome: z.enum(['waiting', 'delivered', 'failed', 'filtered']).catch('waiting'),
  at: z.number(),
  attempts: z.int(),
  /** Last HTTP status or reason; null after a success. */
  detail: z.string().nullable(),
  /** Why each attempt failed, oldest first: HTTP statuses and reasons. Absent when none failed. */
  answers: z.array(z.string()).readonly().exactOptional(),
  /** When it is tried again. Absent when it is not. */
  nextAt: z.number().exactOptional(),
  /** When `delivery.failed` was published about it. Of a delivered one: `delivery.recovered` is not known to be published. */
  failedAt: z.number().exactOptional(),
});
/** `destination`: `webhook/{name}`, `slack/{name}`, `teams/{name}` or `email/{name}`. */
export type Delivery = Readonly<z.output<typeof deliverySchema>> & {
  readonly eventId: string;
  readonly destination: string;
};

/** Remembers deliveries for as long as events are kept. */
export interface DeliveryLedger {
  load(eventId: string, destination: string): Promise<Delivery | null>;
  save(delivery: Delivery, expiresAt: number): Promise<void>;
}

/** Reads deliveries of many events. */
export interface DeliveryIndex {
  /** Those that exist, in the order of what was asked for. */
  loadMany(deliveries: readonly Pick<Delivery, 'eventId' | 'destination'>[]): Promise<readonly Delivery[]>;
}
