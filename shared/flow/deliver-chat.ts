import type { ChatKind } from '../config/schema/channel.ts';
import { type ChannelMessage, channelMessageSchema } from '../core/alerts/alert.ts';
import { buildSlackPayload } from '../core/alerts/slack-blocks.ts';
import { buildTeamsPayload } from '../core/alerts/teams-card.ts';
import { computeDeliveryRetentionMs } from '../core/delivery-retention.ts';
import { describeFailure } from '../core/errors.ts';
import type { ChatAnswer, ChatDeadLetters, ChatWebhook } from '../ports/alerts.ts';
import type { DeliveryLedger } from '../ports/deliveries.ts';
import type { BatchResult, QueueMessage } from '../ports/queue.ts';
import type { Clock, Telemetry } from '../ports/system.ts';

/** Slack's limit for an incoming webhook: one message per second; that of Teams is four requests. */
const POST_INTERVAL_MS = 1_000;
/** Upper bound for a post: two requests, since the address may have been replaced, and the entry in the ledger. */
const MAX_POST_MS = 22_000;
/** Waits before retries when the answer does not say how long; after them the queue redelivers the message. */
const RETRY_DELAYS_MS: readonly number[] = [2_000, 8_000, 20_000];
/** Longest pause that an answer can ask for; after it the redelivered message is tried. */
const MAX_PAUSE_MS = 600_000;

/** Refusals that concern the one message; all others concern the channel. */
const MESSAGE_ERRORS: readonly string[] = [
  'invalid_payload',
  'invalid_blocks',
  'invalid_blocks_format',
  'no_text',
  'msg_too_long',
  'http_413',
];

export interface ChatPorts {
  readonly chat: ChatWebhook;
  readonly deadLetters: ChatDeadLetters;
  readonly ledger: Pick<DeliveryLedger, 'load' | 'save'>;
  readonly clock: Clock;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly telemetry: Telemetry;
}

export interface ChatBatch {
  /** In the order in which people should read them. */
  readonly messages: readonly QueueMessage[];
  /** When the batch must be done, in milliseconds since 1970. */
  readonly deadline: number;
}

export interface ChatSettings {
  readonly kind: ChatKind;
  /** Name of the channel in the config. */
  readonly channel: string;
  /** Days for which deliveries are remembered. */
  readonly retentionDays: number;
}

/**
 * Results of messages. `refused`: this message is refused; the next one is tried. `blocked`: the channel accepts
 * nothing. `left`: no time, or a failure of this product. After the last two, the rest of the batch is left to keep the
 * order, and is redelivered. A refused message goes to the dead letters, since it would block the FIFO queue.
 */
const RESULTS = ['delivered', 'repeated', 'refused', 'blocked', 'left'] as const;
type Result = (typeof RESULTS)[number];
const FAILED: readonly Result[] = ['blocked', 'left'];

interface ReadableMessage {
  readonly message: ChannelMessage;
  readonly payload: object;
}

/** Posts messages to one channel of Slack or Teams, one per second. Keeps between batches when it may post again. */
export class ChatDeliverer {
  readonly #settings: ChatSettings;
  readonly #ports: ChatPorts;
  #nextPostAt = 0;

  constructor(settings: ChatSettings, ports: ChatPorts) {
    this.#settings = settings;
    this.#ports = ports;
  }

