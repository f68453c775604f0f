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
  /**
   * When a person enabled it, or another address was found in the config, in milliseconds since 1970: `webhook.enabled` is
   * to be published.
   */
  readonly enabledAt?: number;
}

/** No address of a config, so that versions which do not know `enabledAt` send events again, too. */
const NO_URL = '';

/** What a person's command leaves of it. */
export function markEnabled(disabled: DisabledWebhook, now: number): DisabledWebhook {
  return { ...disabled, url: NO_URL, enabledAt: now };
}
