import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import * as z from 'zod';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';

export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The verdict of a receiver on a request. */
export type WebhookVerdict =
  | {
      readonly outcome: 'verified';
      /** Event id, for dropping repeats. */
      readonly id: string;
      /** Without the prefix `workforce.`. */
      readonly type: string;
      /** Id of the record; empty for other events. */
      readonly subject: string;
      readonly sequence: number;
      readonly replayed: boolean;
      readonly example: boolean;
    }
  | { readonly outcome: 'refused'; readonly reason: string };

/** The parts of an event that the verdict names. */
const eventSchema = z.looseObject({
  id: z.string(),
  type: z.string(),
  subject: z.string().default(''),
  sequence: z.number(),
});

/**
 * Checks a request as an independent receiver would, with the Standard Webhooks library, the real time, and no code of
 * the notifier.
 */
export function checkWebhook({ headers, body }: SignedRequest, secret: string): WebhookVerdict {
  try {
    new Webhook(secret).verify(body, headers, { jsonParse: false });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return { outcome: 'refused', reason: error.message };
  }
  const event = readEvent(body);
  if (event === null) return { outcome: 'refused', reason: 'the body is not an event' };
  const { id, type, subject, sequence } = event;
  if (headers['webhook-id'] !== id)
    return { outcome: 'refused', reason: 'webhook-id is not the id of the event' };
  return {
    outcome: 'verified',
    id,
    type: type.replace(/^workforce\./, ''),
    subject,
    sequence,
    replayed: headers['webhook-replayed'] === 'true',
    example: headers['webhook-example'] === 'true',
  };
}

function readEvent(body: string): z.output<typeof eventSchema> | null {
  return eventSchema.safeParse(parseJsonOrNull(body)).data ?? null;
}
