import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { TABLE } from '../../config/table.ts';
import type { WebhookBook } from '../../delivery-ports.ts';
import { ATTRIBUTE, FORMAT_VERSION, readItem, toAttributes } from './attributes.ts';
import { deleteItem, getItem, jsonItem, putItem, readJsonItem } from './items.ts';
import { cursorKey, disabledKey, keyAttributes } from './keys.ts';
import { Table, type TableOptions } from './table.ts';

/** No event of the record was taken before. */
const FIRST = `attribute_not_exists(${TABLE.partitionKey})`;
/** Nobody moved the cursor this far. */
const BEHIND = '#sequence < :sequence';

const disabledSchema = z.object({ url: z.string(), at: z.number() });
const cursorItemSchema = z.object({
  [ATTRIBUTE.version]: z.literal(FORMAT_VERSION),
  [ATTRIBUTE.sequence]: z.int(),
});

interface CursorMove {
  readonly webhook: string;
  readonly record: string;
  readonly sequence: number;
  readonly expiresAt: number;
}

/** What is remembered of webhooks, in the one table. Every method throws as those of `createDynamoSnapshotStore` do. */
export function createWebhookBook(options: TableOptions): WebhookBook {
  const table = new Table(options);
  return {
    async loadDisabled(webhook) {
      const item = await getItem(table, 'loadDisabled', disabledKey(webhook));
      return item === null ? null : readJsonItem(disabledSchema, item);
    },
    saveDisabled: (webhook, disabled) =>
      disabled === null
        ? deleteItem(table, 'saveDisabled', disabledKey(webhook))
        : putItem(table, 'saveDisabled', jsonItem(disabledKey(webhook), disabled)),
    async loadCursor(webhook, record) {
      const item = await getItem(table, 'loadCursor', cursorKey(webhook, record));
      return item === null ? null : readItem(cursorItemSchema, item)[ATTRIBUTE.sequence];
    },
    advanceCursor: (webhook, record, to) => advanceCursor(table, { webhook, record, ...to }),
  };
}

async function advanceCursor(table: Table, { webhook, record, sequence, expiresAt }: CursorMove) {
  // A conflict is a cursor that is as far already.
  await table.attempt({
    operation: 'advanceCursor',
    kind: 'write',
    patient: true,
    send: (client) =>
      client.send(
        new PutItemCommand({
          ...table.settings,
          Item: {
            ...keyAttributes(cursorKey(webhook, record)),
            ...toAttributes({
              [ATTRIBUTE.version]: FORMAT_VERSION,
              [ATTRIBUTE.sequence]: sequence,
              [TABLE.timeToLive]: Math.ceil(expiresAt / 1000),
            }),
          },
          ConditionExpression: `${FIRST} OR ${BEHIND}`,
          ExpressionAttributeNames: { '#sequence': ATTRIBUTE.sequence },
          ExpressionAttributeValues: toAttributes({ ':sequence': sequence }),
        }),
      ),
  });
}
