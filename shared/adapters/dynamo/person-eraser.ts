import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { TABLE } from '#shared/config/table.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { PersonEraser } from '#shared/systems/flow/forget-employee.ts';
import { forgetIn, type Person, type StoredKind } from '#shared/systems/forget/forget-in.ts';
import { ATTRIBUTE, type Item, requireFormat, toAttributes } from './attributes.ts';
import { SEALED, WAITING } from './channels/channel-items.ts';
import { compressed, decompressed } from './compression.ts';
import type { ItemCondition } from './conditions.ts';
import { deleteItemIf, getItem, putItemIf, readSortKey } from './items.ts';
import type { Key } from './keys.ts';
import { Table, type TableOptions } from './table.ts';

/** No other writer changed the item since it was read. */
const IS_SAME = '#body = :body';
/** Tries to write an item that other writers change. */
const MAX_TRIES = 5;

/** What becomes of an item: another body, deleted (null), or left as it is (undefined). */
type Rewrite = (key: Key, readText: () => string) => string | null | undefined;

/**
 * Takes persons and connections out of the one table. Reads every item: what is not known to this version's config,
 * such as a channel that was removed, is found as well. Throws as `createDynamoStore` does, and `store_contended`
 * (retryable) when other writers keep changing an item.
 */
export function createPersonEraser(options: TableOptions): PersonEraser {
  const table = new Table(options);
  return {
    forgetPerson: (person) => rewriteItems(table, (key, readText) => forgetInItem(key, readText, person)),
    forgetConnection: (name) =>
      rewriteItems(table, (key, readText) => (isOfConnection(key, readText, name) ? null : undefined)),
  };
}

function forgetInItem(key: Key, readText: () => string, person: Person): ReturnType<Rewrite> {
  const kind = findKind(key, person);
  if (kind === null) return undefined;
  const text = readText();
  const kept = forgetIn(kind, text, person);
  return kept === text ? undefined : kept;
}

/** What derived items of a connection hold, by the second part of their partition. */
const KINDS: Readonly<Record<string, StoredKind>> = {
  log: 'events',
  counts: 'count',
  answers: 'answers',
};

/** Null for an item without a person in its body. */
function findKind({ partition, sort }: Key, { connection }: Person): StoredKind | null {
  const [owner, name = '', segment] = partition.split('#');
  if (owner !== 'alerts') return owner === connection ? (KINDS[name] ?? null) : null;
  if (segment === 'threads') return null;
  if (sort.startsWith(WAITING)) return 'waiting';
  return sort.startsWith(SEALED) ? 'message' : null;
}

function isOfConnection({ partition, sort }: Key, readText: () => string, connection: string): boolean {
  const [owner, , segment] = partition.split('#');
  if (owner !== 'alerts') return owner === connection;
  if (segment === 'threads') return sort.startsWith(`${connection}#`);
  return sort.startsWith(WAITING) && JSON.parse(JSON.parse(readText()).text).connection === connection;
}

/** Returns how many items were rewritten or deleted. */
async function rewriteItems(table: Table, rewrite: Rewrite): Promise<number> {
  let changed = 0;
  for await (const page of scanPages(table))
    await table.inBatches(page, async (item) => {
      if (await rewriteItem(table, item, rewrite)) changed += 1;
      return null;
    });
  return changed;
}

async function* scanPages(table: Table): AsyncGenerator<readonly Item[], void> {
  let last: Item | undefined;
  do {
    const ExclusiveStartKey: Item | undefined = last;
    const answer = await table.send({
      operation: 'forget',
      kind: 'read',
      send: (client) =>
        client.send(new ScanCommand({ ...table.settings, ConsistentRead: true, ExclusiveStartKey })),
    });
    yield answer.Items ?? [];
    last = answer.LastEvaluatedKey;
  } while (last !== undefined);
}

/** Whether the item changed; one that another writer changed meanwhile is read and judged again. */
async function rewriteItem(table: Table, found: Item, rewrite: Rewrite): Promise<boolean> {
  requireFormat(found);
  const key = { partition: found[TABLE.partitionKey]?.S ?? '', sort: readSortKey(found) };
  let item: Item | null = found;
  for (let tries = 0; tries < MAX_TRIES && item !== null; tries += 1) {
    const { [ATTRIBUTE.body]: body } = item;
    const text = rewrite(key, () => (body?.B === undefined ? (body?.S ?? '') : decompressed(body.B)));
    if (text === undefined) return false;
    const condition = expectBody(item);
    const isDone =
      text === null
        ? await deleteItemIf(table, 'forget', { key, condition })
        : await putItemIf(table, 'forget', { item: replaceBody(item, text), condition });
    if (isDone) return true;
    item = await getItem(table, 'forget', key);
  }
  if (item === null) return false;
  throw new NotifierError(
    'store_contended',
    `cannot rewrite item ${key.partition} / ${key.sort}: other writers keep changing it; run the command again`,
    { retryable: true },
  );
}

function expectBody({ [ATTRIBUTE.body]: body }: Item): ItemCondition {
  if (body === undefined) return {};
  return {
    ConditionExpression: IS_SAME,
    ExpressionAttributeNames: { '#body': ATTRIBUTE.body },
    ExpressionAttributeValues: { ':body': body },
  };
}

function replaceBody(item: Item, text: string): Item {
  const isCompressed = item[ATTRIBUTE.body]?.B !== undefined;
  return { ...item, ...toAttributes({ [ATTRIBUTE.body]: isCompressed ? compressed(text) : text }) };
}
