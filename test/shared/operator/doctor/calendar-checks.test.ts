import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDynamoStore } from '#shared/adapters/dynamo/store.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { checkCalendars } from '#shared/operator/doctor/source-checks.ts';
import type { Target } from '#shared/operator/target.ts';
import { payPeriod, storedRow } from '#test/support/builders.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { seedStore } from '#test/support/seeded-store.ts';

const NOW = Date.parse('2026-03-20T12:00:00Z');

let dynamo: EmbeddedDynamo;

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
  const store = createDynamoStore({ ...dynamo, sleep: async () => {}, random: () => 0 });
  const rows = [storedRow(payPeriod()), storedRow(payPeriod({ id: '4_7', calendar: 'Monthly' }))];
  await seedStore(store, { at: NOW, slices: [{ feed: 'pay-periods', rows }] });
});

afterAll(() => dynamo.stop());

describe('the calendars of a connection', () => {
  test('are named where none has a deadline', async () => {
    expect(await check([])).toEqual([
      {
        about: 'calendars of main',
        outcome: 'ok',
        says: 'Monthly, Weekly: none has a deadline, so nobody is reminded',
      },
    ]);
  });

  test('that the source does not have are named', async () => {
    const calendars = [
      { name: 'Weekly', closesAt: 'Fri 10:00' },
      { name: 'Wekly', closesAt: 'Fri 10:00' },
    ];
    expect(await check(calendars)).toEqual([
      { about: 'calendars of main', outcome: 'ok', says: 'Weekly closes Fri 10:00' },
      {
        about: 'calendar Wekly of main',
        outcome: 'warning',
        says: 'the source has no pay calendar of this name, so nobody is reminded of it',
        mend: 'name one of Monthly, Weekly in calendars',
      },
    ]);
  });

  test('have open periods whose first dates are read no more, where the window is too short', async () => {
    const ofWeekly = (findings: Awaited<ReturnType<typeof check>>) =>
      findings.filter(({ about, outcome }) => about.startsWith('calendar ') && outcome === 'warning');
    expect(ofWeekly(await check([], { backDays: 18 }))).toEqual([]);
    const [weekly, monthly, ...others] = ofWeekly(await check([], { backDays: 14 }));
    expect(weekly).toMatchObject({
      about: 'calendar Weekly of main',
      says: expect.stringContaining('2026-03-02 to 2026-03-08 is open, and its dates before 2026-03-06'),
      mend: expect.stringContaining('window.backDays of main'),
    });
    expect([monthly?.about, others]).toEqual(['calendar Monthly of main', []]);
    // Of one that was forgotten long ago nothing is read at all.
    expect(ofWeekly(await check([], { backDays: 3 }))).toEqual([]);
  });

  test('are not judged before a pay period was seen', async () => {
    expect(await check([{ name: 'Wekly', closesAt: 'Fri 10:00' }], { name: 'other' })).toEqual([
      { about: 'calendars of other', outcome: 'ok', says: 'no pay period was seen yet' },
    ]);
  });
});

async function check(
  calendars: readonly object[],
  { name = 'main', backDays = 35 }: { readonly name?: string; readonly backDays?: number } = {},
) {
  const connection = connectionSchema.parse({
    ...{ name, baseUrl: 'https://acme.workforce.example', timeZone: 'UTC', secretName: 'main' },
    ...{ calendars, window: { backDays } },
  });
  const system = { now: () => NOW, sleep: async () => {}, random: () => 0 };
  const { client: dynamoDb, tableName } = dynamo;
  return await checkCalendars(connection, { dynamoDb, tableName, system } as unknown as Target);
}
