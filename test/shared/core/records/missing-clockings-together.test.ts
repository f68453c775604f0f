import { describe, expect, test } from 'vitest';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { clocking, DATE, timesheet } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const IDS = Array.from({ length: 30 }, (_, n) => `100_${String(n).padStart(2, '0')}`);
const SETTING = { clockInMinutes: 15 };
const CAME = { clockIn: clocking() };

describe('missing clockings and the other rules', () => {
  test('most of a date that come at once are no mass change', async () => {
    const harness = await createHarness({ window: { backDays: 1, forwardDays: 1 } });
    harness.put(...IDS.map((id) => timesheet({ id, startTime: `${DATE}T08:00:00.000Z` })));
    await pollAt(harness, '07:50');
    expect(await pollAt(harness, '08:15')).toEqual(IDS.map(() => 'timesheet.clock_in_missing'));
    harness.change(CAME);
    const news = await pollAt(harness, '08:16');
    expect(news).toEqual(IDS.map(() => 'timesheet.clocked_in'));
  });

  test('a mass change that is held keeps clockings that are missing because of it', async () => {
    const harness = await createHarness({ window: { backDays: 1, forwardDays: 1 } });
    harness.put(...IDS.map((id) => timesheet({ id, startTime: `${DATE}T08:00:00.000Z`, ...CAME })));
    await pollAt(harness, '08:00');
    harness.change({ clockIn: null });
    expect(await pollAt(harness, '08:20')).toEqual(['began']);
    const news = await pollAt(harness, '08:22');
    expect(news.filter((type) => type === 'timesheet.clock_in_missing')).toHaveLength(30);
    expect(news).toContain('ended');
  });

  test('of a date that time brings in, they are published by the next scan', async () => {
    const harness = await createHarness({ window: { backDays: 1, forwardDays: 0 } });
    const early = { date: '2026-03-06', startTime: '2026-03-06T00:00:00.000Z' };
    harness.put(
      timesheet({ ...early, id: 'absent' }),
      timesheet({ ...early, id: 'approved', approvedHours: '2026-03-05T23:00:00.000Z' }),
      timesheet({ ...early, id: 'noted', approvedPayroll: null, clockOut: clocking() }),
    );
    harness.now = Date.parse('2026-03-06T00:20:00.000Z');
    await harness.poll();
    await harness.poll();
    expect(harness.headings.toSorted()).toEqual([
      'timesheet.approved approved',
      'timesheet.clock_in_missing absent',
      'timesheet.clock_in_missing noted',
      'timesheet.clocked_out noted',
      'timesheet.created approved',
      'timesheet.created noted',
    ]);
  });
});

test.each([
  [{}, 'absences sets clockInMinutes, clockOutHours or both; leave absences out to watch for none'],
  [{ clockInMinutes: 0 }, 'Too small'],
  [{ clockOutHours: 49 }, 'Too big'],
  [{ clockIn: 15 }, 'Unrecognized key'],
])('absences of %j are refused', (absences, message) => {
  const connection = { name: 'main', baseUrl: 'https://a.example', timeZone: 'UTC', secretName: 'main' };
  const [issue] = connectionSchema.safeParse({ ...connection, absences }).error?.issues ?? [];
  expect(issue?.message).toContain(message);
});

async function createHarness(connection: object): Promise<PollHarness> {
  const harness = new PollHarness({
    connection: { ...connection, absences: SETTING },
    startAt: `${DATE}T07:00:00Z`,
  });
  await harness.poll({ scope: 'window' });
  await harness.poll();
  harness.news();
  return harness;
}

/** Types of the news of a poll at a time of the day. */
async function pollAt(harness: PollHarness, time: string): Promise<string[]> {
  harness.now = Date.parse(`${DATE}T${time}:00.000Z`);
  await harness.poll();
  return harness.news().map((heading) => heading.split(' ')[0] ?? '');
}
