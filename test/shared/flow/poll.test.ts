import { describe, expect, test } from 'vitest';
import { SourceError } from '#shared/core/errors.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import {
  createBaselineEvent,
  createEvent,
  createReport,
  DETAILS,
  FACTS,
  SEEN_AT,
} from '#test/shared/flow/poll/expected-outcomes.ts';
import { clocking, DATE, MINUTE_MS, NEXT_DATE, TIMESHEETS, timesheet } from '#test/support/builders.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';
import { PollHarness, type PollHarnessOptions } from '#test/support/poll-harness.ts';

/**
 * What a poll does, to be read from top to bottom. The window has three dates, with three timesheets on the second one.
 * The first poll, at 01:00, reads the baseline; most tests begin with the second one, at 01:01.
 */

const FIRST_DATE = '2026-03-04';
const LAST_DATE = NEXT_DATE;
const SEEN_A_MINUTE_LATER_AT = '2026-03-05T01:02:00.050Z';
const STAMP = '2026-03-05T00:59:30.000Z';

describe('the first poll', () => {
  test('baselines what the source has, without an event for each record', async () => {
    const harness = createHarness();

    expect(await harness.poll()).toEqual(
      createReport({ counts: { eventsCommitted: 1, eventsPublished: 1 } }),
    );
    expect(harness.published).toEqual([createBaselineEvent()]);
  });
});

describe('nothing new', () => {
  test('costs one request, writes no event, and is one line', async () => {
    const harness = await createBaselined();

    expect(await harness.poll()).toEqual(createReport());
    expect(harness.published).toEqual([]);
    const { connection, feed, outcome, remainingSlices, counts } = createReport();
    expect(harness.lines).toEqual([
      {
        outcome: 'poll.completed',
        connection,
        feed,
        run: expect.any(String),
        result: outcome,
        reason: null,
        reasons: 0,
        remainingSlices,
        ...counts,
        worstLateSeconds: 0,
        doubtfulSlices: 0,
        credentialRefused: 0,
        publishFailed: 0,
        duration_ms: 50,
      },
    ]);
  });

  test('is also a change to a field that nobody watches', async () => {
    const harness = await createBaselined();
    harness.change({ payRollNote: 'checked' }, ['2_1']);

    expect(await harness.poll()).toEqual(createReport());
    expect(harness.published).toEqual([]);
  });
});

describe('one change', () => {
  test('is one event: what it is now, what it was, and between which two reads it happened', async () => {
    const harness = await createBaselined();
    harness.change({ hoursToPay: 8 }, ['2_1']);

    expect(await harness.poll()).toEqual(
      createReport({ counts: { changes: 1, eventsCommitted: 1, eventsPublished: 1 } }),
    );
    expect(harness.published).toEqual([
      createEvent('timesheet.changed', '2_1', {
        current: { ...FACTS, hoursToPay: 8 },
        previous: { hoursToPay: 7.5 },
        changed: ['hoursToPay'],
      }),
    ]);
  });

  test('is published once, however often it is seen', async () => {
    const harness = await createBaselined();
    harness.change({ hoursToPay: 8 }, ['2_1']);
    await harness.poll();
    harness.news();

    expect(await harness.poll()).toEqual(createReport({ counts: { requests: 2 } }));
    expect(harness.published).toEqual([]);
  });
});

describe('many changes', () => {
  test('are the steps of each record in the order of its life', async () => {
    const harness = await createBaselined();
    const clockIn = clocking();
    harness.change({ clockIn, approvedHours: STAMP }, ['1_1']);
    harness.change({ date: LAST_DATE }, ['2_1']);
    harness.remove('3_1');
    harness.put(timesheet({ id: '4_1', date: LAST_DATE }));

    expect(await harness.poll()).toEqual(
      // The second request asks by id for the record that the list no longer contains.
      createReport({ counts: { requests: 2, changes: 4, eventsCommitted: 5, eventsPublished: 5 } }),
    );
    const { id, localTime, variance, kiosk, beacon } = clockIn;
    const worked = {
      ...FACTS,
      clockIn: { id, localTime, variance, kiosk, beacon },
      approvedHours: STAMP,
    };
    expect(harness.published).toEqual([
      createEvent('timesheet.clocked_in', '1_1', {
        current: worked,
        previous: { clockIn: null },
        changed: ['clockIn'],
        occurredAt: '2026-03-05T09:01:30.000Z',
        collapsed: true,
      }),
      createEvent('timesheet.approved', '1_1', {
        sequence: 2,
        current: worked,
        previous: { approvedHours: null },
        changed: ['approvedHours'],
        occurredAt: STAMP,
        collapsed: true,
      }),
      createEvent('timesheet.removed', '3_1', {
        seenAt: '2026-03-05T01:01:00.100Z',
        current: null,
        previous: { ...FACTS, details: DETAILS },
      }),
      createEvent('timesheet.changed', '2_1', {
        current: { ...FACTS, date: LAST_DATE },
        previous: { date: DATE },
        changed: ['date'],
      }),
      createEvent('timesheet.created', '4_1', {
        epoch: SEEN_AT,
        current: { ...FACTS, date: LAST_DATE, details: DETAILS },
        previous: null,
      }),
    ]);
  });
});

