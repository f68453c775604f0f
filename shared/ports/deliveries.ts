/** Where an event went and what became of it. */
export interface Delivery {
  readonly eventId: string;
  /** `webhook/{name}`, `slack/{name}` or `email/{name}`. */
  readonly destination: string;
  /** `filtered`: not sent, since the destination does not want such events. */
  readonly outcome: 'waiting' | 'delivered' | 'failed' | 'filtered';
  /** Instant of the outcome, in milliseconds since 1970. */
  readonly at: number;
  readonly attempts: number;
  /** Last HTTP status or reason; null when there is nothing to say. */
  readonly detail: string | null;
}

/** Remembers deliveries for as long as events are kept. */
export interface DeliveryLedger {
  load(eventId: string, destination: string): Promise<Delivery | null>;
  save(delivery: Delivery, expiresAt: number): Promise<void>;
  /** All deliveries of an event, in order of their destinations. */
  loadByEvent(eventId: string): Promise<readonly Delivery[]>;
}
