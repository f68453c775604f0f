import type { Webhook } from '#shared/config/schema/webhook.ts';
import type { DeliveryLedger } from '#shared/ports/deliveries.ts';
import type { EventPublisher } from '#shared/ports/poll.ts';
import type { Clock, Telemetry } from '#shared/ports/system.ts';
import type {
  WebhookClient,
  WebhookQueue,
  WebhookSigner,
  WebhookStateStore,
} from '#shared/ports/webhooks.ts';

/** What delivering to a webhook needs from the world. */
export interface WebhookPorts {
  readonly client: WebhookClient;
  readonly signer: WebhookSigner;
  readonly queue: WebhookQueue;
  readonly ledger: DeliveryLedger;
  readonly stateStore: WebhookStateStore;
  /** For operational events. */
  readonly publisher: EventPublisher;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly telemetry: Telemetry;
}

/** One batch for one webhook. */
export interface WebhookRun {
  readonly ports: WebhookPorts;
  readonly webhook: Webhook;
  /** How the ledger calls it. */
  readonly destination: string;
  /** Instant after which nothing may be on its way any more. */
  readonly deadline: number;
  /** How long deliveries are remembered. */
  readonly retentionMs: number;
  /** The endpoint wants no more events. */
  disabled: boolean;
  /** The one who writes that down, for all messages that were answered so. */
  disabling: Promise<void> | null;
}

/** What became of a message. */
export const DELIVERY_RESULTS = [
  'delivered',
  'retried',
  'given_up',
  /** It waits for an event before it. */
  'held',
  /** It is not due yet, or there was no time left. */
  'put_off',
  /** It was settled before. */
  'repeated',
  'filtered',
  /** It is no event of ours. */
  'refused',
  /** Something of our own failed: the message comes back. */
  'interrupted',
] as const;
export type DeliveryResult = (typeof DELIVERY_RESULTS)[number];