describe('a conflict', () => {
  test('of two polls that see the same change, the first to commit publishes it and the other nothing', async () => {
    const { fast, slow } = await createRivals((source) => source.change({ hoursToPay: 8 }, ['1_1']));

    expect(await slow.poll()).toEqual(
      // `slow` reads and compares the date once more.
      createReport({ counts: { slices: 4, records: 6, requests: 2, conflicts: 1 } }),
    );
    expect(slow.published).toEqual([]);
    expect(fast.published).toEqual([
      createEvent('timesheet.changed', '1_1', {
        current: { ...FACTS, hoursToPay: 8 },
        previous: { hoursToPay: 7.5 },
        changed: ['hoursToPay'],
      }),
    ]);
  });
});

describe('another poll at work', () => {
  test('leaves the hot dates to one poll a minute, and everything else to that other poll', async () => {
    const harness = await createBaselined({ window: { backDays: 9, forwardDays: 9 } });
    harness.now += 60 * MINUTE_MS;
    harness.walks.length = 0;
    const lease = { owner: 'other', now: harness.now, expiresAt: harness.now + 299_000, takeOver: false };
    await harness.store.acquireLease(TIMESHEETS, lease);

    expect(await harness.poll()).toEqual(createReport());
    expect(harness.walks.map(({ range }) => range)).toEqual([{ from: FIRST_DATE, to: LAST_DATE }]);
    expect(await harness.poll({ atOnce: true })).toEqual(
      createReport({
        outcome: 'skipped',
        reasons: ['another poll of this feed holds the lease'],
        baselined: false,
        counts: { slices: 0, records: 0, requests: 0 },
      }),
    );
    expect(await harness.poll()).toEqual(createReport({ counts: { requests: 2 } }));
  });
});

describe('an incomplete scan', () => {
  test('proves nothing about its date, and holds up no other date', async () => {
    const harness = await createBaselined();
    harness.remove('3_1');
    harness.put(timesheet({ id: '4_1', date: LAST_DATE }));
    harness.onPage = ({ from, to }) => (from <= DATE && DATE <= to ? createFailure() : null);

    expect(await harness.poll()).toEqual(
      createReport({
        outcome: 'incomplete',
        reasons: ['2026-03-05 cannot be read: the source answered 502'],
        // The list that failed is halved until the date stands alone.
        counts: { slices: 8, records: 1, requests: 6, changes: 1, eventsCommitted: 1, eventsPublished: 1 },
      }),
    );
    const seenAt = '2026-03-05T01:01:00.150Z';
    expect(harness.published).toEqual([
      createEvent('timesheet.created', '4_1', {
        epoch: seenAt,
        seenAt,
        current: { ...FACTS, date: LAST_DATE, details: DETAILS },
        previous: null,
      }),
    ]);

    harness.onPage = () => null;
    await harness.pollFor(3);
    expect(harness.headings.slice(1)).toEqual(['timesheet.removed 3_1']);
  });
});

describe('a refused credential', () => {
  test('ends the poll with its first request; the next poll misses nothing', async () => {
    const harness = await createBaselined();
    harness.change({ hoursToPay: 8 }, ['1_1']);
    harness.onPage = () => new SourceError('source_unauthorised', 'the source answered 401', { status: 401 });

    expect(await harness.poll()).toEqual(
      createReport({
        outcome: 'refused',
        remainingSlices: 3,
        reasons: ['the source answered 401'],
        counts: { records: 0 },
      }),
    );
    expect(harness.lines.at(-1)).toMatchObject({ result: 'refused', credentialRefused: 1 });
    expect(harness.published).toEqual([]);

    harness.onPage = () => null;
    expect(await harness.poll()).toEqual(
      createReport({ counts: { requests: 2, changes: 1, eventsCommitted: 1, eventsPublished: 1 } }),
    );
    expect(harness.published).toEqual([
      createEvent('timesheet.changed', '1_1', {
        seenAt: SEEN_A_MINUTE_LATER_AT,
        current: { ...FACTS, hoursToPay: 8 },
        previous: { hoursToPay: 7.5 },
        changed: ['hoursToPay'],
      }),
    ]);
  });
});

