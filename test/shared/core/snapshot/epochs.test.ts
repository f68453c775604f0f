import { describe, expect, test } from 'vitest';
import { WorkingSnapshot } from '#shared/core/commit/working-snapshot.ts';
import { computeEventId, toOperationText } from '#shared/core/events/envelope.ts';
import { compareEpochs, comparePositions } from '#shared/core/events/event-order.ts';
import { toEvents } from '#shared/core/events/events.ts';
import {
  beginEpoch,
  comparePublishedPositions,
  type EpochRule,
  hasEnded,
  NO_EPOCHS,
  toPublishedPosition,
} from '#shared/core/snapshot/epochs.ts';
import { EMPTY_FEED_STATE, type FeedState } from '#shared/core/snapshot/feed-state.ts';
import {
  beginFeedState,
  readEpochRule,
  recognizeTable,
  recordNewestEpoch,
} from '#shared/core/snapshot/recognize-table.ts';
import {
  createChange,
  createEventContext,
  createSnapshot,
  DATE,
  DAY_MS,
  EARLIER,
  leafRow,
  MINUTE_MS,
  NOW,
  slice,
  TIMESHEETS,
  timesheet,
} from '#test/support/builders.ts';

const STAMP = '2026-03-05T00:30:00.000Z';
const SIGHTING = { tableId: 'table-a', now: NOW };
const HERE: FeedState = {
  ...EMPTY_FEED_STATE,
  coverage: { [DATE]: { at: EARLIER, revision: 1 } },
  tableId: 'table-a',
  epoch: EARLIER,
  newestEpoch: NOW,
  sequence: 7,
};

describe('the table that a poll finds itself in', () => {
  test('begins the epoch of a feed that has no state', () => {
    expect(recognizeTable(null, SIGHTING)).toEqual({ ...EMPTY_FEED_STATE, tableId: 'table-a', epoch: NOW });
  });

  test('is the same as long as its id is, or nobody can say it', () => {
    expect(recognizeTable(HERE, SIGHTING)).toEqual(HERE);
    expect(recognizeTable(HERE, { ...SIGHTING, tableId: null })).toEqual(HERE);
  });

  test('begins new epochs for everything when it has another id', () => {
    const [now, tableId] = [NOW + DAY_MS, 'table-b'];
    const state = recognizeTable(HERE, { tableId, now });

    const begun = { restoredAt: now, renewal: { slices: {} }, coverage: {}, epoch: now, sequence: 0 };
    expect(state).toEqual({ ...HERE, tableId, ...begun });
    expect(recognizeTable(state, { tableId, now: now + 1 })).toEqual(state);
  });

  test('begins them after every epoch it has given, whatever the clock says', () => {
    const { restoredAt = 0 } = recognizeTable(HERE, { ...SIGHTING, tableId: 'table-b', now: NOW - DAY_MS });

    expect(restoredAt).toBeGreaterThan(NOW);
  });
});

describe('a new epoch', () => {
  test('is the instant of the scan', () => {
    expect(beginEpoch(NOW, readEpochRule(EMPTY_FEED_STATE))).toBe(NOW);
  });

  test('is later than all that the polls before may have given, when a clock goes back', () => {
    const first = recordNewestEpoch(EMPTY_FEED_STATE, NOW);
    const second = beginEpoch(NOW - DAY_MS, readEpochRule(first));
    const after = recordNewestEpoch(first, NOW - DAY_MS + MINUTE_MS);

    expect(second).toBeGreaterThan(NOW);
    expect(beginEpoch(NOW - DAY_MS, readEpochRule(after))).toBeGreaterThan(second);
  });

  test('is due to what was known before a restore, and to nothing else', () => {
    const restored = { notBefore: NOW, restoredAt: NOW };

    expect([NOW - 1, NOW, NOW + 1].map((epoch) => hasEnded(epoch, restored))).toEqual([true, false, false]);
    expect(hasEnded(0, { notBefore: NOW, restoredAt: null })).toBe(false);
  });
});

