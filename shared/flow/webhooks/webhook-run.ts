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

/** State of one batch for one webhook. */
export interface WebhookRun {
  readonly ports: WebhookPorts;
  readonly webhook: Webhook;
  /** Name in the ledger: `webhook/{name}`. */
  readonly destination: string;
  /** When the batch must be done, in milliseconds since 1970. */
  readonly deadline: number;
  /** Milliseconds for which deliveries are remembered. */
  readonly retentionMs: number;
  /** The endpoint answered 410. */
  disabled: boolean;
  /** Shared by all messages that were answered with 410, so that it is saved once. */
  disabling: Promise<void> | null;
}

/** Results of messages. */
export const DELIVERY_RESULTS = [
  'delivered',
  'retried',
  'given_up',
  /** Waits for an earlier event. */
  'held',
  /** Not due yet, or no time left. */
  'put_off',
  /** Settled before. */
  'repeated',
  'filtered',
  /** Not an event of this product. */
  'refused',
  /** A failure of this product; the queue redelivers the message. */
  'interrupted',
] as const;
export type DeliveryResult = (typeof DELIVERY_RESULTS)[number];
