import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { readDelivery } from '#shared/systems/delivery-message.ts';
import { escapeUnprintable } from '#shared/terminal/output.ts';
import { sendToQueue } from '../send/send-to-queue.ts';
import type { Target } from '../target.ts';

/** An event and its text, byte for byte as published. */
interface Resent {
  readonly eventId: string;
  readonly text: string;
}

/** Sends events to a webhook, each once however often it is named, then deletes their dead letters. */
export async function resendTo(
  webhook: string,
  deliveries: readonly Resent[],
  target: Target,
): Promise<void> {
  const sentBefore = Date.now();
  const queue = `queues/webhook-${webhook}`;
  const texts = new Map(deliveries.map(({ eventId, text }) => [eventId, text]));
  await sendToQueue(texts.values(), target.part(`${queue}/url`), { target });
  const eventIds = new Set(texts.keys());
  const queueUrl = target.part(`${queue}/dead-letters/url`);
  try {
    await deleteDeadLetters(target.sqs, { queueUrl, eventIds, sentBefore });
  } catch (error) {
    // The events are on their way: a letter that stays is no loss, and an error would have them sent once more.
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    console.error(
      escapeUnprintable(
        `their dead letters stay (${reason}); redriven, those of delivered events are dropped`,
      ),
    );
  }
}

/** What one request takes. */
const MAX_MESSAGES = 10;
/** Other letters are out of sight for so long. */
const HIDDEN_SECONDS = 60;
const WAIT_SECONDS = 1;

interface DeadLetters {
  readonly queueUrl: string;
  readonly eventIds: ReadonlySet<string>;
  /** Milliseconds since 1970. A later letter is of an event that failed again. */
  readonly sentBefore: number;
}

/** Deletes the dead letters of some events, and returns how many. Throws what the SDK throws. */
export async function deleteDeadLetters(sqs: SQSClient, letters: DeadLetters): Promise<number> {
  const { queueUrl: QueueUrl } = letters;
  let deleted = 0;
  // After that, other letters are seen again, and a large queue would never end.
  const endsAt = performance.now() + HIDDEN_SECONDS * 1_000;
  while (deleted < letters.eventIds.size && performance.now() < endsAt) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: MAX_MESSAGES,
        VisibilityTimeout: HIDDEN_SECONDS,
        WaitTimeSeconds: WAIT_SECONDS,
        MessageSystemAttributeNames: ['SentTimestamp'],
      }),
    );
    if (Messages.length === 0) break;
    const Entries = Messages.filter((message) => isAmong(message, letters)).map(
      ({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }),
    );
    if (Entries.length === 0) continue;
    const { Failed = [] } = await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    deleted += Entries.length - Failed.length;
  }
  return deleted;
}

function isAmong({ Body = '', Attributes }: Message, { eventIds, sentBefore }: DeadLetters): boolean {
  const delivery = readDelivery(Body, { now: 0, sentAgain: false });
  const sentAt = Number(Attributes?.SentTimestamp ?? Number.NaN);
  return delivery !== null && eventIds.has(delivery.event.id) && sentAt < sentBefore;
}
