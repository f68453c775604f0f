import type { DisabledWebhook } from '../core/webhooks/disabled-webhook.ts';

/** One attempt to hand an event to a webhook. Headers are in lower case. */
export interface OutgoingWebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What came of an attempt. Durations in milliseconds. */
export type WebhookAnswer =
  | {
      readonly outcome: 'answered';
      readonly status: number;
      /** What `Retry-After` asks for, from now. */
      readonly retryAfterMs: number | null;
      readonly durationMs: number;
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

/** Headers that prove where a request comes from, after the Standard Webhooks specification. */
export type SignedHeaders = Readonly<
  Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>
>;

export interface WebhookSigner {
  /**
   * Signs with every secret that lives; `fresh` reads them anew. `at`: milliseconds since 1970. Throws `NotifierError`
   * `secret_unreadable` or `secret_invalid`.
   */
  sign(
    message: { readonly id: string; readonly at: number; readonly body: string },
    ask: { readonly fresh: boolean },
  ): Promise<SignedHeaders>;
}

/** The queue of one webhook, and the one for what is given up. */
export interface WebhookQueue {
  /** Sends a message that comes back after so many seconds, at most 900. */
  sendLater(body: string, delaySeconds: number): Promise<void>;
  giveUp(body: string): Promise<void>;
}

/** What is remembered of a webhook besides its messages. */
export interface WebhookStateStore {
  loadDisabled(webhook: string): Promise<DisabledWebhook | null>;
  saveDisabled(webhook: string, disabled: DisabledWebhook | null): Promise<void>;
  /** Saves it where nothing is saved yet. Answers what is then there: this, or what somebody else saved before. */
  saveDisabledIfAbsent(webhook: string, disabled: DisabledWebhook): Promise<DisabledWebhook>;
  /**
   * Sequence of the last event of a record, in one epoch of it, that the endpoint took, or that was given up; null before
   * the first.
   */
  loadCursor(webhook: string, record: string): Promise<number | null>;
  /** Moves the cursor forward; a cursor that is further on already stays. */
  advanceCursor(webhook: string, record: string, to: { sequence: number; expiresAt: number }): Promise<void>;
}
