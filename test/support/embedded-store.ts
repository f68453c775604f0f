import { afterAll, beforeAll } from 'vitest';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from './embedded-dynamo.ts';

export interface EmbeddedStore {
  dynamo: EmbeddedDynamo;
  store: SnapshotStore;
}

/** A DynamoDB in memory and its store, for all tests of a file: there once they run. */
export function useEmbeddedStore(): EmbeddedStore {
  const used = {} as EmbeddedStore;
  beforeAll(async () => {
    used.dynamo = await startEmbeddedDynamo();
    used.store = createDynamoSnapshotStore({ ...used.dynamo, sleep: async () => {}, random: () => 0 });
  });
  afterAll(() => used.dynamo.stop());
  return used;
}
