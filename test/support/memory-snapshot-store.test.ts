import { expect, test } from 'vitest';
import { describeMembership } from '#test/contracts/membership.ts';
import { freshFeed, sampleLeaf } from '#test/contracts/snapshot-samples.ts';
import { describeSnapshotStore, describeWatermarkStore } from '#test/contracts/snapshot-store.ts';
import { createMemorySnapshotStore } from './memory-snapshot-store.ts';

describeSnapshotStore('memory', async () => createMemorySnapshotStore());
describeMembership('memory', async () => createMemorySnapshotStore());
describeWatermarkStore('memory', async () => createMemorySnapshotStore());

test('a leaf cannot be changed after it was written', async () => {
  const store = createMemorySnapshotStore();
  const leaf = sampleLeaf();
  await store.writeGeneration(freshFeed(), [leaf]);

  expect(() => Object.assign(leaf.rows[0] ?? {}, { sequence: 9 })).toThrow(TypeError);
});
