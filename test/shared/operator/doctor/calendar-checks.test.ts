import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDynamoStore } from '#shared/adapters/dynamo/store.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { checkCalendars } from '#shared/operator/doctor/source-checks.ts';
import type { Target } from '#shared/operator/target.ts';
import { payPeriod, storedRow } from '#test/support/builders.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { seedStore } from '#test/support/seeded-store.ts';
import { showFinding } from './show-finding.ts';

const NOW = Date.parse('2026-03-20T12:00:00Z');

let dynamo: EmbeddedDynamo;

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
  const store = createDynamoStore({ ...dynamo, sleep: async () => {}, random: () => 0 });
  const rows = [storedRow(payPeriod()), storedRow(payPeriod({ id: '4_7', calendar: 'Monthly' }))];
  await seedStore(store, { at: NOW, slices: [{ feed: 'pay-periods', rows }] });
});

afterAll(() => dynamo.stop());

const DUE = { closesAt: 'Fri 10:00' };

test.each([
  [
    'where none has a deadline',
    [],
    'main',
    ['ok calendars of main: Monthly, Weekly: none has a deadline, so nobody is reminded'],
  ],
  [
    'that the source does not have',
    [
      { name: 'Weekly', ...DUE },
      { name: 'Wekly', ...DUE },
    ],
    'main',
    [
      'ok calendars of main: Weekly closes Fri 10:00',
      'warning calendar Wekly of main: the source has no pay calendar of this name, so nobody is reminded of it; name one of Monthly, Weekly in calendars',
    ],
  ],
  [
    'before a pay period was seen, which are not judged',
    [{ name: 'Wekly', ...DUE }],
    'other',
    ['ok calendars of other: no pay period was seen yet'],
  ],
])('calendars are named %s', async (_, calendars, name, expected) => {
  expect(await check(calendars, { name })).toEqual(expected);
});

test.each([
  [18, []],
  [14, ['Weekly', 'Monthly']],
  // Of one that was forgotten long ago nothing is read at all.
  [3, []],
])(
  'a window of %d days back: the first dates of open periods are read no more of %j',
  async (backDays, names) => {
    const unread = names.map(
      (name) =>
        `warning calendar ${name} of main: the pay period 2026-03-02 to 2026-03-08 is open, and its dates before 2026-03-06 are read no more: its closing would count them as they were; raise window.backDays of main, and deploy, so that it reaches from the closing of a period back to its first date`,
    );
    expect((await check([], { backDays })).slice(1)).toEqual(unread);
  },
);

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
  const target = { dynamoDb, tableName, system } as unknown as Target;
  return (await checkCalendars(connection, target)).map(showFinding);
}