describe('the rule of epochs', () => {
  const rules: [string, Partial<FeedState>, EpochRule][] = [
    ['that has given none lets records go on', { epoch: EARLIER }, NO_EPOCHS],
    [
      'that has given epochs begins the next after them',
      { epoch: EARLIER, newestEpoch: NOW },
      { notBefore: NOW + 1, restoredAt: null },
    ],
    [
      'in a restored table ends those of before',
      { epoch: EARLIER, newestEpoch: EARLIER, restoredAt: NOW },
      { notBefore: NOW, restoredAt: NOW },
    ],
  ];
  test.each(rules)('of a feed %s', (_, state, rule) => {
    expect(readEpochRule({ ...EMPTY_FEED_STATE, ...state })).toEqual(rule);
  });

  test('remembers with the rest of the state the newest epoch that a poll may have given', () => {
    expect(recordNewestEpoch({ ...HERE, newestEpoch: EARLIER }, NOW)).toEqual({ ...HERE, newestEpoch: NOW });
  });
});

describe('the first state of a feed in its table', () => {
  const recognized = recognizeTable(null, SIGHTING);

  test('stays as it is where no rows are', () => {
    expect(beginFeedState(recognized, { found: false, now: NOW })).toEqual(recognized);
  });

  test('begins a new epoch of rows that a backup brought', () => {
    const known = { ...recognized, coverage: { [DATE]: { at: EARLIER, revision: 1 } } };

    expect(beginFeedState(known, { found: true, now: NOW })).toEqual({
      ...recognized,
      restoredAt: NOW,
      renewal: { slices: {} },
      coverage: {},
    });
  });

  test('has no identity where the table cannot be recognised', () => {
    expect(recognizeTable(null, { ...SIGHTING, tableId: null })).toEqual({ ...EMPTY_FEED_STATE, epoch: NOW });
  });
});

test('the position of a row is its epoch and its sequence', () => {
  expect(toPublishedPosition(leafRow(timesheet(), { epoch: NOW, sequence: 4 }))).toEqual({
    epoch: NOW,
    sequence: 4,
  });
});

describe('the order of events', () => {
  test('is that of their epochs, then of their sequences; no epoch comes first', () => {
    const positions = [
      { sequence: 1 },
      { sequence: 20 },
      { epoch: '2026-03-05T01:01:00.000Z', sequence: 1 },
      { epoch: '2026-03-05T01:01:00.000Z', sequence: 2 },
      { epoch: '2026-03-05T01:01:00.001Z', sequence: 1 },
    ];

    expect(positions.toReversed().sort(comparePositions)).toEqual(positions);
    expect(compareEpochs(undefined, undefined)).toBe(0);
  });

  test('of places where a record stands is that of what was published there; unpublished ones come first', () => {
    const places = [
      { epoch: NOW, sequence: 0 },
      { epoch: EARLIER, sequence: 4 },
      { epoch: EARLIER, sequence: 5 },
      { epoch: NOW, sequence: 1 },
    ];

    for (const [before, left] of places.entries())
      for (const [after, right] of places.entries())
        expect(Math.sign(comparePublishedPositions(left, right))).toBe(Math.sign(before - after));
    expect(comparePublishedPositions({ epoch: EARLIER, sequence: 0 }, { epoch: NOW, sequence: 0 })).toBe(0);
  });
});

describe('the id of an event', () => {
  test('differs between epochs', () => {
    const of = (epoch: string) => computeEventId(TIMESHEETS, '1001_7', { epoch, sequence: 3 });

    expect(of('2026-03-05T01:01:00.000Z')).not.toBe(of('2026-03-05T01:01:00.001Z'));
  });
});

