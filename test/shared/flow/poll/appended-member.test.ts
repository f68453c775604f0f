import { expect, test } from 'vitest';
import { layOutGeneration } from '#shared/core/commit/generation.ts';
import { feedDefinition, type StateRow } from '#shared/core/records/feed-definition.ts';
import { TIMESHEET_FIELDS } from '#shared/core/records/timesheet.ts';
import { toLeafRef } from '#shared/core/snapshot/snapshot.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { clocking, DATE, detail, TIMESHEETS, timesheet } from '#test/support/builders.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';
import { packedStore } from '#test/support/packed-store.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const ID = '1001_7';

/** A timesheet as stored before the last member of clock records and of details was watched. */
async function watchSinceBefore(values: object = {}) {
  const harness = new PollHarness({ store: packedStore(createMemorySnapshotStore()) });
  const record = timesheet({ id: ID, clockIn: clocking({ beacon: true }), ...values });
  await harness.see(record);
  await forgetLastMembers(harness.store);
  return { harness, record };
}

test('a member that was appended after its row was stored is no change, and its later change is one', async () => {
  const { harness, record } = await watchSinceBefore();

  expect(await harness.see(record)).toEqual([]);
  expect(await harness.see({ ...record, clockIn: clocking({ beacon: false }) })).toMatchObject([
    {
      type: 'workforce.timesheet.clock_in_corrected',
      sequence: 1,
      data: { previous: { clockIn: { beacon: true } }, current: { clockIn: { beacon: false } } },
    },
  ]);
  expect(await harness.see({ ...record, details: [detail({ restBreak: true })] })).toMatchObject([
    { type: 'workforce.timesheet.changed', data: { changed: ['details'] } },
    { type: 'workforce.timesheet.clock_in_corrected' },
  ]);
});

test('a member has to be appended as optional: else an event with the value before is not committed', async () => {
  const { harness, record } = await watchSinceBefore();

  const events = await harness.see({ ...record, clockIn: clocking({ beacon: true, variance: 9 }) });

  expect(events).toEqual([]);
  expect((await harness.state()).unreadable[ID]?.cause).toBe('data.previous.clockIn.beacon');
});

test('the same instant in another notation is no change at the first look either', async () => {
  const { harness, record } = await watchSinceBefore();

  expect(
    await harness.see({ ...record, clockIn: clocking({ beacon: true, localTime: '2026-03-05T09:01:30Z' }) }),
  ).toEqual([]);
});

/** Stores the rows of the date again, each composite value without its last member. */
async function forgetLastMembers(store: SnapshotStore): Promise<void> {
  const [head] = (await store.loadHeads(TIMESHEETS, DATE)).filter(({ slice }) => slice === DATE);
  if (head === undefined) throw new Error('no head');
  const stored = await store.readLeaves(TIMESHEETS, [toLeafRef(head, ID)]);
  const rows = stored
    .flatMap((leaf) => leaf.rows)
    .map((row) => ({ ...row, state: row.state.map((value, index) => shorten(value, index)) }));
  const base = { ...head, revision: head.revision + 1 };
  const older = layOutGeneration(feedDefinition('timesheets'), base, { rows, tombstones: [] });
  const outcome = await store.commit({
    feed: TIMESHEETS,
    token: 'older',
    heads: [{ head: older.head, expectedRevision: head.revision, changedLeaves: null }],
    leaves: older.leaves,
    events: null,
    eventsExpireAt: 0,
  });
  expect(outcome).toBe('committed');
}

function shorten(value: StateRow[number], index: number): StateRow[number] {
  const field = TIMESHEET_FIELDS[index];
  if (field?.members === undefined || !Array.isArray(value)) return value;
  return field.many === true
    ? value.map((each) => (Array.isArray(each) ? each.slice(0, -1) : each))
    : value.slice(0, -1);
}
