import {
  type BatchResultErrorEntry,
  PublishBatchCommand,
  type SNSClient,
  SNSServiceException,
} from '@aws-sdk/client-sns';
import type { EventTopicName } from '../../config/names.ts';
import type { EventPublisher, PublishResult } from '../../ports/poll.ts';
import { type ExtraAttributes, type Message, toEventMessage } from './message.ts';
import { type PublishBatch, PublishQueue } from './queue.ts';

/** Requests on their way at the same time. */
const MAX_CONCURRENT_REQUESTS = 4;
/** Times that a message is sent, the first one included. */
const MAX_TRIES = 5;
/** First wait before what failed is sent again; doubles with every try, of which a random part is waited. */
const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 3_000;
/** Refusals of a whole request that a later one may not meet. */
const THROTTLING_NAMES = new Set([
  'KMSThrottlingException',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
]);
/**
 * Failures of an entry that lie in the message itself: its text, its attributes, or its size. SNS marks refused
 * permissions and unusable keys as the sender's fault too, but these are mended without touching the message.
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
  /** Events of a topic that is not named are not published. */
  readonly topicArns: Readonly<Partial<Record<EventTopicName, string>>>;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Attributes of every message besides those of its event, such as the mark of a replay. */
  readonly attributes?: ExtraAttributes;
}

/**
 * Publishes CloudEvents to the topics of their types, in requests as full as they can be. A record's event goes out
 * when its earlier ones are out, on whatever topic; when one cannot be published, its later ones are not, and
 * everything else is. Entries that failed are sent again alone; a message that SNS will never take is passed by, and
 * named in `refused`. A topic that fails as a whole after all tries is not asked again. Never throws for what SNS does.
 */
export function createSnsPublisher(options: SnsPublisherOptions): EventPublisher {
  return { publish: (texts) => new PublishRun(options).run(texts) };
}

class PublishRun {
  readonly #options: SnsPublisherOptions;
  #requests = 0;

  constructor(options: SnsPublisherOptions) {
    this.#options = options;
  }

  async run(texts: readonly string[]): Promise<PublishResult> {
    const { attributes } = this.#options;
    const messages = texts.map((text, position) => toEventMessage(text, position, attributes));
    const queue = new PublishQueue(messages.filter((message) => message !== null));
    const sending = new Set<Promise<void>>();
    for (;;) {
      // A request that is not full waits while others are on their way: what they let go may fill it.
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
    const strange = messages.flatMap((message, position) => (message === null ? [position] : []));
    const never = [...refused, ...strange].sort((a, b) => a - b);
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
      const last = tries === MAX_TRIES;
      if (answer.outcome === 'refused' && (last || answer.final)) {
        for (const message of left) queue.settle(message, 'failed');
        queue.close(topic);
        return;
      }
      if (answer.outcome === 'answered') left = settleAnswered(left, answer, { queue, last });
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
    const longest = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - 1));
    await this.#options.sleep(this.#options.random() * longest);
  }
}

/** What SNS said to one request. */
type Answer =
  | { readonly outcome: 'refused'; readonly final: boolean }
  | {
      readonly outcome: 'answered';
      readonly successful: ReadonlySet<string | undefined>;
      readonly failed: ReadonlyMap<string | undefined, BatchResultErrorEntry>;
    };

/** Settles what is decided, and returns what is to be sent again. An entry that SNS says nothing of is. */
function settleAnswered(
  messages: readonly Message[],
  { successful, failed }: Extract<Answer, { outcome: 'answered' }>,
  { queue, last }: { readonly queue: PublishQueue; readonly last: boolean },
): Message[] {
  return messages.filter((message, index) => {
    const id = String(index);
    if (successful.has(id)) {
      queue.settle(message, 'published');
      return false;
    }
    const failure = failed.get(id);
    if (isBadMessage(failure)) {
      queue.settle(message, 'refused');
      return false;
    }
    // What is our own fault is not mended by sending it at once again.
    if (!last && failure?.SenderFault !== true) return true;
    queue.settle(message, 'failed');
    return false;
  });
}

function isBadMessage(failure: BatchResultErrorEntry | undefined): boolean {
  return failure?.SenderFault === true && BAD_MESSAGE_CODES.has(failure.Code ?? '');
}

/** Whether sending the same once more is in vain: a topic that is not there, no permission. */
function isFinal(cause: unknown): boolean {
  return (
    cause instanceof SNSServiceException && cause.$fault === 'client' && !THROTTLING_NAMES.has(cause.name)
  );
}
