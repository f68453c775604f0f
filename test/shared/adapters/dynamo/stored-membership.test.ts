import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  joinBuckets,
  MEMBERSHIP_RETENTION_MS,
  type MembershipBucket,
  NO_MEMBERSHIP,
} from '#shared/core/snapshot/membership.ts';
import { putItems, readItems, type StoredItem } from '#test/fixtures/stored-formats/stored.ts';
import { useEmbeddedStore } from '#test/support/embedded-store.ts';

/** What the first version with memberships stored. Never written again. */
const FIXTURE = 'test/fixtures/stored-formats/5-membership/rows.json';
const AT = Date.parse('2026-03-05T12:00:00.000Z');
const ROWS: readonly MembershipBucket[] = [
  {
    index: 0,
    employees: { '2001_7': { calendar: 'Weekly', periodId: '3_7', askedAt: AT } },
    surveys: { '3_7': AT },
  },
  { index: 11, employees: { '2002_7': { calendar: null, periodId: '4_7', askedAt: AT, tries: 3 } } },
];

const used = useEmbeddedStore();

describe('stored memberships', () => {
  test('of the first version are read as they were', async () => {
    await putItems(used.dynamo, JSON.parse(readFileSync(FIXTURE, 'utf8')) as StoredItem[]);
    expect(await used.store.loadMembership?.('acme')).toEqual(joinBuckets(ROWS));
  });

  test('are written in that form, with their end', async () => {
    await used.store.saveMembership?.('acme', ROWS);
    const expiresAt = { N: String((AT + MEMBERSHIP_RETENTION_MS) / 1000) };
    const items = JSON.parse(readFileSync(FIXTURE, 'utf8')) as StoredItem[];
    expect(await readItems(used.dynamo)).toEqual(items.map((item) => ({ ...item, expiresAt })));
  });

  test.each([
    ['is no row of ours', { v: { N: '1' }, d: { S: 'by hand' } }],
    ['is of a later version', { v: { N: '2' }, d: { B: '' } }],
    ['is damaged', { v: { N: '1' }, d: { B: 'AAAA' } }],
  ])('count as empty where a row %s, and are asked for again', async (_, values) => {
    await putItems(used.dynamo, [
      { pk: { S: 'broken#membership' }, sk: { S: '00' }, ...values } as StoredItem,
    ]);
    expect(await used.store.loadMembership?.('broken')).toEqual(NO_MEMBERSHIP);
    await used.store.saveMembership?.('broken', ROWS.slice(0, 1));
    expect((await used.store.loadMembership?.('broken'))?.employees.size).toBe(1);
  });
});
