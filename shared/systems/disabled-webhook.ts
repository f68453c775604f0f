import * as z from 'zod';

/** An endpoint that answered 410 Gone and gets no more events. Instants in milliseconds since 1970. */
export const disabledWebhookSchema = z.object({
  /** The address that gave the answer. */
  url: z.string(),
  at: z.number(),
  /** The HTTP status, as text. */
  reason: z.string(),
  /** Connection of the event that it refused. */
  connection: z.string(),
  /** Whether that was published; until then events are still sent. */
  told: z.boolean(),
  /** When a person enabled it, or another address was found in the config: that is to be published. */
  enabledAt: z.number().exactOptional(),
});
export type DisabledWebhook = Readonly<z.output<typeof disabledWebhookSchema>>;

/** No address of a config: events are sent again. */
const NO_URL = '';

/** What a person's command leaves of it. */
export function markEnabled(disabled: DisabledWebhook, now: number): DisabledWebhook {
  return { ...disabled, url: NO_URL, enabledAt: now };
}
