import {
  type BatchResultErrorEntry,
  PublishBatchCommand,
  type SNSClient,
  SNSServiceException,
} from '@aws-sdk/client-sns';
import type { EventPublisher, PublishResult } from '#shared/flow/poll/ports.ts';
import type { EventTopicName } from '../../config/names.ts';
import { computeBackoff, WAITS } from '../../core/waits.ts';
import { MAX_BATCH_BYTES, MAX_BATCH_ENTRIES, type Message, toEventMessage } from './message.ts';

const MAX_CONCURRENT_REQUESTS = 4;
/** Refusals of a whole request that a later one may not meet. */
const THROTTLING_NAMES = new Set([
  'KMSThrottlingException',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
]);
/**
 * Failures of an entry that are due to the message itself: its text, its attributes or its size. SNS calls missing
 * permissions and unusable keys the sender's fault too, but these can be mended without changing the message.
 */
const BAD_MESSAGE_CODES = new Set([
  'InvalidMessageContents',
  'InvalidParameter',
  'InvalidParameterException',
  'InvalidParameterValue',
  'InvalidParameterValueException',
  'ParameterValueInvalid',
  'ValidationError',
  'ValidationException',
]);

export interface SnsPublisherOptions {
  readonly client: SNSClient;
  /** Events of a topic without an ARN are not published. */
  readonly topicArns: Readonly<Partial<Record<EventTopicName, string>>>;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/**
 * Publishes CloudEvents to the topics of their types, in requests as full as possible. An event waits until the earlier
 * ones of its record are published, on whatever topic; if one cannot be published, the later ones of its record are not
 * either, and everything else is. Failed entries are sent again by themselves. A message that SNS will never accept is
 * skipped and listed in `refused`. A topic that fails as a whole after all tries gets no more requests. Never throws
 * for what SNS does.
 */
export function createSnsPublisher(options: SnsPublisherOptions): EventPublisher {
  // It copies each request and answer, even for a log that nothing keeps: a twelfth of the CPU of publishing.
  options.client.middlewareStack.remove('loggerMiddleware');
  return { publish: (texts) => new PublishRun(options).run(texts) };
}

class PublishRun {
  readonly #options: SnsPublisherOptions;
  #requests = 0;

  constructor(options: SnsPublisherOptions) {
    this.#options = options;
  }

  async run(texts: readonly string[]): Promise<PublishResult> {
    const messages = texts.map((text, position) => toEventMessage(text, position));
    const queue = new PublishQueue(messages.filter((message) => message !== null));
    const sending = new Set<Promise<void>>();
    for (;;) {
      // A request that is not full waits while others are on their way: later messages of their records may fill it.
      const batch =
        sending.size < MAX_CONCURRENT_REQUESTS ? queue.next({ partial: sending.size === 0 }) : null;
      if (batch !== null) {
        const sent: Promise<void> = this.#send(batch, queue).finally(() => sending.delete(sent));
        sending.add(sent);
      } else if (sending.size > 0) {
        await Promise.race(sending);
      } else {
        break;
      }
    }
    const { published, unpublished, refused } = queue.outcome;
    const unreadable = messages.flatMap((message, position) => (message === null ? [position] : []));
    const never = [...refused, ...unreadable].sort((a, b) => a - b);
    return {
      published,
      unpublished: [...unpublished, ...never].sort((a, b) => a - b),
      ...(never.length === 0 ? {} : { refused: never }),
      requests: this.#requests,
    };
  }

  async #send({ topic, messages }: PublishBatch, queue: PublishQueue): Promise<void> {
    let left = messages;
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#request(topic, left);
      const last = tries === WAITS.topic.tries;
      if (answer.outcome === 'refused' && (last || answer.final)) {
        for (const message of left) queue.record(message, 'failed');
        queue.close(topic);
        return;
      }
      if (answer.outcome === 'answered') left = recordAnswered(left, answer, { queue, last });
      if (left.length === 0) return;
      await this.#pause(tries);
    }
  }

  async #request(topic: EventTopicName, messages: readonly Message[]): Promise<Answer> {
    const topicArn = this.#options.topicArns[topic];
    if (topicArn === undefined) return { outcome: 'refused', final: true };
    this.#requests += 1;
    try {
      const { Successful = [], Failed = [] } = await this.#options.client.send(
        new PublishBatchCommand({
          TopicArn: topicArn,
          PublishBatchRequestEntries: messages.map(({ entry }, index) => ({ ...entry, Id: String(index) })),
        }),
      );
      return {
        outcome: 'answered',
        successful: new Set(Successful.map(({ Id }) => Id)),
        failed: new Map(Failed.map((entry) => [entry.Id, entry])),
      };
    } catch (cause) {
      return { outcome: 'refused', final: isFinal(cause) };
    }
  }

  async #pause(tries: number): Promise<void> {
    await this.#options.sleep(this.#options.random() * computeBackoff(tries, WAITS.topic));
  }
}

/** The answer to one request. */
type Answer =
  | { readonly outcome: 'refused'; readonly final: boolean }
  | {
      readonly outcome: 'answered';
      readonly successful: ReadonlySet<string | undefined>;
      readonly failed: ReadonlyMap<string | undefined, BatchResultErrorEntry>;
    };

