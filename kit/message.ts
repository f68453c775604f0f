import * as z from 'zod';
import { REPLAYED_ATTRIBUTE } from '../shared/config/names.ts';

/** A Lambda's record holds a text that holds an SNS envelope that holds a text that is the event. */
const MAX_LAYERS = 5;

/** The contents of a message, out of all its envelopes. */
export type Unwrapped =
  | { readonly outcome: 'contents'; readonly value: unknown; readonly replayed: boolean }
  | { readonly outcome: 'invalid'; readonly issues: readonly string[] };

/** An attribute as SNS, a Lambda's record, and the SDK's `ReceiveMessage` write it. */
const attributeSchema = z.union([
  z.looseObject({ Value: z.string() }).transform(({ Value }) => Value),
  z.looseObject({ stringValue: z.string() }).transform(({ stringValue }) => stringValue),
  z.looseObject({ StringValue: z.string() }).transform(({ StringValue }) => StringValue),
]);
const attributesSchema = z
  .looseObject({ [REPLAYED_ATTRIBUTE]: attributeSchema.optional() })
  .nullish()
  .catch(undefined);

/** What SNS puts around a message that is not delivered raw. */
const notificationSchema = z.looseObject({
  Type: z.string(),
  Message: z.string(),
  MessageAttributes: attributesSchema,
});
/** A record of a Lambda that SNS invokes. */
const snsRecordSchema = z.looseObject({ Sns: notificationSchema });
/** A record of a Lambda that reads a queue. */
const queueRecordSchema = z.looseObject({ body: z.string(), messageAttributes: attributesSchema });
/** A message as `ReceiveMessage` of the SDK gives it. */
const queueMessageSchema = z.looseObject({ Body: z.string(), MessageAttributes: attributesSchema });

type Layer = { readonly outcome: 'inside'; readonly value: unknown; readonly replayed: boolean } | Unwrapped;

/** Takes an event out of whatever it travels in. */
export function unwrap(input: unknown): Unwrapped {
  let value = input;
  let replayed = false;
  for (let layers = 0; layers < MAX_LAYERS; layers += 1) {
    const layer = unwrapLayer(value);
    if (layer.outcome === 'invalid') return layer;
    replayed ||= layer.replayed;
    if (layer.outcome === 'contents') return { ...layer, replayed };
    value = layer.value;
  }
  return invalid('more envelopes than there can be');
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
  if (queueRecord.success) return inside(queueRecord.data.body, queueRecord.data.messageAttributes);
  const queueMessage = queueMessageSchema.safeParse(value);
  if (queueMessage.success) return inside(queueMessage.data.Body, queueMessage.data.MessageAttributes);
  return { outcome: 'contents', value, replayed: false };
}

function readNotification({ Type, Message, MessageAttributes }: z.output<typeof notificationSchema>): Layer {
  if (Type === 'Notification') return inside(Message, MessageAttributes);
  return invalid(`an SNS message of type ${Type} is no event`);
}

function inside(value: string, attributes: z.output<typeof attributesSchema>): Layer {
  return { outcome: 'inside', value, replayed: attributes?.[REPLAYED_ATTRIBUTE] === 'true' };
}

function readText(text: string): Layer {
  try {
    return { outcome: 'inside', value: JSON.parse(text) as unknown, replayed: false };
  } catch {
    // The parser's message quotes the text, which may hold what no log should.
    return invalid(text.trim() === '' ? 'the text is empty' : 'the text is no JSON');
  }
}

function invalid(issue: string): Unwrapped {
  return { outcome: 'invalid', issues: [issue] };
}
