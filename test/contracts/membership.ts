import { describe, expect, test } from 'vitest';
import {
  type EmployeeMembership,
  joinBuckets,
  type MembershipBucket,
} from '#shared/core/periods/membership.ts';
import type { Store } from '#shared/flow/poll/ports.ts';

const AT = Date.parse('2026-03-05T12:00:00.000Z');

/** The contract of a store that keeps who belongs to which calendar. */
export function describeMembership(name: string, make: () => Promise<Store>): void {
  describe(`${name} as a store of memberships`, () => {
    test('has none at first', async () => {
      const store = await make();
      expect(await store.loadMembership('empty')).toEqual(joinBuckets([]));
    });

    test('gives back rows as they were written last', async () => {
      const store = await make();
      await store.saveMembership('acme', [bucket(0, ['1_7', 'ä "1"'], { '3_7': AT }), bucket(15, ['2_7'])]);
      await store.saveMembership('acme', [bucket(15, ['3_7', '4_7'])]);
      await store.saveMembership('other', [bucket(0, ['5_7'])]);
      expect(await store.loadMembership('acme')).toEqual(
        joinBuckets([bucket(0, ['1_7', 'ä "1"'], { '3_7': AT }), bucket(15, ['3_7', '4_7'])]),
      );
    });

    test('holds a company of sixty thousand', async () => {
      const store = await make();
      const ids = (index: number) =>
        Array.from({ length: 4_000 }, (_, each) => `910001_${index * 4_000 + each}`);
      const rows = Array.from({ length: 16 }, (_, index) => bucket(index, ids(index)));
      await store.saveMembership('large', rows);
      expect((await store.loadMembership('large')).employees.size).toBe(64_000);
    });
  });
}

function bucket(
  index: number,
  ids: readonly string[],
  surveys?: Readonly<Record<string, number>>,
): MembershipBucket {
  const entry: EmployeeMembership = { calendar: 'Wöchentlich', periodId: '3_7', askedAt: AT };
  const employees = Object.fromEntries(ids.map((id) => [id, entry]));
  return { index, employees, ...(surveys === undefined ? {} : { surveys: { ...surveys } }) };
}
