import { SendMessageBatchCommand, type SendMessageBatchRequestEntry } from '@aws-sdk/client-sqs';
import { MAX_BATCH_BYTES, MAX_BATCH_ENTRIES, toEventMessage } from '#shared/adapters/sns/message.ts';
import { REPLAYED_ATTRIBUTE } from '#shared/config/names.ts';
import { REPLAY_RATE } from '#shared/config/requests/replay-request.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { Target } from '../target.ts';

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
      `the queue ${queueUrl} takes nothing from you; name the ARN of your role in operators of notifier.config.ts and deploy, and let the role sqs:SendMessage`,
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
