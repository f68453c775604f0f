import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { addDays } from '#shared/core/dates.ts';
import { EMPTY_FEED_STATE } from '#shared/core/snapshot/feed-state.ts';
import { checkCalendars } from '#shared/operator/doctor/source-checks.ts';
import type { Target } from '#shared/operator/target.ts';
import { hint } from '#test/support/builders.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';

const NOW = Date.parse('2026-03-20T12:00:00Z');
/** Sundays. */
const WEEKS = ['2026-02-08', '2026-02-15', '2026-02-22', '2026-03-01', '2026-03-08', '2026-03-15'];

let dynamo: EmbeddedDynamo;

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
  const store = createDynamoSnapshotStore({ ...dynamo, sleep: async () => {}, random: () => 0 });
  const closings = WEEKS.flatMap((finishDate, week) => [
    closing(`${week}_1`, finishDate, { at: `${addDays(finishDate, 5)}T09:4${week}:00.000Z` }),
    // Closed again on another day, after it was reopened.
    closing(`${week}_1`, finishDate, { at: `${addDays(finishDate, 6)}T15:00:00.000Z`, sequence: 9 }),
  ]);
  await store.saveFeedState({
    feed: { connection: 'main', feed: 'pay-periods' },
    token: 'state',
    state: {
      ...EMPTY_FEED_STATE,
      revision: 1,
      payPeriods: [hint(), hint({ id: '4_7', calendar: 'Monthly' })],
    },
    expectedRevision: null,
    events: { key: '2026-03-19T10:00:00.000Z/feed/000000001', chunks: [closings] },
    eventsExpireAt: NOW + 86_400_000,
  });
});

afterAll(() => dynamo.stop());

describe('the calendars of a connection', () => {
  test('without deadlines are offered those of their last closings', async () => {
    expect(await check([])).toEqual([
      {
        about: 'calendars of main',
        outcome: 'ok',
        says: 'Monthly, Weekly: none has a deadline, so nobody is reminded',
      },
      {
        about: 'calendar Weekly of main',
        outcome: 'ok',
        says: 'closed 6 of the last 6 times Fri 09:40 to 09:45',
        mend: `to remind people before it, add { name: 'Weekly', closesAt: 'Fri 09:30' } to calendars of main`,
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

function closing(
  subject: string,
  finishDate: string,
  { at, sequence = 3 }: { readonly at: string; readonly sequence?: number },
): string {
  const data = { current: { calendar: 'Weekly', finishDate } };
  return JSON.stringify({ type: 'workforce.pay_period.closed', subject, time: at, sequence, data });
}
