import { describe, expect, test } from 'vitest';
import { beginEvents, keepPublishedAbsences, keepReminded } from '#shared/core/events/events.ts';
import { NO_EPOCHS } from '#shared/core/snapshot/epochs.ts';
import { createChange, EARLIER, NOW, timesheet } from '#test/support/builders.ts';

const RESTORED = { notBefore: EARLIER + 1, restoredAt: EARLIER + 1 };
const SENT = { approvedHours: 2, clockInMissing: 1 };

describe('the events of a change begin', () => {
  const known = (epoch: number, sequence = 2) =>
    createChange(timesheet(), timesheet({ hoursToPay: 8 }), {
      epoch,
      sequence,
      row: { sent: SENT },
    });
  const unknown = (epoch: number) => createChange(null, timesheet(), { epoch });

  test('of an unknown record in the epoch of the scan that found it, never before what was given', () => {
    expect(beginEvents(unknown(NOW), { hasEvents: true, epochs: NO_EPOCHS })).toEqual({
      epoch: NOW,
      sequence: 0,
      sent: {},
      isRestart: false,
    });
    const later = { notBefore: NOW + 5, restoredAt: null };
    expect(beginEvents(unknown(NOW), { hasEvents: true, epochs: later }).epoch).toBe(NOW + 5);
  });

  test('of a known record after its last event, with what was sent of it', () => {
    expect(beginEvents(known(EARLIER), { hasEvents: true, epochs: NO_EPOCHS })).toEqual({
      epoch: EARLIER,
      sequence: 2,
      sent: SENT,
      isRestart: false,
    });
  });

  test('of a record that returns from its tombstone after its last event', () => {
    const returned = { ...unknown(EARLIER), tombstoneSlice: '2026-03-05', sequence: 4 };
    expect(
      beginEvents(returned, { hasEvents: true, epochs: { ...NO_EPOCHS, notBefore: NOW } }),
    ).toMatchObject({
      epoch: EARLIER,
      sequence: 4,
    });
  });

  test('anew where a restore ended the epoch, with missing clockings to take back', () => {
    expect(beginEvents(known(EARLIER), { hasEvents: true, epochs: RESTORED })).toEqual({
      epoch: NOW,
      sequence: 0,
      sent: { clockInMissing: 0 },
      isRestart: true,
    });
  });

  test('where they were, when the change has no event', () => {
    expect(beginEvents(known(EARLIER), { hasEvents: false, epochs: RESTORED })).toEqual({
      epoch: EARLIER,
      sequence: 2,
      sent: SENT,
      isRestart: false,
    });
  });

  test.each([
    ['the first in an epoch that began with the restore', EARLIER + 1, 0, true],
    ['a later one', EARLIER + 1, 1, false],
    ['the first in an epoch that began since', EARLIER + 2, 0, false],
  ])('whole where it is %s', (...[, epoch, sequence, isRestart]) => {
    const begun = beginEvents(known(epoch, sequence), { hasEvents: true, epochs: RESTORED });
    expect(begun).toEqual({ epoch, sequence, sent: SENT, isRestart });
  });

  test('as any other, where nothing was restored', () => {
    expect(
      beginEvents(known(EARLIER, 0), { hasEvents: true, epochs: { notBefore: 0, restoredAt: null } }),
    ).toMatchObject({ isRestart: false });
  });
});

test('of what was sent before a restore missing clockings stay, of no event', () => {
  expect(keepPublishedAbsences(SENT)).toEqual({ clockInMissing: 0 });
  expect(keepPublishedAbsences({ clockInMissing: 3, clockOutMissing: 4, 'open:changed': 9 })).toEqual({
    clockInMissing: 0,
    clockOutMissing: 0,
  });
  expect(keepPublishedAbsences({})).toEqual({});
});

test('a row remembers its last reminder', () => {
  const change = (remindedAt?: number) =>
    createChange(timesheet(), timesheet(), { row: remindedAt === undefined ? {} : { remindedAt } });
  expect(keepReminded(change(NOW))).toEqual({ remindedAt: NOW });
  expect(Object.keys(keepReminded(change()))).toEqual([]);
  expect(keepReminded(createChange(null, timesheet()))).toEqual({});
});
