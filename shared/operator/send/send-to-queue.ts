import { SendMessageBatchCommand, type SendMessageBatchRequestEntry } from '@aws-sdk/client-sqs';
import { MAX_BATCH_BYTES, MAX_BATCH_ENTRIES, toEventMessage } from '#shared/adapters/sns/message.ts';
import { SENT_AGAIN_ATTRIBUTE } from '#shared/config/names.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { Target } from '../target.ts';

/** A receiver has room for live events meanwhile. */
const EVENTS_PER_SECOND = 200;

export interface Sending {
  readonly target: Pick<Target, 'sqs' | 'system'>;
  /** Gets the count after each request. */
  readonly onSent?: (sent: number) => void;
}

/**
 * Sends events to a queue, byte for byte and in their order, marked as sent again. Returns how many. Throws a
 * `NotifierError` (`sending_stopped`) that says how many were sent.
 */
export async function sendToQueue(
  texts: Iterable<string> | AsyncIterable<string>,
  queueUrl: string,
  { target: { sqs, system }, onSent = () => {} }: Sending,
): Promise<number> {
  let sent = 0;
  for await (const Entries of toBatches(texts)) {
    if (sent > 0) await system.sleep((MAX_BATCH_ENTRIES / EVENTS_PER_SECOND) * 1_000);
    const { Failed = [] } = await explainDenial(queueUrl, () =>
      sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries })),
    );
    sent += Entries.length - Failed.length;
    onSent(sent);
    if (Failed.length === 0) continue;
    throw new NotifierError(
      'sending_stopped',
      `${sent} events were sent, then the queue ${queueUrl} refused some (${Failed[0]?.Code}); run the command again: an event sent twice has the same id`,
    );
  }
  return sent;
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
async function* toBatches(
  texts: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<SendMessageBatchRequestEntry[], void> {
  let batch: SendMessageBatchRequestEntry[] = [];
  let bytes = 0;
  for await (const text of texts) {
    const message = toEventMessage(text, 0, { [SENT_AGAIN_ATTRIBUTE]: 'true' });
    const size = message?.bytes ?? Buffer.byteLength(text);
    if (batch.length === MAX_BATCH_ENTRIES || bytes + size > MAX_BATCH_BYTES) {
      if (batch.length > 0) yield batch;
      [batch, bytes] = [[], 0];
    }
    const MessageAttributes = message?.entry.MessageAttributes;
    batch.push({
      Id: String(batch.length),
      MessageBody: message?.entry.Message ?? text,
      ...(MessageAttributes === undefined ? {} : { MessageAttributes }),
    });
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