  /** Posts messages one by one: parse -> check the ledger -> post -> record. Returns those to redeliver. */
  async deliver({ messages, deadline }: ChatBatch): Promise<BatchResult> {
    const startedAt = this.#ports.clock.now();
    const handled: { readonly id: string; readonly result: Result }[] = [];
    let stopped = false;
    for (const message of messages) {
      const result = stopped ? 'left' : await this.#handle(message, deadline);
      handled.push({ id: message.id, result });
      stopped ||= FAILED.includes(result);
    }
    const counts = RESULTS.map((name) => [name, handled.filter(({ result }) => result === name).length]);
    this.#report('deliveries.handled', {
      messages: handled.length,
      ...Object.fromEntries(counts),
      duration_ms: this.#ports.clock.now() - startedAt,
    });
    return { failed: handled.filter(({ result }) => FAILED.includes(result)).map(({ id }) => id) };
  }

  async #handle(queued: QueueMessage, deadline: number): Promise<Result> {
    const readable = readMessage(queued.body, this.#settings.kind);
    try {
      const result = readable === null ? 'refused' : await this.#deliver(readable, deadline);
      if (readable === null) {
        this.#report('delivery.refused', { queueMessageId: queued.id, reason: 'message_invalid' });
      }
      if (result === 'refused') await this.#ports.deadLetters.giveUp(queued);
      return result;
    } catch (error) {
      this.#reportInterrupted(readable?.message.id ?? null, error);
      return 'left';
    }
  }

  async #deliver(readable: ReadableMessage, deadline: number): Promise<Result> {
    const known = await this.#ports.ledger.load(readable.message.id, this.#destination);
    return known?.outcome === 'delivered' ? 'repeated' : await this.#post(readable, deadline);
  }

  async #post({ message, payload }: ReadableMessage, deadline: number): Promise<Result> {
    const { clock, chat } = this.#ports;
    for (let attempt = 1; this.#hasTime(deadline); attempt += 1) {
      await this.#waitForTurn();
      const startedAt = clock.now();
      const answer = await chat.post(payload);
      const now = clock.now();
      const pauseMs = computePauseMs(answer, attempt);
      this.#nextPostAt = now + Math.max(POST_INTERVAL_MS, Math.min(pauseMs ?? 0, MAX_PAUSE_MS));
      const mayRetry =
        answer.outcome === 'later' && attempt <= RETRY_DELAYS_MS.length && this.#hasTime(deadline);
      const result = mayRetry ? 'retry' : toResult(answer);
      this.#report('delivery.attempted', {
        messageId: message.id,
        attempt,
        result,
        reason: answer.outcome === 'taken' ? null : answer.reason,
        due_ms: pauseMs,
        age_ms: now - message.at,
        duration_ms: now - startedAt,
      });
      if (result === 'delivered') await this.#recordDelivery(message, attempt);
      if (result !== 'retry') return result;
    }
    return 'left';
  }

  /** Whether a post, with the pause before it, would end before the deadline. */
  #hasTime(deadline: number): boolean {
    return Math.max(this.#ports.clock.now(), this.#nextPostAt) + MAX_POST_MS <= deadline;
  }

  async #waitForTurn(): Promise<void> {
    const { clock, sleep } = this.#ports;
    // Timers may fire slightly early.
    for (let now = clock.now(); now < this.#nextPostAt; now = clock.now())
      await sleep(this.#nextPostAt - now);
  }

  /** A failure here is only logged: the message was sent, and must not be sent again. */
  async #recordDelivery(message: ChannelMessage, attempts: number): Promise<void> {
    const at = this.#ports.clock.now();
    const delivery = {
      eventId: message.id,
      destination: this.#destination,
      outcome: 'delivered',
      at,
      attempts,
      detail: null,
    } as const;
    const expiresAt = at + computeDeliveryRetentionMs(this.#settings.retentionDays);
    try {
      await this.#ports.ledger.save(delivery, expiresAt);
    } catch (error) {
      this.#reportInterrupted(message.id, error);
    }
  }

  #reportInterrupted(messageId: string | null, error: unknown): void {
    this.#report('delivery.interrupted', { messageId, reason: describeFailure(error) });
  }

  #report(outcome: string, values: object): void {
    this.#ports.telemetry.report({ outcome, channel: this.#settings.channel, ...values });
  }

  get #destination(): string {
    return `${this.#settings.kind}/${this.#settings.channel}`;
  }
}

const BUILDERS: Readonly<Record<ChatKind, (message: ChannelMessage) => object>> = {
  slack: buildSlackPayload,
  teams: buildTeamsPayload,
};

/** Parses a message and builds its payload; null when it cannot be parsed; a retry would not help. */
function readMessage(body: string, kind: ChatKind): ReadableMessage | null {
  try {
    const message = channelMessageSchema.parse(JSON.parse(body));
    return { message, payload: BUILDERS[kind](message) };
  } catch {
    // Not JSON, another shape, or an invalid time or zone.
    return null;
  }
}

/** Milliseconds before the next attempt; null when there is none. */
function computePauseMs(answer: ChatAnswer, attempt: number): number | null {
  if (answer.outcome !== 'later') return null;
  return answer.afterMs ?? RETRY_DELAYS_MS[attempt - 1] ?? RETRY_DELAYS_MS.at(-1) ?? 0;
}

function toResult(answer: ChatAnswer): Result {
  switch (answer.outcome) {
    case 'taken':
      return 'delivered';
    case 'later':
      return 'left';
    case 'refused':
      return MESSAGE_ERRORS.includes(answer.reason) ? 'refused' : 'blocked';
  }
}
