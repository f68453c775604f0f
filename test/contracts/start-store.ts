import { describe, expect, test } from 'vitest';
import type { StartStore } from '#shared/snapshots/flow/start-receivers.ts';
import type { ReceiverStart, StartKey } from '#shared/snapshots/receiver-start.ts';

const KEY: StartKey = { receiver: 'webhook-payroll', generation: 1, connection: 'main' };
const BEGUN: ReceiverStart = {
  revision: 1,
  after: null,
  sentFeeds: [],
  sent: 0,
  ownedUntil: 1_000.5,
  doneAt: null,
};
const CURSOR = { selection: 1, slice: '2026-03-05', generation: 'g', leaf: 3, id: '1_7' };

/** The contract of a store of starts. */
export function describeStartStore(name: string, make: () => StartStore | Promise<StartStore>): void {
  describe(name, () => {
    test('has none at first, and gives back what was saved last', async () => {
      const store = await make();
      expect(await store.load(KEY)).toBeNull();
      expect(await store.save(KEY, BEGUN)).toBe('committed');
      expect(await store.load(KEY)).toEqual(BEGUN);
      const later = { ...BEGUN, revision: 2, after: CURSOR, sent: 7, doneAt: 2_000 };
      expect(await store.save(KEY, later)).toBe('committed');
      expect(await store.load(KEY)).toEqual(later);
    });

    test('keeps receivers, connections and generations apart', async () => {
      const store = await make();
      await store.save({ ...KEY, connection: 'apart' }, BEGUN);
      expect(await store.load({ ...KEY, connection: 'apart', generation: 2 })).toBeNull();
      expect(await store.load({ ...KEY, connection: 'other' })).toBeNull();
      expect(await store.load({ ...KEY, connection: 'apart', receiver: 'subscription-payroll' })).toBeNull();
    });

    test('refuses a write over another that came in between', async () => {
      const store = await make();
      const key = { ...KEY, connection: 'raced' };
      await store.save(key, BEGUN);
      expect(await store.save(key, { ...BEGUN, sent: 5 })).toBe('conflict');
      expect(await store.save(key, { ...BEGUN, revision: 3 })).toBe('conflict');
      expect(await store.load(key)).toEqual(BEGUN);
    });
  });
}
