import { beforeEach, describe, expect, test } from 'vitest';
import { dataSchema } from '#shared/core/definitions/event-schemas.ts';
import { SourceError } from '#shared/core/errors.ts';
import type { Readiness } from '#shared/core/periods/readiness-data.ts';
import { shortenRows } from '#test/simulation/breadth/shorter-rows.ts';
import { clocking, payPeriod, type SampleRecord, timesheet } from '#test/support/builders.ts';
import { createMemorySnapshotStore, type MemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';
import { PollHarness, type PublishedEvent } from '#test/support/poll-harness.ts';

/** The week of Monday 2 to Sunday 8 March closes on Tuesday 10 March at 10:00. */
const CALENDAR = { name: 'Weekly', closesAt: 'Tue 10:00', remindBefore: ['1d', '4h', '1h'] };
const STAMP = '2026-03-09T02:00:00.000Z';
const APPROVED = { approvedHours: '2026-03-05T01:00:00.000Z' };

let harness: PollHarness;
let periods: readonly SampleRecord[];

beforeEach(async () => {
  periods = [payPeriod()];
  harness = await begin();
});

describe('before the deadline of an open pay period', () => {
  test('each moment tells once what is not approved', async () => {
    await pollAt('2026-03-09T09:59:00Z');
    expect(reminders()).toEqual([]);
    await pollAt('2026-03-09T10:00:00Z');
    await pollAt('2026-03-09T10:01:00Z');
    await pollAt('2026-03-10T06:00:00Z');
    await pollAt('2026-03-10T09:00:00Z');
    await pollAt('2026-03-10T09:01:00Z');
    expect(reminders()).toEqual(['1d', '4h', '1h']);
    expect(harness.published.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    for (const { data } of harness.published) dataSchema('pay_period.readiness').parse(data);
  });

  test('its event says whose timesheets these are, by department', async () => {
    await pollAt('2026-03-10T06:00:00Z');
    const [event] = harness.published;
    expect(event).toMatchObject({
      type: 'workforce.pay_period.readiness',
      subject: '3_7',
      time: '2026-03-10T06:00:00.050Z',
      data: {
        payPeriodId: '3_7',
        current: { calendar: 'Weekly', closed: null },
        changed: [],
        observed: { after: '2026-03-10T06:00:00.000Z', by: '2026-03-10T06:00:00.050Z' },
        deadline: '2026-03-10T10:00:00.000Z',
        reminder: { before: '4h', at: '2026-03-10T06:00:00.000Z' },
        summaries: [],
      },
    });
    expect(readinessOf(event)).toMatchObject({
      ...{ through: '2026-03-08', complete: true, missing: null, members: 'all', membersUnknown: 0 },
      ...{ timesheets: 3, employees: 3, approved: 1, unapproved: 2, unapprovedEmployees: 2 },
      ...{ unapprovedHours: 15, hoursToPay: 22.5, payrollUnapproved: null, departments: 2 },
      byDepartment: [
        { departmentId: '501_7', timesheets: 2, unapproved: 1, unapprovedEmployees: 1, unapprovedHours: 7.5 },
        { departmentId: '502_7', timesheets: 1, unapproved: 1, unapprovedEmployees: 1, unapprovedHours: 7.5 },
      ],
      waiting: [
        { timesheetId: '1_7', employeeId: '2001_7', date: '2026-03-05', hours: 7.5, missing: ['approval'] },
        { timesheetId: '3_7', employeeId: '2003_7', date: '2026-03-06', missing: ['clock_out', 'approval'] },
      ],
    });
  });

  test('nothing is told when all is approved, neither then nor a minute later', async () => {
    harness.change(APPROVED);
    await pollTimesheets('2026-03-10T05:50:00Z');
    await pollAt('2026-03-10T06:00:00Z');
    harness.change({ approvedHours: null }, ['1_7']);
    await pollTimesheets('2026-03-10T06:00:30Z');
    await pollAt('2026-03-10T06:01:00Z');
    expect(reminders()).toEqual([]);
  });

  test('after an outage the latest moment that passed is told, and none after the deadline', async () => {
    await pollAt('2026-03-10T09:40:00Z');
    expect(reminders()).toEqual(['1h']);
    harness = await begin();
    await pollAt('2026-03-10T10:00:00Z');
    expect(reminders()).toEqual([]);
  });

  test('a moment at which its list leaves it out is told all the same, of what is stored', async () => {
    periods = [];
    harness.onLookUp = () => new SourceError('source_failed', 'the source answered with 500');
    for (const at of ['09:58', '09:59', '10:00', '10:01']) await pollAt(`2026-03-09T${at}:00Z`);
    expect(reminders()).toEqual(['1d']);
    periods = [payPeriod()];
    await pollAt('2026-03-09T10:02:00Z');
    expect(reminders()).toEqual(['1d']);
  });

  test.each([
    ['a last day that is no date', { finishDate: 'Sunday' }],
    ['a closing that is no text', { closed: 7 }],
  ])('a moment at which it is quarantined for %s is told of what is stored', async (_, bad) => {
    const others = Array.from({ length: 40 }, (_, n) =>
      payPeriod({ id: `${n + 10}_7`, startDate: '2026-04-06', finishDate: '2026-04-12' }),
    );
    periods = [payPeriod(), ...others];
    await pollAt('2026-03-09T09:50:00Z');
    harness.news();
    periods = [payPeriod(bad), ...others];
    for (const at of ['09:58', '09:59', '10:00', '10:01']) await pollAt(`2026-03-09T${at}:00Z`);
    expect(harness.news()).toEqual(['began records_unreadable 3_7', 'pay_period.readiness 3_7']);
    periods = [payPeriod(), ...others];
    await pollAt('2026-03-09T10:02:00Z');
    await pollAt('2026-03-09T10:03:00Z');
    expect(harness.news()).toEqual(['ended records_unreadable 3_7']);
  });

  test('a moment at which it is stored with a field less is told once the source was read again', async () => {
    const store = createMemorySnapshotStore();
    harness = await begin(store);
    await pollAt('2026-03-09T09:59:00Z');
    await shortenRows(store, harness.connection.name);
    harness.payPeriods = () => {
      throw new SourceError('source_failed', 'the source answered with 500');
    };
    await pollAt('2026-03-09T10:00:00Z');
    expect(reminders()).toEqual([]);
    harness.payPeriods = () => periods;
    await pollAt('2026-03-09T10:01:00Z');
    await pollAt('2026-03-09T10:02:00Z');
    expect(reminders()).toEqual(['1d']);
  });

  test('of many periods each is told of once, twenty in a poll', async () => {
    periods = Array.from({ length: 45 }, (_, n) => payPeriod({ id: `${n + 1}_7` }));
    await pollAt('2026-03-09T09:59:00Z');
    harness.news();
    const told: number[] = [];
    for (const minute of ['00', '01', '02', '03']) {
      await pollAt(`2026-03-09T10:${minute}:00Z`);
      told.push(reminders().length);
    }
    expect(told).toEqual([20, 40, 45, 45]);
    expect(new Set(harness.published.map(({ subject }) => subject)).size).toBe(45);
  });

  test('a closed period is left alone, also when the poll that saw it close is the one at the moment', async () => {
    periods = [payPeriod({ closed: '2026-03-10' })];
    await pollAt('2026-03-10T06:00:00Z');
    expect(harness.news()).toEqual([]);
    await pollAt('2026-03-10T06:05:00Z');
    expect(harness.news()).toEqual(['pay_period.closed 3_7']);
  });

  test('a period that is reopened after a moment is told of at the next one', async () => {
    periods = [payPeriod({ closed: '2026-03-09' })];
    await pollAt('2026-03-10T06:00:00Z');
    periods = [payPeriod()];
    await pollAt('2026-03-10T06:05:00Z');
    await pollAt('2026-03-10T09:00:00Z');
    expect(reminders()).toEqual(['1h']);
  });

  test('its later events go on with the sequence and know of the reminder', async () => {
    await pollAt('2026-03-10T06:00:00Z');
    periods = [payPeriod({ closed: '2026-03-10' })];
    await pollAt('2026-03-10T06:30:00Z');
    await pollAt('2026-03-10T06:35:00Z');
    periods = [payPeriod()];
    await pollAt('2026-03-10T06:36:00Z');
    expect(harness.published.map(({ type, sequence }) => [type.replace(/^.*\./, ''), sequence])).toEqual([
      ['readiness', 1],
      ['closed', 2],
      ['reopened', 3],
    ]);
  });
});

describe('a daily summary', () => {
  const summaries = ['08:00'];

  test('is told once a day while the period is open, of the days that are over', async () => {
    for (const at of ['05T07:59', '05T08:00', '05T08:01', '06T08:00', '06T09:00'])
      await pollAt(`2026-03-${at}:00Z`, { summaries });
    const told = harness.published.map(({ data, time }) => [
      time.slice(0, 16),
      data.reminder,
      data.summaries,
      (data.readiness as Readiness).through,
      (data.readiness as Readiness).unapproved,
    ]);
    // On the fifth no day with a timesheet is over yet.
    expect(told).toEqual([['2026-03-06T08:00', null, ['08:00'], '2026-03-05', 1]]);
  });

  test('and nothing is told without channels that want one', async () => {
    await pollAt('2026-03-06T08:00:00Z');
    expect(harness.published).toEqual([]);
  });
});

describe('what is open of a closed period', () => {
  const summaries = ['08:00'];

  beforeEach(async () => {
    harness.change({ ...APPROVED, processed: STAMP });
    await pollTimesheets('2026-03-09T02:00:00Z');
    const next = payPeriod({ id: '4_7', startDate: '2026-03-09', finishDate: '2026-03-22' });
    periods = [payPeriod({ closed: '2026-03-09' }), next];
    harness.put(timesheet({ id: '4_7', employeeId: '2001_7', date: '2026-03-09' }));
    for (const at of ['03:00', '03:05', '03:10']) await pollAt(`2026-03-09T${at}:00Z`);
    await pollTimesheets('2026-03-09T03:20:00Z');
    for (const at of ['03:30', '03:35']) await pollAt(`2026-03-09T${at}:00Z`);
    harness.news();
  });

  test('stands in the daily summary of its calendar until it is processed', async () => {
    harness.change({ hoursToPay: 8, processed: null }, ['1_7']);
    await pollTimesheets('2026-03-09T12:00:00Z');
    for (const at of ['10T08:00', '11T08:00']) await pollAt(`2026-03-${at}:00Z`, { summaries });
    const open = { payPeriods: 1, timesheets: 1, hours: 8, complete: true };
    expect(stillOpen()).toEqual([open, open]);
    const readiness = harness.published.filter(({ type }) => type.endsWith('.readiness'));
    for (const { data } of readiness) dataSchema('pay_period.readiness').parse(data);
    harness.change({ processed: '2026-03-11T09:00:00.000Z' }, ['1_7']);
    await pollTimesheets('2026-03-11T12:00:00Z');
    await pollAt('2026-03-12T08:00:00Z', { summaries });
    expect(stillOpen()).toEqual([null]);
  });

  test('is in no reminder, which is due at another moment', async () => {
    harness.change({ processed: null }, ['1_7']);
    await pollTimesheets('2026-03-09T12:00:00Z');
    await pollAt('2026-03-23T10:00:00Z');
    expect(stillOpen()).toEqual([null]);
  });

  test('is not known any more when its dates are not read any more', async () => {
    harness.change({ processed: null }, ['1_7']);
    await pollTimesheets('2026-03-09T12:00:00Z');
    for (const at of ['18T08:00', '19T08:00']) await pollAt(`2026-03-${at}:00Z`, { summaries });
    expect(stillOpen()).toEqual([{ payPeriods: 1, timesheets: 1, hours: 7.5, complete: true }, null]);
  });

  test('is said once where two open periods of a calendar are summarized', async () => {
    harness.change({ processed: null }, ['1_7']);
    harness.put(timesheet({ id: '5_7', employeeId: '2002_7', date: '2026-03-09' }));
    periods = [...periods, payPeriod({ id: '5_7', startDate: '2026-03-09', finishDate: '2026-03-15' })];
    await pollTimesheets('2026-03-09T12:00:00Z');
    await pollAt('2026-03-09T12:10:00Z');
    await pollAt('2026-03-10T08:00:00Z', { summaries });
    expect(stillOpen()).toEqual([expect.objectContaining({ timesheets: 1 }), null]);
  });
});

describe('when a poll ends in the middle', () => {
  test('after the commit of the event: it is not told again', async () => {
    const store = createMemorySnapshotStore();
    harness = await begin(store);
    const { saveFeedState } = store;
    store.saveFeedState = async () => {
      throw new Error('killed');
    };
    await expect(pollAt('2026-03-10T06:00:00Z')).rejects.toThrow('killed');
    store.saveFeedState = saveFeedState;
    await pollAt('2026-03-10T06:01:00Z');
    await pollAt('2026-03-10T06:02:00Z');
    expect(reminders()).toEqual(['4h']);
  });

  test('before the commit: the next poll tells it', async () => {
    const store = createMemorySnapshotStore();
    harness = await begin(store);
    const { commit } = store;
    store.commit = async () => 'conflict';
    expect(await pollAt('2026-03-10T06:00:00Z')).toMatchObject({ outcome: 'incomplete' });
    store.commit = commit;
    await pollAt('2026-03-10T06:01:00Z');
    expect(reminders()).toEqual(['4h']);
  });
});

test('between the moments nothing more is read or asked than without a calendar', async () => {
  const reads: string[] = [];
  const store = createMemorySnapshotStore();
  harness = await begin(store);
  const { readLeaves, loadHeads } = store;
  store.readLeaves = async (feed, refs) => {
    reads.push(`leaves of ${feed.feed}`);
    return await readLeaves(feed, refs);
  };
  store.loadHeads = async (feed, from) => {
    reads.push(`heads of ${feed.feed}`);
    return await loadHeads(feed, from);
  };
  const before = harness.requests.pages;
  await pollAt('2026-03-10T06:05:00Z');
  reads.length = 0;
  await pollAt('2026-03-10T06:06:00Z');
  expect(reads).toEqual(['heads of pay-periods']);
  expect(harness.requests).toEqual({ pages: before + 2, byId: 0, members: 0 });
});

async function begin(store: MemorySnapshotStore = createMemorySnapshotStore()): Promise<PollHarness> {
  const created = new PollHarness({
    store,
    connection: { calendars: [CALENDAR], window: { backDays: 10, forwardDays: 3 } },
    startAt: '2026-03-05T01:00:00Z',
  });
  created.payPeriods = () => periods;
  created.put(
    timesheet({ id: '1_7', employeeId: '2001_7' }),
    timesheet({ id: '2_7', employeeId: '2002_7', date: '2026-03-06', ...APPROVED }),
    timesheet({
      ...{ id: '3_7', employeeId: '2003_7', date: '2026-03-06', clockIn: clocking() },
      department: { id: '502_7', name: 'Bar' },
    }),
  );
  await created.poll({ scope: 'window' });
  await created.poll({ feed: 'pay-periods' });
  created.news();
  return created;
}

async function pollAt(at: string, values: { readonly summaries?: string[] } = {}) {
  harness.now = Date.parse(at);
  return await harness.poll({ feed: 'pay-periods', atOnce: true, ...values });
}

/** Sees the timesheets as they are, without their events. */
async function pollTimesheets(at: string): Promise<void> {
  harness.now = Date.parse(at);
  await harness.poll({ scope: 'window', atOnce: true });
  harness.news();
}

function stillOpen(): unknown[] {
  return harness.published
    .filter(({ type }) => type === 'workforce.pay_period.readiness')
    .map(({ data }) => data.stillOpen);
}

function reminders(): unknown[] {
  return harness.published
    .filter(({ type }) => type === 'workforce.pay_period.readiness')
    .map(({ data }) => (data.reminder as { readonly before: string } | null)?.before);
}

function readinessOf(event: PublishedEvent | undefined): unknown {
  return event?.data.readiness;
}
