import type { Webhook } from '#shared/config/schema/webhook.ts';
import type { DeliveryStore } from '#shared/flow/deliveries.ts';
import type { EventPublisher } from '#shared/flow/poll/ports.ts';
import type { Clock, Telemetry } from '#shared/flow/system.ts';
import type { Acceptance, Outage } from '../acceptance.ts';
import type { DisabledWebhook } from '../disabled-webhook.ts';

export interface OutgoingWebhookRequest {
  readonly url: string;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether the text of the answer is wanted. */
  readonly readsAnswer?: boolean;
}

/** Durations in milliseconds. */
export type WebhookAnswer =
  | {
      readonly outcome: 'answered';
      readonly status: number;
      /** `Retry-After`, from now. */
      readonly retryAfterMs: number | null;
      readonly durationMs: number;
      /** The start of it; absent when it is not wanted. */
      readonly text?: string;
    }
  | {
      readonly outcome: 'unanswered';
      /**
       * Stable code: `timeout`, `connection_failed`, `tls_failed`, `name_unknown`, `target_forbidden`,
       * `answer_too_long`, `answer_invalid`.
       */
      readonly reason: string;
      readonly durationMs: number;
    };

export interface WebhookClient {
  /** Never throws for what the endpoint or the network does. */
  post(request: OutgoingWebhookRequest): Promise<WebhookAnswer>;
}

/** What authenticates a request: the headers of the Standard Webhooks specification, and those of the secret. */
export type SignedHeaders = Readonly<Record<string, string>>;

/**
 * From looking up the name of an endpoint to its status. The Standard Webhooks specification proposes 15 to 30 s; an
 * invocation of 60 s has time for a token and two requests of this length.
 */
export const REQUEST_TIMEOUT_MS = 15_000;
/** Longest wait for a token of the endpoint. */
export const TOKEN_TIMEOUT_MS = 4_000;

export interface WebhookSigner {
  /**
   * Signs with every current secret; `fresh` reads the secret again and obtains another token. `at`: milliseconds since
   * 1970. Throws `NotifierError` `secret_unreadable`, `secret_invalid`, or `token_refused` when the endpoint's token
   * server gives none.
   */
  sign(
    message: { readonly id: string; readonly at: number; readonly body: string },
    ask: { readonly fresh: boolean },
  ): Promise<SignedHeaders>;
}

/** OAuth 2 client credentials. */
export interface ClientCredentials {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope?: string | undefined;
  readonly audience?: string | undefined;
}

export interface EndpointTokens {
  /** A token; with `fresh` another one than before. Throws `NotifierError` `token_refused`. */
  find(credentials: ClientCredentials, ask: { readonly fresh: boolean }): Promise<string>;
}

/** The queue of one webhook, and its dead-letter queue. */
export interface WebhookQueue {
  /** Sends a message that arrives after `delaySeconds`, at most 900. */
  sendLater(body: string, delaySeconds: number): Promise<void>;
  /** Sends a message to the dead-letter queue. */
  giveUp(body: string): Promise<void>;
}

/** State of a webhook besides its messages. */
export interface WebhookStateStore {
  loadDisabled(webhook: string): Promise<DisabledWebhook | null>;
  saveDisabled(webhook: string, disabled: DisabledWebhook | null): Promise<void>;
  /** Saves unless something is saved; returns what is stored then. */
  saveDisabledIfAbsent(webhook: string, disabled: DisabledWebhook): Promise<DisabledWebhook>;
  /** Replaces what is saved, if it is still the same; returns what is stored then, null for nothing. */
  replaceDisabled(
    webhook: string,
    from: DisabledWebhook,
    to: DisabledWebhook,
  ): Promise<DisabledWebhook | null>;
  loadAcceptance(webhook: string): Promise<Acceptance | null>;
  saveAcceptance(webhook: string, acceptance: Acceptance): Promise<void>;
}

export interface WebhookPorts {
  readonly client: WebhookClient;
  readonly signer: WebhookSigner;
  readonly queue: WebhookQueue;
  readonly deliveryStore: DeliveryStore;
  readonly stateStore: WebhookStateStore;
  /** For operational events. */
  readonly publisher: EventPublisher;
  /** Without it, nobody is offered what a long outage left out. */
  readonly acceptances?: { note(now: number): Promise<Outage | null> };
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly telemetry: Telemetry;
}

/** State of one batch for one webhook. */
export interface WebhookRun {
  readonly ports: WebhookPorts;
  readonly webhook: Webhook;
  /** Name in the delivery store: `webhook/{name}`. */
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
