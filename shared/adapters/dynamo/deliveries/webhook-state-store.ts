import * as z from 'zod';
import { TABLE } from '#shared/config/table.ts';
import type { DisabledWebhook } from '#shared/core/webhooks/disabled-webhook.ts';
import type { WebhookStateStore } from '#shared/ports/webhooks.ts';
import { ATTRIBUTE, FORMAT_VERSION, readItem, toAttributes } from '../attributes.ts';
import { deleteItem, getItem, putItem, putItemIf, readJsonItem, toJsonItem } from '../items.ts';
import { cursorKey, disabledKey, keyAttributes } from '../keys.ts';
import { Table, type TableOptions } from '../table.ts';

/** Nothing is there yet: no event of a record was taken, nobody disabled a webhook. */
const FIRST = `attribute_not_exists(${TABLE.partitionKey})`;
/** Nobody moved the cursor this far. */
const BEHIND = '#sequence < :sequence';

const disabledSchema = z.object({
  url: z.string(),
  at: z.number(),
  reason: z.string(),
  connection: z.string(),
  told: z.boolean(),
});
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
export function createWebhookStateStore(options: TableOptions): WebhookStateStore {
  const table = new Table(options);
  return {
    loadDisabled: (webhook) => loadDisabled(table, webhook),
    saveDisabled: (webhook, disabled) =>
      disabled === null
        ? deleteItem(table, 'saveDisabled', disabledKey(webhook))
        : putItem(table, 'saveDisabled', toJsonItem(disabledKey(webhook), disabled)),
    saveDisabledIfAbsent: (webhook, disabled) => saveDisabledIfAbsent(table, webhook, disabled),
    async loadCursor(webhook, record) {
      const item = await getItem(table, 'loadCursor', cursorKey(webhook, record));
      return item === null ? null : readItem(cursorItemSchema, item)[ATTRIBUTE.sequence];
    },
    advanceCursor: (webhook, record, to) => advanceCursor(table, { webhook, record, ...to }),
  };
}

async function loadDisabled(table: Table, webhook: string): Promise<DisabledWebhook | null> {
  const item = await getItem(table, 'loadDisabled', disabledKey(webhook));
  return item === null ? null : readJsonItem(disabledSchema, item);
}

async function saveDisabledIfAbsent(
  table: Table,
  webhook: string,
  disabled: DisabledWebhook,
): Promise<DisabledWebhook> {
  const noted = await putItemIf(table, 'noteDisabled', {
    item: toJsonItem(disabledKey(webhook), disabled),
    condition: { ConditionExpression: FIRST },
  });
  // What was there may be gone again by now: then a person has enabled the webhook in between.
  return noted ? disabled : ((await loadDisabled(table, webhook)) ?? disabled);
}

async function advanceCursor(table: Table, { webhook, record, sequence, expiresAt }: CursorMove) {
  // Where the condition does not hold, the cursor is as far already.
  await putItemIf(table, 'advanceCursor', {
    item: {
      ...keyAttributes(cursorKey(webhook, record)),
      ...toAttributes({
        [ATTRIBUTE.version]: FORMAT_VERSION,
        [ATTRIBUTE.sequence]: sequence,
        [TABLE.timeToLive]: Math.ceil(expiresAt / 1000),
      }),
    },
    condition: {
      ConditionExpression: `${FIRST} OR ${BEHIND}`,
      ExpressionAttributeNames: { '#sequence': ATTRIBUTE.sequence },
      ExpressionAttributeValues: toAttributes({ ':sequence': sequence }),
    },
  });
}
