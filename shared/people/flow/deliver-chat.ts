import type { ChatKind } from '#shared/config/schema/chat-kind.ts';
import { computeDeliveryRetentionMs } from '#shared/core/delivery-retention.ts';
import { describeFailure } from '#shared/core/errors.ts';
import type { DeliveryStore } from '#shared/flow/deliveries.ts';
import type { BatchResult, Clock, QueueMessage, Telemetry } from '#shared/flow/system.ts';
import { buildSlackPayload } from '../layout/slack-blocks.ts';
import { buildTeamsPayload } from '../layout/teams-card.ts';
import { type Message, messageSchema } from '../message.ts';
import { type ChatPace, type ChatWebhook, PacedChat } from './paced-chat.ts';
import { postInThreads, type ThreadPorts } from './post-in-threads.ts';

/** Where messages go that Slack or Teams refuses. */
export interface ChatDeadLetters {
  /** Throws when the message is not accepted; it is then still in its own queue. */
  giveUp(message: Pick<QueueMessage, 'id' | 'body'>): Promise<void>;
}

export interface ChatPorts {
  readonly chat: ChatWebhook;
  /** For a channel that a bot posts to. */
  readonly threads?: ThreadPorts | undefined;
  readonly deadLetters: ChatDeadLetters;
  readonly deliveryStore: Pick<DeliveryStore, 'load' | 'save'>;
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
  readonly message: Message;
  readonly payload: object;
}

/** Posts messages to one channel of Slack or Teams, one per second. Keeps between batches when it may post again. */
export class ChatDeliverer {
  readonly #settings: ChatSettings;
  readonly #ports: ChatPorts;
  readonly #chat: PacedChat;
  readonly #pace: ChatPace;

  constructor(settings: ChatSettings, ports: ChatPorts) {
    this.#settings = settings;
    this.#ports = ports;
    const { clock, sleep, telemetry } = ports;
    this.#pace = { clock, sleep, telemetry, channel: settings.channel };
    this.#chat = new PacedChat(this.#pace);
  }

  /** Posts messages one by one: parse -> check the delivery store -> post -> record. Returns those to redeliver. */
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
    const readable = readMessage(queued.body, this.#settings);
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

  async #deliver({ message, payload }: ReadableMessage, deadline: number): Promise<Result> {
    const known = await this.#ports.deliveryStore.load(message.id, this.#destination);
    if (known?.outcome === 'delivered') return 'repeated';
    const { threads, chat } = this.#ports;
    const { result, attempts } =
      threads === undefined
        ? await this.#chat.post(message, deadline, () => chat.post(payload))
        : await postInThreads({ message, payload, deadline }, threads, { ...this.#pace, chat: this.#chat });
    if (result === 'delivered') await this.#recordDelivery(message, attempts);
    return result;
  }

  /** A failure here is only logged: the message was sent, and must not be sent again. */
  async #recordDelivery(message: Message, attempts: number): Promise<void> {
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
      await this.#ports.deliveryStore.save(delivery, expiresAt);
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

const BUILDERS: Readonly<Record<ChatKind, (message: Message) => object>> = {
  slack: buildSlackPayload,
  teams: buildTeamsPayload,
};

/** Parses a message and builds its payload; null when it cannot be parsed; a retry would not help. */
function readMessage(body: string, { kind }: ChatSettings): ReadableMessage | null {
  try {
    const message = messageSchema.parse(JSON.parse(body));
    return { message, payload: BUILDERS[kind](message) };
  } catch {
    // Not JSON, another shape, or an invalid time or zone.
    return null;
  }
}
