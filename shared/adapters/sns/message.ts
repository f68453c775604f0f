import type { MessageAttributeValue, PublishBatchRequestEntry } from '@aws-sdk/client-sns';
import * as z from 'zod';
import { findFormerPlaces } from '#shared/core/events/former-places.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import { FORMER_ATTRIBUTES, MESSAGE_ATTRIBUTES } from '../../config/names.ts';
import { EVENT_TYPES, topicOf } from '../../core/event-types.ts';

const formerId = z.string().nullish().catch(null);

/** What publishing reads from an event. */
const envelopeSchema = z.object({
  type: z.enum(EVENT_TYPES),
  source: z.string(),
  subject: z.string().optional(),
  connection: z.string(),
  data: z.object({
    organisationId: z.string().nullable().optional(),
    departmentId: z.string().nullable().optional(),
    previousOrganisationId: formerId,
    previousDepartmentId: formerId,
    previous: z.object({ departmentId: formerId, organisationWorkedId: formerId }).nullish().catch(null),
    late: z.array(z.string()).optional(),
  }),
});
type Envelope = z.output<typeof envelopeSchema>;

/** An event as a message. */
export interface SnsMessage {
  /** In the list that was passed to `publish`. */
  readonly position: number;
  /** Ordering key: messages of one record keep their order. */
  readonly record: string;
  /** Of text and attributes, as they count against the size of a request. */
  readonly bytes: number;
  readonly entry: Omit<PublishBatchRequestEntry, 'Id'>;
}

/** Bounds of one request, of SNS as well as of SQS. */
export const MAX_BATCH_ENTRIES = 10;
export const MAX_BATCH_BYTES = 256 * 1024;

const ATTRIBUTE_TYPE = 'String';
/** Characters that JSON may contain unescaped and SNS refuses. */
const REFUSED_CHARACTERS = /[\ufffe\uffff]/g;

/** Attributes of every message of a publisher, besides those of its event. */
export type ExtraAttributes = Readonly<Record<string, string>>;

/** The message of an event; null if the text is not an event of this project. */
export function toEventMessage(
  text: string,
  position: number,
  extra: ExtraAttributes = {},
): SnsMessage | null {
  const parsed = envelopeSchema.safeParse(parseJsonOrNull(text));
  if (!parsed.success) return null;
  const envelope = parsed.data;
  const attributes = buildAttributes(envelope, extra);
  const message = text.replace(REFUSED_CHARACTERS, escapeCharacter);
  return {
    position,
    record: orderingKeyOf(envelope),
    bytes: Buffer.byteLength(message) + countBytes(attributes),
    entry: { Message: message, MessageAttributes: attributes },
  };
}

/** Operational events have one order for the whole feed, whatever their subject. */
function orderingKeyOf({ type, source, subject }: Envelope): string {
  return topicOf(type) === 'operations' ? source : `${source}\n${subject}`;
}

/** For filter policies. What is not known is left out. */
function buildAttributes(
  { type, connection, data }: Envelope,
  extra: ExtraAttributes,
): Record<string, MessageAttributeValue> {
  const former = findFormerPlaces(data);
  const values: readonly (readonly [string, string | null | undefined])[] = [
    [MESSAGE_ATTRIBUTES.type, type],
    [MESSAGE_ATTRIBUTES.connection, connection],
    [MESSAGE_ATTRIBUTES.organisationId, data.organisationId],
    [MESSAGE_ATTRIBUTES.departmentId, data.departmentId],
    [FORMER_ATTRIBUTES.organisationId, former.organisationId],
    [FORMER_ATTRIBUTES.departmentId, former.departmentId],
    [MESSAGE_ATTRIBUTES.late, data.late === undefined ? null : String(data.late.length > 0)],
    ...Object.entries(extra),
  ];
  return Object.fromEntries(
    values.flatMap(([name, value]) =>
      // SNS refuses an empty value.
      value ? [[name, { DataType: ATTRIBUTE_TYPE, StringValue: value }]] : [],
    ),
  );
}

function countBytes(attributes: Record<string, MessageAttributeValue>): number {
  return Object.entries(attributes).reduce(
    (sum, [name, { StringValue = '' }]) =>
      sum + Buffer.byteLength(name) + ATTRIBUTE_TYPE.length + Buffer.byteLength(StringValue),
    0,
  );
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16)}`;
}
