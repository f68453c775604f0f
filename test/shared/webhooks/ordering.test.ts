import { describe, expect, test } from 'vitest';
import { computeEventId, toOperationText } from '#shared/core/events/envelope.ts';
import type { Operation } from '#shared/core/records/operation.ts';
import {
  computePredecessorId,
  decideTurn,
  isNext,
  needsEntry,
  toCursorName,
  toOrderKey,
} from '#shared/webhooks/ordering.ts';
import { EPOCH, position } from '#test/support/builders.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const FEED = { connection: 'main', feed: 'timesheets' } as const;
const EVENT = {
  id: computeEventId(FEED, '910001_1', position(3)),
  source: '/connections/main/timesheets',
  type: 'workforce.timesheet.approved',
  subject: '910001_1',
  connection: 'main',
  ...position(3),
  data: {},
};
const OPERATION: Operation = { type: 'record.quarantined', subject: '910001_1', data: {} };

describe('the turn of an event', () => {
  test.each([
    ['the first of a record', 1, null],
    ['the one after the cursor', 8, 7],
    ['one at the cursor, that was not settled', 7, 7],
    ['one before the cursor, that was not settled', 3, 7],
  ])('has come: %s', (_, sequence, cursor) => {
    expect(isNext(sequence, cursor)).toBe(true);
    expect(decideTurn(sequence, { cursor, predecessor: null }, { now: 0, firstAt: 0 })).toEqual({
      turn: 'now',
    });
  });

  test.each([
    [9, 7],
    [2, null],
  ])('waits three minutes for one that was never seen (%i after %s)', (sequence, cursor) => {
    const turn = (now: number) => decideTurn(sequence, { cursor, predecessor: null }, { now, firstAt: 0 });

    expect(turn(0)).toEqual({ turn: 'wait', delayMs: 5_000 });
    expect(turn(3 * MINUTE - 1)).toEqual({ turn: 'wait', delayMs: 5_000 });
    expect(turn(3 * MINUTE)).toEqual({ turn: 'now' });
  });

  test.each([
    [0, 5_000],
    [2 * MINUTE, 12_000],
    [HOUR, 5 * MINUTE],
    [80 * HOUR, 5 * MINUTE],
  ])('waits for one that waits, after %i ms another %i ms', (now, delayMs) => {
    const predecessor = { outcome: 'waiting', at: now } as const;

    expect(decideTurn(9, { cursor: 7, predecessor }, { now, firstAt: 0 })).toEqual({ turn: 'wait', delayMs });
  });

  test('waits no more for one that was not seen for longer than any retry takes', () => {
    const predecessor = { outcome: 'waiting', at: 0 } as const;
    const turn = (now: number) => decideTurn(9, { cursor: 7, predecessor }, { now, firstAt: 0 });

    expect(turn(32 * HOUR)).toMatchObject({ turn: 'wait' });
    expect(turn(33 * HOUR)).toEqual({ turn: 'now' });
  });

  test.each(['delivered', 'failed', 'filtered'] as const)('has come when the one before is %s', (outcome) => {
    expect(decideTurn(9, { cursor: 7, predecessor: { outcome, at: 0 } }, { now: 0, firstAt: 0 })).toEqual({
      turn: 'now',
    });
  });
});

describe('the mark that an event waits', () => {
  const waiting = { outcome: 'waiting', at: 0 } as const;

  test('is written once, and renewed after six hours', () => {
    expect(needsEntry(null, 0)).toBe(true);
    expect(needsEntry(waiting, 6 * HOUR)).toBe(false);
    expect(needsEntry(waiting, 6 * HOUR + 1)).toBe(true);
  });

  test('does not cover what was given up', () => {
    expect(needsEntry({ outcome: 'failed', at: 0 }, 90 * HOUR)).toBe(false);
  });
});

describe('the event before', () => {
  test('has the id that it was published with', () => {
    expect(computePredecessorId(EVENT)).toBe(computeEventId(FEED, '910001_1', position(2)));
  });

  test('of an operation is the operation before, whatever it was about', () => {
    const second = JSON.parse(toOperationText(OPERATION, FEED, { epoch: EPOCH, sequence: 2, now: 0 }));
    const first = JSON.parse(
      toOperationText({ ...OPERATION, subject: null }, FEED, { epoch: EPOCH, sequence: 1, now: 0 }),
    );

    expect(computePredecessorId(second)).toBe(first.id);
    expect(toOrderKey(second)).toBe(toOrderKey(first));
    expect(toOrderKey(second)).not.toBe(toOrderKey(EVENT));
  });

  test.each([
    ['the first of a record', { sequence: 1 }],
    ['a feed that is not known', { source: '/connections/main/leave' }],
    ['no record', { subject: undefined }],
  ])('is not known: %s', (_, change) => {
    expect(computePredecessorId({ ...EVENT, ...change })).toBeNull();
  });
});

test('records of two connections or two feeds are not the same', () => {
  const records = [
    EVENT,
    { ...EVENT, source: '/connections/main/pay-periods' },
    { ...EVENT, source: '/connections/other/timesheets' },
    { ...EVENT, subject: '910001_2' },
  ].map(toOrderKey);

  expect(new Set(records).size).toBe(4);
});

describe('an epoch of a record', () => {
  const epoch = '2026-11-02T00:00:00.000Z';
  const later = { ...EVENT, epoch };

  test('has a cursor of its own, and the record stays one', () => {
    expect(toCursorName(later)).not.toBe(toCursorName(EVENT));
    expect(toCursorName(EVENT)).toBe(`${toOrderKey(EVENT)}#${EVENT.epoch}`);
    expect(toOrderKey(later)).toBe(toOrderKey(EVENT));
  });

  test('counts from its own first event', () => {
    expect(computePredecessorId(later)).toBe(computeEventId(FEED, '910001_1', { epoch, sequence: 2 }));
    expect(computePredecessorId({ ...later, sequence: 1 })).toBeNull();
  });

  test('is one of the operations of a feed too', () => {
    const event = JSON.parse(
      toOperationText(OPERATION, FEED, { epoch: Date.parse(epoch), sequence: 2, now: 0 }),
    );
    expect(computePredecessorId(event)).toBe(computeEventId(FEED, '#operations', { epoch, sequence: 1 }));
  });
});
