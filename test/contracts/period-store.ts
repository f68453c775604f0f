import { describe, expect, test } from 'vitest';
import { LeaseLost } from '#shared/core/errors.ts';
import type { MemberAnswer } from '#shared/core/periods/members.ts';
import type { Lease, Store } from '#shared/flow/poll/ports.ts';
import { NOON } from './store-samples.ts';

const ANSWER: MemberAnswer = [NOON, 'all'];
const TIME = { until: NOON + 90_000, expiresAt: NOON + 86_400_000 };

/** The contract of a store that keeps what pay periods were told with, and whose their timesheets are. */
export function describePeriodStore(name: string, make: () => Promise<Store>): void {
  describe(`${name} as a store of pay periods`, () => {
    test('has no answers at first, and then those written last of each period', async () => {
      const store = await make();
      const lease = await begin(store, 'answers');
      expect(await store.loadAnswers('answers', '9_7')).toEqual(new Map());
      const others = new Map([['3_7', [NOON, { own: ['x'], others: ['ä "1"'] }] as MemberAnswer]]);
      await store.saveAnswers(lease, '9_7', { ...TIME, answers: new Map([['1_7', ANSWER]]) });
      await store.saveAnswers(lease, '9_7', { ...TIME, answers: others });
      await store.saveAnswers(lease, '9', { ...TIME, answers: new Map([['2_7', [NOON, 'none']]]) });
      expect(await store.loadAnswers('answers', '9_7')).toEqual(others);
      expect(await store.loadAnswers('elsewhere', '9_7')).toEqual(new Map());
    });

    test('takes no answers of a poll that lost its lease', async () => {
      const store = await make();
      const lease = await begin(store, 'lost');
      await store.takeLease('lost', TIME.until + 90_000, TIME.until);
      const write = { ...TIME, answers: new Map([['1_7', ANSWER]]) };
      await expect(store.saveAnswers(lease, '9_7', write)).rejects.toThrow(LeaseLost);
      expect(await store.loadAnswers('lost', '9_7')).toEqual(new Map());
    });

    test('holds a company of thirty thousand', async () => {
      const store = await make();
      const lease = await begin(store, 'many');
      const ids = Array.from({ length: 30_000 }, (_, each) => `910001_${each}`);
      const answers = new Map(ids.map((id, place) => [id, [NOON + place * 37, 'all'] as MemberAnswer]));
      await store.saveAnswers(lease, '9_7', { ...TIME, answers });
      expect((await store.loadAnswers('many', '9_7')).size).toBe(30_000);
    });

    test('gives back a count by its name, and none for another', async () => {
      const store = await make();
      const key = { connection: 'counts', payPeriodId: '9_7', name: 'a' };
      const hours = Array.from(
        { length: 40_000 },
        (_, each) => [`10_${each}`, each % 3 === 0 ? null : each] as const,
      );
      await store.saveCount(key, hours, TIME.expiresAt);
      expect(await store.loadCount(key)).toEqual(hours);
      expect(await store.loadCount({ ...key, name: 'b' })).toBeNull();
    });
  });
}

async function begin(store: Store, connection: string): Promise<Lease> {
  const state = await store.takeLease(connection, TIME.until, NOON);
  return { connection, token: state?.token ?? 0 };
}
