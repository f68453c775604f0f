/** Outcome of one event, or one message to people, at one destination. */
export interface Delivery {
  readonly eventId: string;
  /** `webhook/{name}`, `slack/{name}`, `teams/{name}` or `email/{name}`. */
  readonly destination: string;
  readonly outcome: 'waiting' | 'delivered' | 'failed';
  /** Instant of the outcome, in milliseconds since 1970. */
  readonly at: number;
  readonly attempts: number;
  /** Last HTTP status or reason; null after a success. */
  readonly detail: string | null;
  /** Why each attempt failed, oldest first: HTTP statuses and reasons. Absent when none failed. */
  readonly answers?: readonly string[];
  /** When it is tried again, in milliseconds since 1970. Absent when it is not. */
  readonly nextAt?: number;
  /**
   * When it was told that it was given up, in milliseconds since 1970. Of a delivered one: that it was delivered after all
   * is not known to be published.
   */
  readonly failedAt?: number;
}

/** Remembers deliveries for as long as events are kept. */
export interface DeliveryStore {
  load(eventId: string, destination: string): Promise<Delivery | null>;
  save(delivery: Delivery, expiresAt: number): Promise<void>;
}

/** Reads deliveries of many events. */
export interface DeliveryIndex {
  /** Those that exist, in the order of what was asked for. */
  loadMany(deliveries: readonly Pick<Delivery, 'eventId' | 'destination'>[]): Promise<readonly Delivery[]>;
}