describe('a change', () => {
  test('of a new record is published in the epoch of the scan that found it', () => {
    const changeEvents = toEvents(createChange(null, timesheet(), { epoch: NOW }), createEventContext());

    expect(positionsOf(changeEvents)).toEqual([['2026-03-05T01:01:00.000Z', 1]]);
    expect(changeEvents).toMatchObject({ epoch: NOW, row: { epoch: NOW, sequence: 1 } });
  });

  test('of a known one in its own epoch, which its row and its tombstone keep', () => {
    const before = timesheet();
    const changed = toEvents(
      createChange(before, timesheet({ hoursToPay: 8 }), known(EARLIER)),
      createEventContext(),
    );
    const removed = toEvents(createChange(before, null, known(EARLIER)), createEventContext());

    expect(positionsOf(changed)).toEqual([['2026-03-05T01:00:00.000Z', 3]]);
    expect(changed.row?.epoch).toBe(EARLIER);
    const working = new WorkingSnapshot(
      createEventContext().definition,
      createSnapshot(slice({ rows: [leafRow(before)] })),
      0,
    );
    working.apply(removed, true);
    const [leaf] = slice({ rows: [leafRow(before)] }).leaves;
    const { tombstones } = working.leaf(leaf ?? { slice: DATE, generation: '', index: 0 });
    expect(tombstones).toEqual([{ id: before.id, sequence: 3, epoch: EARLIER, removedAt: NOW - 1_000 }]);
  });

  test('names what it takes back in its own epoch', () => {
    const change = createChange(
      timesheet({ approvedHours: STAMP }),
      timesheet(),
      known(EARLIER, { approvedHours: 2 }),
    );
    const [event] = eventsOf(toEvents(change, createEventContext()));

    const epoch = '2026-03-05T01:00:00.000Z';
    expect(event?.data).toMatchObject({
      reverses: computeEventId(TIMESHEETS, '1001_7', { epoch, sequence: 2 }),
    });
  });
});

describe('a change in a restored table', () => {
  const restored = createEventContext(TIMESHEETS, {
    epochs: { notBefore: EARLIER + 1, restoredAt: EARLIER + 1 },
  });

  test('begins a new epoch of a record of an earlier one, whole and without a word of it', () => {
    const change = createChange(
      timesheet({ approvedHours: STAMP }),
      timesheet(),
      known(EARLIER, { approvedHours: 2 }),
    );
    const changeEvents = toEvents(change, restored);

    expect(positionsOf(changeEvents)).toEqual([['2026-03-05T01:01:00.000Z', 1]]);
    expect(changeEvents.row).toMatchObject({ epoch: NOW, sequence: 1, sent: {} });
    const [event] = eventsOf(changeEvents);
    expect(event?.data).not.toHaveProperty('reverses');
    expect(event?.data.current).toHaveProperty('details');
  });

  test('goes on in an epoch that began since', () => {
    const change = createChange(timesheet(), timesheet({ hoursToPay: 8 }), known(EARLIER + 1));

    expect(positionsOf(toEvents(change, restored))).toEqual([['2026-03-05T01:00:00.001Z', 3]]);
  });

  test('of a record that returns from its tombstone begins a new epoch too', () => {
    const change = createChange(null, timesheet(), { tombstoneSlice: DATE, sequence: 4, epoch: EARLIER });

    expect(positionsOf(toEvents(change, restored))).toEqual([['2026-03-05T01:01:00.000Z', 1]]);
    expect(positionsOf(toEvents(change, createEventContext()))).toEqual([['2026-03-05T01:00:00.000Z', 5]]);
  });

  test('never begins before its restore, however late the clock is', () => {
    const late = createEventContext(TIMESHEETS, { epochs: { notBefore: NOW + 5, restoredAt: NOW + 5 } });

    expect(positionsOf(toEvents(createChange(null, timesheet(), { epoch: NOW }), late))).toEqual([
      ['2026-03-05T01:01:00.005Z', 1],
    ]);
  });
});

test('operational events are published in the epoch of their feed', () => {
  const operation = { type: 'trouble.ended', subject: 'feed', data: { since: STAMP } } as const;
  const text = toOperationText(operation, TIMESHEETS, { epoch: EARLIER, sequence: 5, now: NOW });
  const epoch = '2026-03-05T01:00:00.000Z';

  expect(JSON.parse(text)).toMatchObject({
    id: computeEventId(TIMESHEETS, '#operations', { epoch, sequence: 5 }),
    epoch,
    sequence: 5,
  });
});

interface Event {
  readonly epoch: string;
  readonly sequence: number;
  readonly data: Readonly<Record<string, unknown>>;
}

function eventsOf({ texts }: { readonly texts: readonly string[] }): Event[] {
  return texts.map((text) => JSON.parse(text) as Event);
}

function positionsOf(changeEvents: { readonly texts: readonly string[] }) {
  return eventsOf(changeEvents).map(({ epoch, sequence }) => [epoch, sequence]);
}

/** A known record of an epoch, of which two events were changeEvents. */
function known(epoch: number, sent: Readonly<Record<string, number>> = {}) {
  return { epoch, row: { epoch, sent } };
}
