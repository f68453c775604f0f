import * as z from 'zod';
import { isSnapshotType, type ShortEventType, toEventType } from '../event-types.ts';
import { toDataSchemaUri } from '../events/envelope.ts';
import type { EventContract } from './event-definition.ts';
import { OPERATION_DATA } from './operation-data.ts';
import { RECORD_DATA } from './record-data.ts';

const instant = z.iso.datetime();

/** What subscribers can rely on, by type. */
export const EVENT_CONTRACTS: Readonly<Record<ShortEventType, EventContract>> = {
  ...RECORD_DATA,
  ...OPERATION_DATA,
};

/** Schema of the `data` of a type. */
export function dataSchema(type: ShortEventType): z.ZodObject {
  return EVENT_CONTRACTS[type].data;
}

/** Schema of a whole event of a type: CloudEvents 1.0 with its extensions `partitionkey` and `traceparent`, and ours. */
export function eventSchema(type: ShortEventType) {
  return z.strictObject({
    specversion: z.literal('1.0'),
    id: z
      .string()
      .describe(
        'Computed from connection, feed, record, epoch and sequence: the same event always has the same id.',
      ),
    source: z
      .string()
      .describe('`/connections/{name}/{feed}`, or `/webhooks/{name}` for events about a webhook.'),
    type: z.literal(toEventType(type)),
    subject: z.string().optional().describe('Id of the record, or the slice, that the event is about.'),
    time: instant.describe('When the new state was first seen.'),
    datacontenttype: z.literal('application/json'),
    dataschema: z.literal(toDataSchemaUri(type)),
    connection: z.string(),
    epoch: instant
      .optional()
      .describe(
        'When the notifier began to follow the record, or the feed. A later epoch comes after an earlier one, none before all.',
      ),
    sequence: isSnapshotType(toEventType(type))
      ? z
          .int()
          .min(0)
          .describe('Sequence of the latest event of the record in its epoch; 0 before the first.')
      : z
          .int()
          .min(1)
          .describe('Counts the events of the record, or the feed, within its epoch, from 1, without gaps.'),
    partitionkey: z
      .string()
      .describe('`source` and `subject`: what has the same key belongs together, and in order.'),
    traceparent: z
      .string()
      .describe('The trace that the event begins (W3C Trace Context). Its trace id is the id of the event.'),
    data: dataSchema(type),
  });
}
