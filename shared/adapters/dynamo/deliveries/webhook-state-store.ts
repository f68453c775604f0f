import { acceptanceSchema } from '#shared/systems/acceptance.ts';
import { type DisabledWebhook, disabledWebhookSchema } from '#shared/systems/disabled-webhook.ts';
import type { WebhookStateStore } from '#shared/systems/flow/webhook-run.ts';
import { ATTRIBUTE } from '../attributes.ts';
import { DOES_NOT_EXIST } from '../conditions.ts';
import { deleteItem, getItem, putItem, putItemIf, readJsonItem, toJsonItem } from '../items.ts';
import { toAcceptanceKey, toDisabledKey } from '../keys.ts';
import { Table, type TableOptions } from '../table.ts';

/** What is stored is what was read. */
const IS_SAME = '#body = :body';

/** The state of webhooks in the one table. Throws as `createDynamoStore` does. */
export function createWebhookStateStore(options: TableOptions): WebhookStateStore {
  const table = new Table(options);
  return {
    loadDisabled: (webhook) => loadDisabled(table, webhook),
    saveDisabled: (webhook, disabled) =>
      disabled === null
        ? deleteItem(table, 'saveDisabled', toDisabledKey(webhook))
        : putItem(table, 'saveDisabled', toJsonItem(toDisabledKey(webhook), disabled)),
    saveDisabledIfAbsent: (webhook, disabled) => saveDisabledIfAbsent(table, webhook, disabled),
    replaceDisabled: (webhook, from, to) => replaceDisabled(table, webhook, { from, to }),
    async loadAcceptance(webhook) {
      const item = await getItem(table, 'loadAcceptance', toAcceptanceKey(webhook));
      return item === null ? null : readJsonItem(acceptanceSchema, item);
    },
    saveAcceptance: (webhook, acceptance) =>
      putItem(table, 'saveAcceptance', toJsonItem(toAcceptanceKey(webhook), acceptance)),
  };
}

async function loadDisabled(table: Table, webhook: string): Promise<DisabledWebhook | null> {
  const item = await getItem(table, 'loadDisabled', toDisabledKey(webhook));
  return item === null ? null : readJsonItem(disabledWebhookSchema, item);
}

async function saveDisabledIfAbsent(
  table: Table,
  webhook: string,
  disabled: DisabledWebhook,
): Promise<DisabledWebhook> {
  const saved = await putItemIf(table, 'noteDisabled', {
    item: toJsonItem(toDisabledKey(webhook), disabled),
    condition: { ConditionExpression: DOES_NOT_EXIST },
  });
  // The stored one can be gone by now: a person enabled the webhook in between.
  return saved ? disabled : ((await loadDisabled(table, webhook)) ?? disabled);
}

async function replaceDisabled(
  table: Table,
  webhook: string,
  { from, to }: { readonly from: DisabledWebhook; readonly to: DisabledWebhook },
): Promise<DisabledWebhook | null> {
  const key = toDisabledKey(webhook);
  const item = await getItem(table, 'loadDisabled', key);
  if (item === null) return null;
  const stored = readJsonItem(disabledWebhookSchema, item);
  const isSame = stored.url === from.url && stored.at === from.at && stored.enabledAt === from.enabledAt;
  if (!isSame) return stored;
  const saved = await putItemIf(table, 'replaceDisabled', {
    item: toJsonItem(key, to),
    condition: {
      ConditionExpression: IS_SAME,
      ExpressionAttributeNames: { '#body': ATTRIBUTE.body },
      ExpressionAttributeValues: { ':body': item[ATTRIBUTE.body] ?? { NULL: true } },
    },
  });
  return saved ? to : loadDisabled(table, webhook);
}
