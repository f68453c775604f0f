import { createDynamoStore } from '#shared/adapters/dynamo/store.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import { type Target, toTableOptions } from './target.ts';

/** What polls of a target store. */
export function openStore(target: Pick<Target, 'dynamoDb' | 'tableName' | 'system'>): Store {
  return createDynamoStore(toTableOptions(target));
}
