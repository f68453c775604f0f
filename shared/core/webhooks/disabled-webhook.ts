/** An endpoint that answered 410 Gone and gets no more events. */
export interface DisabledWebhook {
  /** The address that gave the answer. */
  readonly url: string;
  /** When, in milliseconds since 1970. */
  readonly at: number;
  /** The HTTP status, as text. */
  readonly reason: string;
  /** Connection of the event that it refused. */
  readonly connection: string;
  /** Whether `webhook.disabled` was published; until then events are still sent. */
  readonly told: boolean;
}
