import * as z from 'zod';
import { EXAMPLE_ID_PREFIX } from '../shared/config/names.ts';
import { readEvent, type UnknownEvent, type WorkforceEvent } from './workforce-event.ts';

/**
 * What a message turned out to be. `example`: a test event, nothing happened; acknowledge it and do nothing.
 * `unknown_type`: an event of a type, or of a version of a type, that is newer than this package; acknowledge it and do
 * nothing. `invalid`: not an event of the notifier; `issues` say why and never contain values.
 */
export type ParsedEvent =
  | { readonly outcome: 'event'; readonly event: WorkforceEvent }
  | { readonly outcome: 'example'; readonly event: WorkforceEvent }
  | { readonly outcome: 'unknown_type'; readonly event: UnknownEvent }
  | { readonly outcome: 'invalid'; readonly issues: readonly string[] };

/**
 * Reads an event from any form of message: a record of a Lambda invoked by SQS or SNS, a message of the SDK's
 * `ReceiveMessage`, an SNS envelope, what a rule of EventBridge sends, the body of any of these or of a webhook (text or
 * bytes), or the event itself. Never throws. Does not verify signatures: use `verifyWebhook` for webhooks.
 */
export function parseEvent(input: unknown): ParsedEvent {
  const contents = unwrap(input);
  if (contents.outcome === 'invalid') return contents;
  const read = readEvent(contents.value);
  if (read.outcome === 'event' && read.event.id.startsWith(EXAMPLE_ID_PREFIX)) {
    return { outcome: 'example', event: read.event };
  }
  return read;
}

/** Lambda record, its body as text, SNS envelope, its message as text, envelope of EventBridge, event. */
const MAX_LAYERS = 6;

/** The contents of a message without its envelopes. */
type Unwrapped =
  | { readonly outcome: 'contents'; readonly value: unknown }
  | { readonly outcome: 'invalid'; readonly issues: readonly string[] };

/** The SNS envelope, absent with raw message delivery. */
const notificationSchema = z.looseObject({
  Type: z.string(),
  Message: z.string(),
});
/** A record of a Lambda invoked by SNS. */
const snsRecordSchema = z.looseObject({ Sns: notificationSchema });
/** A record of a Lambda invoked by SQS. */
const queueRecordSchema = z.looseObject({ body: z.string() });
/** A message of the SDK's `ReceiveMessage`. */
const queueMessageSchema = z.looseObject({ Body: z.string() });

/** What a rule of EventBridge sends to its targets. */
const busEnvelopeSchema = z.looseObject({
  'detail-type': z.string(),
  source: z.string(),
  detail: z.looseObject({}),
});

type Layer = { readonly outcome: 'inside'; readonly value: unknown } | Unwrapped;

/** Removes all envelopes from a message. */
function unwrap(input: unknown): Unwrapped {
  let value = input;
  for (let layers = 0; layers < MAX_LAYERS; layers += 1) {
    const layer = unwrapLayer(value);
    if (layer.outcome !== 'inside') return layer;
    value = layer.value;
  }
  return invalid('too many nested envelopes');
}

function unwrapLayer(value: unknown): Layer {
  if (typeof value === 'string') return readText(value);
  if (value instanceof Uint8Array)
    return readText(new TextDecoder('utf-8', { ignoreBOM: true }).decode(value));
  const snsRecord = snsRecordSchema.safeParse(value);
  if (snsRecord.success) return readNotification(snsRecord.data.Sns);
  const notification = notificationSchema.safeParse(value);
  if (notification.success) return readNotification(notification.data);
  const queueRecord = queueRecordSchema.safeParse(value);
  if (queueRecord.success) return inside(queueRecord.data.body);
  const queueMessage = queueMessageSchema.safeParse(value);
  if (queueMessage.success) return inside(queueMessage.data.Body);
  const envelope = busEnvelopeSchema.safeParse(value);
  return envelope.success ? inside(envelope.data.detail) : { outcome: 'contents', value };
}

function readNotification({ Type, Message }: z.output<typeof notificationSchema>): Layer {
  if (Type === 'Notification') return inside(Message);
  return invalid(`an SNS message of type ${Type} is not an event`);
}

function inside(value: unknown): Layer {
  return { outcome: 'inside', value };
}

function readText(text: string): Layer {
  try {
    return inside(JSON.parse(text));
  } catch {
    // The parser's own message quotes the text, which may hold personal data.
    return invalid(text.trim() === '' ? 'the text is empty' : 'the text is not JSON');
  }
}

function invalid(issue: string): Unwrapped {
  return { outcome: 'invalid', issues: [issue] };
}
