import {
  type BatchResultErrorEntry,
  PublishBatchCommand,
  type SNSClient,
  SNSServiceException,
} from '@aws-sdk/client-sns';
import type { EventPublisher, PublishResult } from '#shared/flow/poll/ports.ts';
import type { EventTopic } from '../../core/event-types.ts';
import { computeBackoff, WAITS } from '../../core/waits.ts';
import { MAX_BATCH_BYTES, MAX_BATCH_ENTRIES, type SnsMessage, toEventMessage } from './message.ts';

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
  readonly topicArns: Readonly<Partial<Record<EventTopic, string>>>;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/**
 * Publishes CloudEvents, in requests as full as possible. An event waits until the earlier ones of its record are
 * published; if one cannot be, the later ones of its record are not either. Failed entries are sent again by
 * themselves. A message that SNS will never accept is skipped and listed in `refused`. When a request fails as a whole
 * after all tries, no more are sent. Never throws for what SNS does.
 */
export function createSnsPublisher(options: SnsPublisherOptions): EventPublisher {
  // It copies each request and answer, even for a log that nothing keeps: a twelfth of the CPU of publishing.
  options.client.middlewareStack.remove('loggerMiddleware');
  return { publish: (topic, texts) => new PublishRun(options, options.topicArns[topic]).run(texts) };
}

class PublishRun {
  readonly #options: SnsPublisherOptions;
  readonly #topicArn: string | undefined;
  readonly #published = new Set<number>();
  readonly #refused = new Set<number>();
  /** Records of which an event failed. */
  readonly #blocked = new Set<string>();
  #isClosed = false;

  constructor(options: SnsPublisherOptions, topicArn: string | undefined) {
    this.#options = options;
    this.#topicArn = topicArn;
    this.#isClosed = topicArn === undefined;
  }

  async run(texts: readonly string[]): Promise<PublishResult> {
    const messages: SnsMessage[] = [];
    for (const [position, text] of texts.entries()) {
      const message = toEventMessage(text, position);
      if (message === null || message.bytes > MAX_BATCH_BYTES) this.#refused.add(position);
      else messages.push(message);
    }
    for (const wave of toWaves(messages)) await this.#sendWave(wave);
    const unpublished = [...texts.keys()].filter((position) => !this.#published.has(position));
    const refused = unpublished.filter((position) => this.#refused.has(position));
    return { published: this.#published.size, unpublished, refused };
  }

  async #sendWave(wave: readonly SnsMessage[]): Promise<void> {
    const batches = toBatches(wave.filter(({ record }) => !this.#blocked.has(record)));
    const worker = async () => {
      for (let batch = batches.shift(); batch !== undefined; batch = batches.shift())
        if (!this.#isClosed) await this.#send(batch);
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT_REQUESTS }, worker));
  }

  async #send(messages: readonly SnsMessage[]): Promise<void> {
    let left = messages;
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#request(left);
      const isLast = tries === WAITS.topic.tries;
      if (answer.outcome === 'refused' && (isLast || answer.final)) {
        this.#isClosed = true;
        return;
      }
      if (answer.outcome === 'answered') left = this.#settle(left, answer, isLast);
      if (left.length === 0) return;
      const wait = computeBackoff(tries, WAITS.topic);
      await this.#options.sleep(this.#options.random() * wait);
    }
  }

  async #request(messages: readonly SnsMessage[]): Promise<Answer> {
    try {
      const { Successful = [], Failed = [] } = await this.#options.client.send(
        new PublishBatchCommand({
          TopicArn: this.#topicArn,
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

  /** Notes what is decided, and returns what to send again, which includes entries that the answer does not mention. */
  #settle(messages: readonly SnsMessage[], { successful, failed }: Answered, isLast: boolean): SnsMessage[] {
    return messages.filter(({ position, record }, index) => {
      const failure = failed.get(String(index));
      if (successful.has(String(index))) this.#published.add(position);
      else if (isBadMessage(failure)) this.#refused.add(position);
      // A fault of this side is not mended by sending it again at once.
      else if (isLast || failure?.SenderFault === true) this.#blocked.add(record);
      else return true;
      return false;
    });
  }
}

type Answer = Answered | { readonly outcome: 'refused'; readonly final: boolean };

/** The answer to one request. */
interface Answered {
  readonly outcome: 'answered';
  readonly successful: ReadonlySet<string | undefined>;
  readonly failed: ReadonlyMap<string | undefined, BatchResultErrorEntry>;
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

/** The first events of all records, then the second ones, and so on. */
function toWaves(messages: readonly SnsMessage[]): SnsMessage[][] {
  const waves: SnsMessage[][] = [];
  const counts = new Map<string, number>();
  for (const message of messages) {
    const count = counts.get(message.record) ?? 0;
    counts.set(message.record, count + 1);
    const wave = waves[count] ?? [];
    waves[count] = wave;
    wave.push(message);
  }
  return waves;
}

/** Messages in requests as full as SNS takes them, in their order. */
function toBatches(messages: readonly SnsMessage[]): SnsMessage[][] {
  const batches: SnsMessage[][] = [];
  let bytes = MAX_BATCH_BYTES;
  for (const message of messages) {
    const last = batches.at(-1);
    if (last === undefined || last.length === MAX_BATCH_ENTRIES || bytes + message.bytes > MAX_BATCH_BYTES) {
      batches.push([message]);
      bytes = message.bytes;
    } else {
      last.push(message);
      bytes += message.bytes;
    }
  }
  return batches;
}
