import { expect, test } from 'vitest';
import { LossNotes } from '#shared/core/commit/commit-plan.ts';
import type { MassChange } from '#shared/core/compare/mass-change.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import { createHead } from '#shared/core/snapshot/snapshot.ts';
import { createChange, DATE, MINUTE_MS, NEXT_DATE, NOW, timesheet } from '#test/support/builders.ts';

const FIELD = 'approvedHours';
const HEAD = createHead(DATE, '1-run');
const LOST = createChange(timesheet({ [FIELD]: '2026-03-04T00:00:00.000Z' }), timesheet({ [FIELD]: null }));
const CONFIRMED: MassChange = {
  ...{ slice: DATE, field: FIELD, records: 3, published: 0, movedTo: [] },
  ...{ since: NOW - MINUTE_MS, isConfirmed: true },
};

test('losses of scans within a minute stand in the head, those of one scan together', () => {
  const notes = notesOf([]);
  notes.add(LOST);
  const older = { field: FIELD, records: 5, at: NOW - MINUTE_MS };
  const before = { ...HEAD, recentLosses: [{ ...older, at: older.at - 1 }, older] };
  expect(notes.note(before).recentLosses).toEqual([older, { field: FIELD, records: 1, at: NOW }]);
  notes.add(LOST);
  const part = { field: FIELD, records: 4, at: NOW };
  expect(notes.note({ ...HEAD, recentLosses: [part] }).recentLosses).toEqual([{ ...part, records: 6 }]);
});

test('those of a confirmed mass change of the slice do not count', () => {
  const notes = notesOf([CONFIRMED]);
  notes.add(LOST);
  expect(notes.note(HEAD)).not.toHaveProperty('recentLosses');
  for (const other of [
    { ...CONFIRMED, isConfirmed: false },
    { ...CONFIRMED, slice: NEXT_DATE },
    { ...CONFIRMED, field: 'processed' },
  ]) {
    const others = notesOf([other]);
    others.add(LOST);
    expect(others.note(HEAD).recentLosses).toEqual([{ field: FIELD, records: 1, at: NOW }]);
  }
});

test('losses of other fields of the same scan stay beside those that are added', () => {
  const notes = notesOf([]);
  notes.add(LOST);
  const others = ['processed', 'clockIn'].map((field) => ({ field, records: 4, at: NOW }));
  expect(notes.note({ ...HEAD, recentLosses: others }).recentLosses).toEqual([
    ...others,
    { field: FIELD, records: 1, at: NOW },
  ]);
});

test('what is gained, told of nothing, new or gone is none', () => {
  const notes = notesOf([]);
  notes.add({ ...LOST, silent: true });
  notes.add({ ...LOST, before: null });
  notes.add({ ...LOST, after: null });
  notes.add(createChange(timesheet({ [FIELD]: null }), timesheet({ [FIELD]: '2026-03-04T00:00:00.000Z' })));
  expect(notes.note(HEAD)).toEqual(HEAD);
});

function notesOf(massChanges: readonly MassChange[]): LossNotes {
  return new LossNotes(feedDefinition('timesheets'), { at: NOW, massChanges });
}
