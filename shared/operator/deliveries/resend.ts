import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { MAX_BATCH_BYTES, MAX_BATCH_ENTRIES, toEventMessage } from '#shared/adapters/sns/message.ts';
import { REPLAYED_ATTRIBUTE } from '#shared/config/names.ts';
import { REPLAY_RATE } from '#shared/config/requests/replay-request.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { escapeUnprintable } from '#shared/terminal/output.ts';
import { readDelivery } from '#shared/webhooks/delivery-message.ts';
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
  { target, onSent }: { readonly target: Target; readonly onSent: (sent: number) => void },
): Promise<void> {
  const sentBefore = Date.now();
  const queue = `queues/webhook-${webhook}`;
  const texts = new Map(deliveries.map(({ eventId, text }) => [eventId, text]));
  await sendToQueue([...texts.values()], target.part(`${queue}/url`), { target, onSent });
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

/** Leaves the receiver room for live events, as a replay does. */
const PAUSE_MS = (MAX_BATCH_ENTRIES / REPLAY_RATE.default) * 1_000;

interface Outgoing {
  readonly bytes: number;
  readonly entry: SendMessageBatchRequestEntry;
}

/**
 * Sends events to a queue, byte for byte and marked as replayed. `onSent` gets the count after each request. Throws a
 * `NotifierError` (`resend_stopped`) that says how many were sent.
 */
export async function sendToQueue(
  texts: readonly string[],
  queueUrl: string,
  { target: { sqs, system }, onSent }: { readonly target: Target; readonly onSent: (sent: number) => void },
): Promise<void> {
  let sent = 0;
  for (const batch of toBatches(texts)) {
    if (sent > 0) await system.sleep(PAUSE_MS);
    const Entries = batch.map(({ entry }) => entry);
    const { Failed = [] } = await explainDenial(queueUrl, () =>
      sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries })),
    );
    sent += batch.length - Failed.length;
    onSent(sent);
    if (Failed.length === 0) continue;
    throw new NotifierError(
      'resend_stopped',
      `${sent} of ${texts.length} events were sent, then the queue ${queueUrl} refused some (${Failed[0]?.Code}); run the command again: an event sent twice has the same id`,
    );
  }
}

/** Says how to mend it when a queue denies what is sent by hand. Throws a `NotifierError` (`sending_denied`) then. */
export async function explainDenial<Answer>(queueUrl: string, send: () => Promise<Answer>): Promise<Answer> {
  try {
    return await send();
  } catch (cause) {
    if (!(cause instanceof Error && cause.name.startsWith('AccessDenied'))) throw cause;
    throw new NotifierError(
      'sending_denied',
      `the queue ${queueUrl} takes nothing from you; name the ARN of your role in operators of app.ts and deploy, and let the role sqs:SendMessage`,
      { cause },
    );
  }
}

/** Requests as full as SQS takes them, in order. */
function toBatches(texts: readonly string[]): Outgoing[][] {
  const batches: Outgoing[][] = [];
  let bytes = 0;
  for (const [position, text] of texts.entries()) {
    const outgoing = toOutgoing(text, position);
    const last = batches.at(-1);
    const fits = last !== undefined && last.length < MAX_BATCH_ENTRIES;
    if (fits && bytes + outgoing.bytes <= MAX_BATCH_BYTES) {
      last.push(outgoing);
      bytes += outgoing.bytes;
    } else {
      batches.push([outgoing]);
      bytes = outgoing.bytes;
    }
  }
  return batches;
}

function toOutgoing(text: string, position: number): Outgoing {
  const message = toEventMessage(text, position, { [REPLAYED_ATTRIBUTE]: 'true' });
  const attributes = message?.entry.MessageAttributes;
  return {
    bytes: message?.bytes ?? Buffer.byteLength(text),
    entry: {
      Id: String(position),
      MessageBody: message?.entry.Message ?? text,
      ...(attributes === undefined ? {} : { MessageAttributes: attributes }),
    },
  };
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
  const delivery = readDelivery(Body, { now: 0, replayed: false });
  const sentAt = Number(Attributes?.SentTimestamp ?? Number.NaN);
  return delivery !== null && eventIds.has(delivery.event.id) && sentAt < sentBefore;
}
