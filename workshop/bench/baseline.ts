/** The naive design beside ours: one item per timesheet, with its state, event and outbox entry in a transaction. */
import { createHash, randomUUID } from 'node:crypto';
import { BatchGetItemCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { TABLE } from '#shared/config/table.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { DATE, sampleTimesheet } from './company.ts';

/** Texts by key. */
export interface ItemStore {
  read(keys: readonly string[]): Promise<ReadonlyMap<string, string>>;
  write(items: ReadonlyMap<string, string>): Promise<void>;
}

/** Validates and hashes each record of a page; returns how many changed. */
export async function detectChanges(body: unknown, store: ItemStore): Promise<number> {
  const records = pageSchema.parse(body).data;
  const known = await store.read(records.map(({ id }) => `state/${id}`));
  const items = new Map<string, string>();
  for (const record of records) {
    const state = JSON.stringify(record);
    const hash = createHash('md5').update(state).digest('hex');
    const before = known.get(`state/${record.id}`);
    if (before?.startsWith(hash) === true) continue;
    const eventId = randomUUID();
    const previous = before === undefined ? null : JSON.parse(before.slice(hash.length));
    const event = { id: eventId, type: 'timesheet.changed', current: record, previous };
    items.set(`state/${record.id}`, hash + state);
    items.set(`event/${eventId}`, JSON.stringify(event));
    items.set(`outbox/${eventId}`, record.id);
  }
  await store.write(items);
  return items.size / 3;
}

/** Costs nothing, so that only the work between page and store is measured. */
export function createFreeStore(): ItemStore {
  const kept = new Map<string, string>();
  return {
    read: async () => kept,
    write: async (items) => {
      for (const [key, text] of items) kept.set(key, text);
    },
  };
}

const MAX_ITEMS = 100;
const keyOf = (key: string) => ({ [TABLE.partitionKey]: { S: key }, [TABLE.sortKey]: { S: 'item' } });

/** As few requests to DynamoDB as it takes. */
export function createItemStore(dynamo: EmbeddedDynamo): ItemStore {
  const { client, tableName } = dynamo;
  return {
    async read(keys) {
      const found = new Map<string, string>();
      for (const chunk of toChunks(keys)) {
        const RequestItems = { [tableName]: { Keys: chunk.map(keyOf), ConsistentRead: true } };
        const { Responses } = await client.send(new BatchGetItemCommand({ RequestItems }));
        for (const item of Responses?.[tableName] ?? [])
          found.set(item[TABLE.partitionKey]?.S ?? '', item.text?.S ?? '');
      }
      return found;
    },
    async write(items) {
      for (const chunk of toChunks([...items])) await putTogether(dynamo, chunk);
    },
  };
}

function toChunks<Value>(values: readonly Value[]): Value[][] {
  return Array.from({ length: Math.ceil(values.length / MAX_ITEMS) }, (_, index) =>
    values.slice(index * MAX_ITEMS, (index + 1) * MAX_ITEMS),
  );
}

/** Returns the units that it took. */
async function putTogether(
  { client, tableName: TableName }: EmbeddedDynamo,
  items: readonly (readonly [key: string, text: string])[],
): Promise<number> {
  const TransactItems = items.map(([key, text]) => ({
    Put: { TableName, Item: { ...keyOf(key), text: { S: text } } },
  }));
  const command = new TransactWriteItemsCommand({ TransactItems, ReturnConsumedCapacity: 'TOTAL' });
  return (await client.send(command)).ConsumedCapacity?.[0]?.CapacityUnits ?? Number.NaN;
}

/** Deletes the outbox entry after its event is published. */
const DELETE_UNITS = 1;
/** To read a timesheet, eventually consistent. */
export const READ_UNITS = 0.5;

/** Write units of one change. */
export async function countUnitsOfChange(): Promise<number> {
  const dynamo = await startEmbeddedDynamo();
  const state = { dates: [DATE], perDate: 1, every: 1, version: 1 };
  const text = JSON.stringify(sampleTimesheet(DATE, 1, state));
  try {
    const items = ['state', 'event', 'outbox'].map((key) => [key, text] as const);
    return (await putTogether(dynamo, items)) + DELETE_UNITS;
  } finally {
    await dynamo.stop();
  }
}

const text = z.string();
const clock = z.object({
  ...{ id: text, localTime: text.nullable(), variance: z.number() },
  ...{ beacon: z.boolean(), kiosk: z.boolean() },
});
const reference = z.object({ id: text, name: text });
const detail = z.object({ id: text, startTime: text, finishTime: text, hours: z.number() });
const timesheetSchema = z.object({
  ...{ id: text, date: text, employeeId: text, startTime: text, finishTime: text, hoursToPay: z.number() },
  ...{ organisationPayRollId: text, organisationWorkedId: text },
  ...{ casualJob: z.boolean(), includesLeave: z.boolean(), overnight: z.boolean() },
  ...{ approvedHours: text.nullable(), approvedPayroll: text.nullable(), processed: text.nullable() },
  ...{ clockIn: clock.nullable(), clockOut: clock.nullable() },
  ...{ department: reference.nullable(), role: reference.nullable(), shift: reference.nullable() },
  details: z.array(detail),
});
const pageSchema = z.object({ data: z.array(timesheetSchema) });
