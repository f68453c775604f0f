/** An endpoint that wants no more events. */
export interface DisabledWebhook {
  /** The address that answered so. */
  readonly url: string;
  /** When it did, in milliseconds since 1970. */
  readonly at: number;
  /** Its answer. */
  readonly reason: string;
  /** Connection of the event that it answered. */
  readonly connection: string;
  /** Whether this was published; until then events are still tried. */
  readonly told: boolean;
}
