import type { Resend, ResendAnswer } from '#console/routes/deliveries.ts';
import type { EventAnswer, EventPlace } from '#console/routes/lines.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { checkEnabled } from '#shared/operator/deliveries/disabled-webhook.ts';
import { resendTo } from '#shared/operator/deliveries/resend.ts';
import { selectEvents } from '#shared/replay/selection.ts';
import { formatCommand } from '#shared/terminal/format-command.ts';
import { deliverableEventSchema } from '#shared/webhooks/delivery-message.ts';
import type { ConsoleContext } from '../context.ts';

/** One event of the log, byte for byte. Throws a `NotifierError` (`event_unknown`). */
export async function readEvent(place: EventPlace, context: ConsoleContext): Promise<EventAnswer> {
  const text = await findText(place, context);
  const { subject } = deliverableEventSchema.parse(JSON.parse(text));
  const selection = subject === undefined ? [] : ['--record', subject];
  const from = Date.parse(place.committedAt);
  const range = ['--since', place.committedAt, '--until', new Date(from + 1).toISOString()];
  return { text, command: formatCommand(context.target, 'replay', ...selection, ...range) };
}

/** Sends events to a webhook again, as `deliveries --resend` does. Throws a `NotifierError`. */
export async function resendEvents(
  { receiver, events }: Resend,
  context: ConsoleContext,
): Promise<ResendAnswer> {
  const { target, allowsWrites } = context;
  const webhook = receiver.slice('webhooks/'.length);
  if (!allowsWrites)
    throw new NotifierError(
      'read_only',
      'this console only reads; start it with --allow-writes, or use the command',
    );
  if (!target.config.webhooks.some(({ name }) => name === webhook))
    throw new NotifierError('receiver_unknown', `there is no webhook ${JSON.stringify(webhook)}`);
  await checkEnabled(webhook, target);
  const resent = await Promise.all(
    events.map(async (place) => ({ eventId: place.id, text: await findText(place, context) })),
  );
  let sent = 0;
  await resendTo(webhook, resent, { target, onSent: (count) => (sent = count) });
  return { sent };
}

async function findText(
  { id, connection, feed, committedAt }: EventPlace,
  { log }: ConsoleContext,
): Promise<string> {
  const from = Date.parse(committedAt);
  for await (const { texts } of log.read({ connection, feed }, { from, to: from + 1 })) {
    for (const { text } of selectEvents(texts, {})) {
      if (deliverableEventSchema.parse(JSON.parse(text)).id === id) return text;
    }
  }
  throw new NotifierError('event_unknown', `the log has no event ${JSON.stringify(id)} at ${committedAt}`);
}
