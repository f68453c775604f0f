import * as z from 'zod';
import { cleanCode, cleanText, fitLine } from './clean-text.ts';
import { formatMoment } from './moments.ts';
import { formatCount } from './numbers.ts';
import { count, operationEvent } from './operation-events.ts';
import { type Audience, instant, toTimeContext } from './record-events.ts';

/** An event about delivery to a webhook, as far as its sentence needs it. */
export const webhookEventSchema = z.discriminatedUnion('type', [
  operationEvent('workforce.delivery.failed', {
    webhook: z.string(),
    eventId: z.string(),
    eventType: z.string(),
    attempts: count,
    reason: z.string(),
  }),
  operationEvent('workforce.delivery.recovered', {
    webhook: z.string(),
    eventId: z.string(),
    eventType: z.string(),
    failedAt: instant,
  }),
  operationEvent('workforce.webhook.disabled', { webhook: z.string(), reason: z.string() }),
  operationEvent('workforce.webhook.enabled', { webhook: z.string(), disabledAt: instant }),
]);
type WebhookEvent = z.output<typeof webhookEventSchema>;

export function toWebhookSentence(event: WebhookEvent, audience: Audience): string {
  const timeContext = toTimeContext(event.time, audience);
  const momentOf = (text: string) => formatMoment(Date.parse(text), timeContext);
  return fitLine(describeDelivering(event, momentOf), '.');
}

function describeDelivering(event: WebhookEvent, momentOf: (text: string) => string): string {
  const webhook = `The webhook ${cleanText(event.data.webhook)}`;
  switch (event.type) {
    case 'workforce.delivery.failed':
      return `${webhook} did not accept ${describeEvent(event.data)}; ${describeAttempts(event.data)}`;
    case 'workforce.delivery.recovered': {
      const { failedAt } = event.data;
      return `${webhook} accepted ${describeEvent(event.data)} after all; it was given up at ${momentOf(failedAt)}`;
    }
    case 'workforce.webhook.disabled':
      return `${webhook} asked for no more events (it answered ${cleanText(event.data.reason)}); nothing is sent to it until its address in the config changes`;
    case 'workforce.webhook.enabled':
      return `${webhook} gets events again; it had been disabled since ${momentOf(event.data.disabledAt)}; what it missed is in its dead-letter queue`;
  }
}

function describeEvent({ eventType, eventId }: { eventType: string; eventId: string }): string {
  return `the event ${cleanCode(eventType.replace(/^workforce\./, ''))} ${cleanText(eventId)}`;
}

function describeAttempts({ attempts, reason }: { attempts: number; reason: string }): string {
  const after = attempts === 0 ? 'it was not tried' : `given up after ${formatCount(attempts, 'attempt')}`;
  return `${after} (${cleanText(reason)})`;
}
