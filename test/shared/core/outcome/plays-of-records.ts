import { findTransitions } from '#shared/core/events/transitions.ts';
import { PAY_FEEDS } from '#shared/core/feeds.ts';
import type { PollReason, Reason } from '#shared/core/outcome/reasons.ts';
import { feedDefinition, parseRow, toState } from '#shared/core/records/feed-definition.ts';
import { walkRows } from '#shared/flow/stored-records.ts';
import {
  explainMissing,
  explainRecord,
  type KnownRecord,
  type StoredConnection,
} from '#shared/operator/explain-record.ts';
import { findExpectedReceivers } from '#shared/operator/find-record.ts';
import { clocking, DATE, DAY_MS, payPeriod, storedRow, timesheet } from '#test/support/builders.ts';
import { exampleEvent } from '#test/support/example-event.ts';
import { createMemoryStore } from '#test/support/memory-store.ts';
import { PollHarness } from '#test/support/poll-harness.ts';
import { baselined } from './plays-of-polls.ts';

/** Each makes a record without an event, and returns why it has none: as `notifier events RECORD` says, or by what is told. */
export const PLAYS_OF_RECORDS: Readonly<
  Record<Exclude<Reason, PollReason>, () => Promise<readonly string[]>>
> = {
  feed_unwatched: async () => {
    const feeds = ['timesheets', 'employees'] as const;
    const harness = new PollHarness({
      feeds: feeds.map((name) => ({ name, silent: name === 'employees' })),
    });
    harness.lists.employees = [{ id: '9_7', firstNames: 'Ana', lastName: 'Example', contractedHours: [] }];
    await harness.poll();
    return explain(harness, { feed: 'employees', id: '9_7' });
  },
  outside_window: async () => {
    const harness = await baselined();
    harness.now += 5 * DAY_MS;
    return explain(harness);
  },
  date_dropped: async () => {
    const harness = await baselined();
    harness.now += 80 * DAY_MS;
    await harness.pollFor(2);
    return explain(harness, { lastType: 'workforce.timesheet.changed' });
  },
  overdue: async () => {
    const harness = await baselined();
    harness.now += DAY_MS / 8;
    return explain(harness);
  },
  unknown_record: async () => explainMissing(await load(await baselined())).map(({ reason }) => reason),
  unchanged: async () => explain(await baselined()),
  between_looks: async () => {
    const harness = await baselined();
    harness.change({ clockIn: clocking() });
    harness.change({ clockIn: null });
    await harness.poll();
    return whenQuiet(harness, 'between_looks');
  },
  field_unwatched: () => changeQuietly({ notes: 'another note' }, 'field_unwatched'),
  field_new: async () => {
    const definition = feedDefinition('timesheets');
    const { text } = storedRow(timesheet({ approvedHours: '2026-03-05T00:30:00.000Z' }));
    const now = toState(definition, parseRow(text ?? ''));
    const { approvedHours: _, ...before } = now;
    return findTransitions(definition, before, now).length === 0 ? ['field_new'] : [];
  },
  same_value: () =>
    changeQuietly({ hoursToPay: 7.500_000_01, startTime: '2026-03-05T09:00:00+13:00' }, 'same_value'),
  ahead_of_clock: () => changeQuietly({ approvedHours: '2026-04-05T00:30:00.000Z' }, 'ahead_of_clock'),
  baseline: async () => explain(await baselined()),
  brought_by_time: async () => {
    const harness = await baselined();
    harness.put(timesheet({ id: '2_7', date: harness.day(2) }));
    harness.now += DAY_MS;
    await harness.pollFor(2);
    return explain(harness, { id: '2_7' });
  },
  moved: async () => {
    const harness = await baselined();
    harness.change({ date: harness.day(1) });
    await harness.pollFor(2);
    return harness.news().join() === 'timesheet.changed 1_7' ? ['moved'] : [];
  },
  never_readable: async () => {
    const harness = await baselined();
    harness.put(timesheet({ id: '2_7', date: DATE, hoursToPay: 'seven' }));
    await harness.poll();
    return explain(harness, { id: '2_7' });
  },
  removed: async () => {
    const harness = await baselined();
    harness.remove('1_7');
    await harness.poll();
    return explain(harness, { lastType: harness.published[0]?.type ?? null });
  },
  forgotten: async () =>
    explain(await baselined(), { id: '2_7', lastType: exampleEvent('workforce.employee.forgotten').type }),
  restored: async () => {
    const store = createMemoryStore();
    const harness = await baselined({ store });
    harness.change({ clockIn: clocking() });
    await harness.poll();
    harness.store = store.restored();
    await harness.pollFor(2);
    return explain(harness);
  },
  clocking_not_awaited: async () => {
    const harness = await baselined({ connection: { absences: { clockInMinutes: 15 } } });
    harness.change({ includesLeave: true });
    await harness.poll();
    harness.news();
    harness.now += DAY_MS;
    await harness.poll();
    return whenQuiet(harness, 'clocking_not_awaited');
  },
  no_deadline: async () => explain(await withPeriod(), { feed: 'pay-periods', id: payPeriod().id }),
  not_settled: async () => {
    const harness = await withPeriod();
    harness.lists['pay-periods'] = [payPeriod({ closed: DATE })];
    await harness.pollFor(8);
    return explain(harness, {
      ...{ feed: 'pay-periods', id: payPeriod().id, lastType: 'workforce.pay_period.closed' },
    });
  },
  log_expired: async () => {
    const harness = await baselined();
    harness.change({ clockIn: clocking() });
    await harness.poll();
    return explain(harness);
  },
  no_receiver: async () => {
    const receiver = { name: 'clocks', topics: ['pay-periods'], filter: {} };
    const receivers = { queues: [receiver], webhooks: [] } as never;
    const { leftOut } = findExpectedReceivers(exampleEvent('workforce.timesheet.clocked_in'), receivers);
    return leftOut.includes('queue clocks') ? ['no_receiver'] : [];
  },
};

async function withPeriod(): Promise<PollHarness> {
  const harness = await baselined({ connection: { window: { backDays: 3, forwardDays: 1 } } });
  harness.lists['pay-periods'] = [payPeriod()];
  await harness.poll();
  return harness;
}

interface Asked extends Partial<KnownRecord> {
  readonly id?: string;
}

async function explain(harness: PollHarness, { id = '1_7', ...asked }: Asked = {}): Promise<Reason[]> {
  const { feed = 'timesheets' } = asked;
  let stored: KnownRecord['stored'] = null;
  for await (const { slice, rows } of walkRows('main', { feed, ids: [id] }, harness.store))
    for (const row of rows) stored = { slice, row };
  const known = { feed, stored, lastType: null, unpublished: 0, ...asked };
  return explainRecord(known, await load(harness)).map(({ reason }) => reason);
}

async function load({ connection, store, now }: PollHarness): Promise<StoredConnection> {
  const [state, heads] = await Promise.all([store.loadState('main'), store.loadHeads('main')]);
  if (state === null) throw new Error('the connection was not polled yet');
  return { connection, polled: PAY_FEEDS, published: PAY_FEEDS, now, speed: 1, state, heads };
}

async function changeQuietly(values: object, reason: Reason): Promise<readonly string[]> {
  const harness = await baselined();
  harness.change(values);
  await harness.poll();
  return whenQuiet(harness, reason);
}

/** What is told says so: nothing. */
function whenQuiet(harness: PollHarness, reason: Reason): readonly string[] {
  return harness.news().length === 0 ? [reason] : [];
}
