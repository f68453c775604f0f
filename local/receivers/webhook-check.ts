import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import * as z from 'zod';

/** A request as a receiver gets it. */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a receiver thinks of a request. */
export type WebhookVerdict =
  | {
      readonly outcome: 'verified';
      /** Id to drop repeats by. */
      readonly id: string;
      /** Without its prefix. */
      readonly type: string;
      /** Id of the record; empty when the event is of none. */
      readonly subject: string;
      readonly sequence: number;
      readonly replayed: boolean;
      readonly example: boolean;
    }
  | { readonly outcome: 'refused'; readonly reason: string };

/** As much of an event as a stranger needs to say what came. */
const eventSchema = z.looseObject({
  id: z.string(),
  type: z.string(),
  subject: z.string().default(''),
  sequence: z.number(),
});

/**
 * Checks a request as somebody would who knows the Standard Webhooks specification and our documentation, and nothing
 * of our code: with the library, and by the real time.
 */
export function checkWebhook({ headers, body }: SignedRequest, secret: string): WebhookVerdict {
  try {
    new Webhook(secret).verify(body, headers, { jsonParse: false });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return { outcome: 'refused', reason: error.message };
  }
  const event = readEvent(body);
  if (event === null) return { outcome: 'refused', reason: 'the body is no event' };
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
  try {
    const result = eventSchema.safeParse(JSON.parse(body));
    return result.success ? result.data : null;
  } catch {
    // A body that is no JSON is no event.
    return null;
  }
}
