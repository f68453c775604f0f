import { escapeUnprintable } from '#shared/terminal/output.ts';
import type { Target } from '../target.ts';
import { deleteDeadLetters } from './delete-dead-letters.ts';
import { sendToQueue } from './send-again.ts';

/** An event and its text, byte for byte as published. */
interface Resent {
  readonly eventId: string;
  readonly text: string;
}

/** Sends events to a webhook, then deletes their dead letters. */
export async function resendTo(
  webhook: string,
  deliveries: readonly Resent[],
  { target, onSent }: { readonly target: Target; readonly onSent: (sent: number) => void },
): Promise<void> {
  const sentBefore = Date.now();
  const queue = `queues/webhook-${webhook}`;
  const texts = deliveries.map(({ text }) => text);
  await sendToQueue(texts, target.part(`${queue}/url`), { target, onSent });
  const eventIds = new Set(deliveries.map(({ eventId }) => eventId));
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