/** Settles what is decided, and returns what to send again, which includes entries that the answer does not mention. */
function recordAnswered(
  messages: readonly Message[],
  { successful, failed }: Extract<Answer, { outcome: 'answered' }>,
  { queue, last }: { readonly queue: PublishQueue; readonly last: boolean },
): Message[] {
  return messages.filter((message, index) => {
    const id = String(index);
    if (successful.has(id)) {
      queue.record(message, 'published');
      return false;
    }
    const failure = failed.get(id);
    if (isBadMessage(failure)) {
      queue.record(message, 'refused');
      return false;
    }
    // A fault of this side is not mended by sending it again at once.
    if (!last && failure?.SenderFault !== true) return true;
    queue.record(message, 'failed');
    return false;
  });
}

function isBadMessage(failure: BatchResultErrorEntry | undefined): boolean {
  return failure?.SenderFault === true && BAD_MESSAGE_CODES.has(failure.Code ?? '');
}

/** Whether the same request would fail again: the topic does not exist, or the permission is missing. */
function isFinal(cause: unknown): boolean {
  return (
    cause instanceof SNSServiceException && cause.$fault === 'client' && !THROTTLING_NAMES.has(cause.name)
  );
}

/** The messages of one request. */
interface PublishBatch {
  readonly topic: EventTopicName;
  readonly messages: readonly Message[];
}

/**
 * Messages that wait to be published. Of each record only the earliest is ready: the next one follows when that is
 * published or refused, and none does if it failed.
 */
class PublishQueue {
  readonly #ready = new Map<EventTopicName, Message[]>();
  readonly #waiting = new Map<string, Message[]>();
  readonly #closed = new Set<EventTopicName>();
  readonly #unpublished: number[] = [];
  readonly #refused: number[] = [];
  #published = 0;

  constructor(messages: readonly Message[]) {
    for (const message of messages) {
      const behind = this.#waiting.get(message.record);
      if (behind === undefined) this.#waiting.set(message.record, [message]);
      else behind.push(message);
    }
    for (const record of [...this.#waiting.keys()]) this.#release(record);
  }

  /** The next full request; with `partial`, the fullest one. Null if there is none. */
  next({ partial }: { readonly partial: boolean }): PublishBatch | null {
    const batches = [...this.#ready.keys()].flatMap((topic) => this.#buildBatch(topic));
    const full = batches.find((batch) => this.#isFull(batch));
    const chosen = full ?? (partial ? findFullest(batches) : undefined);
    if (chosen === undefined) return null;
    const taken = new Set(chosen.messages);
    const rest = (this.#ready.get(chosen.topic) ?? []).filter((message) => !taken.has(message));
    this.#ready.set(chosen.topic, rest);
    return chosen;
  }

  /** Records what became of a message. One that is refused does not hold up the later ones of its record. */
  record(message: Message, outcome: 'published' | 'failed' | 'refused'): void {
    if (outcome === 'failed') {
      const behind = this.#waiting.get(message.record) ?? [];
      this.#waiting.delete(message.record);
      this.#unpublished.push(message.position, ...behind.map(({ position }) => position));
      return;
    }
    if (outcome === 'published') this.#published += 1;
    else this.#refused.push(message.position);
    this.#release(message.record);
  }

  /** Gives a topic up: what waits for it fails. */
  close(topic: EventTopicName): void {
    this.#closed.add(topic);
    const messages = this.#ready.get(topic) ?? [];
    this.#ready.delete(topic);
    for (const message of messages) this.record(message, 'failed');
  }

  get outcome(): {
    readonly published: number;
    readonly unpublished: readonly number[];
    readonly refused: readonly number[];
  } {
    return { published: this.#published, unpublished: this.#unpublished, refused: this.#refused };
  }

  /** Makes the earliest message of a record ready. */
  #release(record: string): void {
    const message = this.#waiting.get(record)?.shift();
    if (message === undefined) return;
    if (message.bytes > MAX_BATCH_BYTES) {
      this.record(message, 'refused');
      return;
    }
    if (this.#closed.has(message.topic)) {
      this.record(message, 'failed');
      return;
    }
    const ready = this.#ready.get(message.topic);
    if (ready === undefined) this.#ready.set(message.topic, [message]);
    else ready.push(message);
  }

  /** As many messages of the topic as one request takes, the earliest first, skipping those that do not fit. */
  #buildBatch(topic: EventTopicName): PublishBatch[] {
    const messages: Message[] = [];
    let bytes = 0;
    for (const message of this.#ready.get(topic) ?? []) {
      if (messages.length === MAX_BATCH_ENTRIES) break;
      if (bytes + message.bytes > MAX_BATCH_BYTES) continue;
      bytes += message.bytes;
      messages.push(message);
    }
    return messages.length === 0 ? [] : [{ topic, messages }];
  }

  /** Whether waiting cannot make it fuller: it has all entries, or others did not fit. */
  #isFull({ topic, messages }: PublishBatch): boolean {
    return messages.length === MAX_BATCH_ENTRIES || messages.length < (this.#ready.get(topic)?.length ?? 0);
  }
}

function findFullest(batches: readonly PublishBatch[]): PublishBatch | undefined {
  return [...batches].sort((a, b) => b.messages.length - a.messages.length)[0];
}