describe('a deadline', () => {
  test('leaves time to commit and publish what was read, and the rest to the next poll', async () => {
    const harness = await createBaselined({}, { pageSize: 1 });
    harness.put(timesheet({ id: '4_1', date: FIRST_DATE }), timesheet({ id: '5_1', date: LAST_DATE }));
    harness.change({ hoursToPay: 8 }, ['1_1']);
    harness.requestMs = 60_000;

    expect(await harness.poll()).toEqual(
      createReport({
        outcome: 'incomplete',
        reasons: [
          'the time for this poll ended within 2026-03-04 to 2026-03-06; the next poll goes on from there',
        ],
        counts: { records: 4, requests: 4, changes: 2, eventsCommitted: 2, eventsPublished: 2 },
      }),
    );
    expect(harness.news()).toEqual(['timesheet.created 4_1', 'timesheet.changed 1_1']);

    harness.requestMs = 50;
    await harness.poll();
    expect(harness.news()).toEqual(['timesheet.created 5_1']);
  });
});

describe('the outbox', () => {
  test('goes out first: what an earlier poll could not publish comes before what this one finds', async () => {
    const harness = await createBaselined();
    harness.accepts = () => false;
    harness.change({ hoursToPay: 8 }, ['1_1']);
    expect(await harness.poll()).toEqual(
      createReport({ counts: { changes: 1, eventsCommitted: 1, eventsPublished: 0, eventsWaiting: 1 } }),
    );

    harness.accepts = () => true;
    harness.change({ hoursToPay: 9 }, ['1_1']);
    expect(await harness.poll()).toEqual(
      createReport({ counts: { requests: 2, changes: 1, eventsCommitted: 1, eventsPublished: 2 } }),
    );
    expect(harness.published).toEqual([
      createEvent('timesheet.changed', '1_1', {
        current: { ...FACTS, hoursToPay: 8 },
        previous: { hoursToPay: 7.5 },
        changed: ['hoursToPay'],
      }),
      createEvent('timesheet.changed', '1_1', {
        sequence: 2,
        seenAt: SEEN_A_MINUTE_LATER_AT,
        current: { ...FACTS, hoursToPay: 9 },
        previous: { hoursToPay: 8 },
        changed: ['hoursToPay'],
        observed: { after: '2026-03-05T01:01:00.000Z', by: SEEN_A_MINUTE_LATER_AT },
      }),
    ]);
  });
});

function createHarness(
  connection: object = {},
  options: PollHarnessOptions<SnapshotStore> = {},
): PollHarness<SnapshotStore> {
  const window = { backDays: 1, forwardDays: 1 };
  const harness = new PollHarness({ connection: { window, ...connection }, ...options });
  harness.put(...['1_1', '2_1', '3_1'].map((id) => timesheet({ id })));
  return harness;
}

/** A source whose baseline is committed; counts and news begin anew. */
async function createBaselined(connection: object = {}, options: PollHarnessOptions<SnapshotStore> = {}) {
  const harness = createHarness(connection, options);
  await harness.poll();
  harness.news();
  harness.lines.length = 0;
  harness.requests.pages = 0;
  return harness;
}

/** Two pollers of the same source and table: `fast` polls while `slow` is about to commit for the first time. */
async function createRivals(whatHappens: (source: PollHarness<SnapshotStore>) => void) {
  const inner = createMemorySnapshotStore();
  const fast = createHarness({}, { store: inner });
  let isFirst = false;
  const commit: SnapshotStore['commit'] = async (step) => {
    if (isFirst) {
      isFirst = false;
      await fast.poll();
    }
    return await inner.commit(step);
  };
  const slow = await createBaselined({}, { store: { ...inner, commit } });
  fast.now = slow.now;
  for (const source of [fast, slow]) whatHappens(source);
  isFirst = true;
  return { fast, slow };
}

function createFailure(): SourceError {
  return new SourceError('source_failed', 'the source answered 502', { status: 502 });
}
