import * as z from 'zod';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import type { ReceivedMessage } from '#shared/terminal/format-message.ts';

/** The header that names the operation, and what it begins with. */
const TARGET_HEADER = 'x-amz-target';
const TARGET_PREFIX = 'AWSEvents.';

const entrySchema = z.looseObject({
  EventBusName: z.string(),
  Source: z.string(),
  DetailType: z.string(),
  Detail: z.string(),
  Resources: z.array(z.string()).default([]),
});
const putSchema = z.looseObject({ Entries: z.array(entrySchema).min(1) });
const describeSchema = z.looseObject({ Name: z.string() });

/** The parts of an event that are shown. */
const eventSchema = z.looseObject({
  id: z.string(),
  type: z.string(),
  subject: z.string().default(''),
  sequence: z.number(),
});

export type BusEntry = z.output<typeof entrySchema>;

/** A request to EventBridge, of the operations that the notifier uses. */
export type BusRequest =
  | { readonly operation: 'DescribeEventBus'; readonly name: string }
  | { readonly operation: 'PutEvents'; readonly entries: readonly BusEntry[] };

/** Reads a request; null for any other. */
export function readBusRequest(headers: Readonly<Record<string, string>>, body: string): BusRequest | null {
  const value = parseJsonOrNull(body);
  switch (headers[TARGET_HEADER]?.replace(TARGET_PREFIX, '')) {
    case 'DescribeEventBus': {
      const { data } = describeSchema.safeParse(value);
      return data === undefined ? null : { operation: 'DescribeEventBus', name: data.Name };
    }
    case 'PutEvents': {
      const { data } = putSchema.safeParse(value);
      return data === undefined ? null : { operation: 'PutEvents', entries: data.Entries };
    }
    default:
      return null;
  }
}

/** What an entry would be on the bus, and the id of its event; null when its detail is no event. */
export function describeEntry(
  entry: BusEntry,
): { readonly id: string; readonly isReplayed: boolean; readonly message: ReceivedMessage } | null {
  const event = eventSchema.safeParse(parseJsonOrNull(entry.Detail)).data;
  if (event === undefined || entry.DetailType !== event.type) return null;
  const { id, type, subject, sequence } = event;
  const marks = entry.Resources.join('  ');
  const parts = ['put', type.replace(/^workforce\./, ''), subject, `sequence ${sequence}`, marks];
  const text = parts.filter((part) => part !== '').join('  ');
  const name = entry.EventBusName.replace(/^.*:event-bus\//, '');
  return {
    id,
    isReplayed: entry.Resources.includes('replayed'),
    message: {
      label: `bus ${name}`,
      labelStyle: 'blue',
      lines: [{ text }],
      alike: `put  ${type.replace(/^workforce\./, '')}`,
      attempts: { taken: 1, refused: 0 },
    },
  };
}
