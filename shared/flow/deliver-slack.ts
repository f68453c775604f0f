import { type ChannelMessage, channelMessageSchema } from '../core/alerts/alert.ts';
import { buildSlackPayload, type SlackPayload } from '../core/alerts/slack-blocks.ts';
import { computeDeliveryRetention } from '../core/delivery-retention.ts';
import { NotifierError } from '../core/errors.ts';
import type {
  BatchResult,
  DeliveryLedger,
  QueueMessage,
  SlackAnswer,
  SlackDeadLetters,
  SlackWebhook,
} from '../delivery-ports.ts';
import type { Clock, Telemetry } from '../ports.ts';

/** Slack takes one message a second from an incoming webhook. */
const POST_INTERVAL_MS = 1_000;
/** The longest that a post takes: two requests when the address is replaced, and what is written down after it. */
const MAX_POST_MS = 22_000;
/** Before the next try when Slack does not say how long; then the queue waits. */
const RETRY_DELAYS_MS: readonly number[] = [2_000, 8_000, 20_000];
/** A longer pause than this is not remembered: the queue gives out the message again after it, and Slack is asked. */
const MAX_PAUSE_MS = 600_000;
const DAY_MS = 86_400_000;

/** What Slack says when it is one message that it does not take; everything else is about the channel. */
const MESSAGE_ERRORS: readonly string[] = [
  'invalid_payload',
  'invalid_blocks',
  'invalid_blocks_format',
  'no_text',
  'msg_too_long',
  'http_413',
];

/** What delivering to Slack needs from the world. */
export interface SlackPorts {
  readonly slack: SlackWebhook;
  readonly deadLetters: SlackDeadLetters;
  readonly ledger: Pick<DeliveryLedger, 'load' | 'save'>;
  readonly clock: Clock;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly telemetry: Telemetry;
}

export interface SlackBatch {
  /** In the order in which people are to read them. */
  readonly messages: readonly QueueMessage[];
  /** Instant at which everything must be done, in milliseconds since 1970. */
  readonly deadline: number;
}

export interface SlackSettings {
  /** Name of the channel in the config. */
  readonly channel: string;
  /** Days that deliveries are remembered. */
  readonly retentionDays: number;
}

/**
 * What became of a message. `refused`: it alone, the others go on. `blocked`: the channel takes nothing. `left`: there
 * was no time, or something of ours failed. After the last two nothing is tried, so that the order stays, and these
 * messages come back. A refused one must not: as long as it is in the queue, the queue gives out none behind it.
 */
const RESULTS = ['delivered', 'repeated', 'refused', 'blocked', 'left'] as const;
type Result = (typeof RESULTS)[number];
const FAILED: readonly Result[] = ['blocked', 'left'];

interface ReadableMessage {
  readonly message: ChannelMessage;
  readonly payload: SlackPayload;
}

/** Posts messages to one Slack channel, one a second. Kept between batches: it remembers when it may post again. */
export class SlackDeliverer {
  readonly #settings: SlackSettings;
  readonly #ports: SlackPorts;
  #nextPostAt = 0;

  constructor(settings: SlackSettings, ports: SlackPorts) {
    this.#settings = settings;
    this.#ports = ports;
  }

  /**
   * Posts the messages one by one: read -> known already? -> post -> note. One that Slack refuses goes to the dead
   * letters. Answers which are to come back.
   */
  async deliver({ messages, deadline }: SlackBatch): Promise<BatchResult> {
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
    const readable = readMessage(queued.body);
    try {
      const result = readable === null ? 'refused' : await this.#deliver(readable, deadline);
      if (readable === null) {
        this.#report('delivery.refused', { queueMessageId: queued.id, reason: 'message_invalid' });
      }
      if (result === 'refused') await this.#ports.deadLetters.giveUp(queued);
      return result;
    } catch (error) {
      this.#interrupted(readable?.message.id ?? null, error);
      return 'left';
    }
  }

  async #deliver(readable: ReadableMessage, deadline: number): Promise<Result> {
    const known = await this.#ports.ledger.load(readable.message.id, this.#destination);
    return known?.outcome === 'delivered' ? 'repeated' : await this.#post(readable, deadline);
  }

  async #post({ message, payload }: ReadableMessage, deadline: number): Promise<Result> {
    const { clock, slack } = this.#ports;
    for (let attempt = 1; this.#hasTime(deadline); attempt += 1) {
      await this.#waitForTurn();
      const startedAt = clock.now();
      const answer = await slack.post(payload);
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

  /** Whether a post would be over before the deadline, with the pause before it. */
  #hasTime(deadline: number): boolean {
    return Math.max(this.#ports.clock.now(), this.#nextPostAt) + MAX_POST_MS <= deadline;
  }

  async #waitForTurn(): Promise<void> {
    const { clock, sleep } = this.#ports;
    // A timer may ring a little early.
    for (let now = clock.now(); now < this.#nextPostAt; now = clock.now())
      await sleep(this.#nextPostAt - now);
  }

  /** What people have read is not sent again because it could not be written down. */
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
    const expiresAt = at + computeDeliveryRetention(this.#settings.retentionDays * DAY_MS);
    try {
      await this.#ports.ledger.save(delivery, expiresAt);
    } catch (error) {
      this.#interrupted(message.id, error);
    }
  }

  #interrupted(messageId: string | null, error: unknown): void {
    this.#report('delivery.interrupted', { messageId, reason: errorCodeOf(error) });
  }

  #report(outcome: string, values: object): void {
    this.#ports.telemetry.report({ outcome, channel: this.#settings.channel, ...values });
  }

  get #destination(): string {
    return `slack/${this.#settings.channel}`;
  }
}

/** A message as it is posted; null when it is none of ours, and will be none however often it is read. */
function readMessage(body: string): ReadableMessage | null {
  try {
    const message = channelMessageSchema.parse(JSON.parse(body));
    return { message, payload: buildSlackPayload(message) };
  } catch {
    // No JSON, another shape, or a time and zone that nobody can tell.
    return null;
  }
}

/** Milliseconds before the next try; null when there is none. */
function computePauseMs(answer: SlackAnswer, attempt: number): number | null {
  if (answer.outcome !== 'later') return null;
  return answer.afterMs ?? RETRY_DELAYS_MS[attempt - 1] ?? RETRY_DELAYS_MS.at(-1) ?? 0;
}

function toResult(answer: SlackAnswer): Result {
  switch (answer.outcome) {
    case 'taken':
      return 'delivered';
    case 'later':
      return 'left';
    case 'refused':
      return MESSAGE_ERRORS.includes(answer.reason) ? 'refused' : 'blocked';
  }
}

/** A code, or the name of what is a bug: its message may hold what is not to be logged. */
function errorCodeOf(error: unknown): string {
  if (error instanceof NotifierError) return error.code;
  return error instanceof Error ? error.name : 'unexpected';
}
