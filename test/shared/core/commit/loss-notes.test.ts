import { expect, test } from 'vitest';
import { LossNotes } from '#shared/core/commit/commit-plan.ts';
import type { MassChange } from '#shared/core/compare/mass-change.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import { toLossKey } from '#shared/core/snapshot/confirmed-loss.ts';
import type { FeedState } from '#shared/core/snapshot/feed-state.ts';
import { createHead } from '#shared/core/snapshot/snapshot.ts';
import { createChange, DATE, DAY_MS, MINUTE_MS, NEXT_DATE, NOW, timesheet } from '#test/support/builders.ts';

const FIELD = 'approvedHours';
const HEAD = createHead(DATE, '1-run');
const LOST = createChange(timesheet({ [FIELD]: '2026-03-04T00:00:00.000Z' }), timesheet({ [FIELD]: null }));
const CONFIRMED: MassChange = {
  ...{ slice: DATE, field: FIELD, records: 3, published: 0, known: 4, movedTo: [] },
  ...{ since: NOW - MINUTE_MS, at: NOW, isConfirmed: true },
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

test('a confirmed mass change counts what is published of it, and what is more counts as other losses', () => {
  const notes = notesOf([CONFIRMED]);
  notes.add(LOST);
  notes.add(LOST);
  const first = notes.note(HEAD);
  expect(first).not.toHaveProperty('recentLosses');
  expect(first.confirmedLosses).toMatchObject([{ records: 3, published: 2 }]);
  const rest = notesOf([]);
  for (let left = 0; left < 3; left += 1) rest.add(LOST);
  const second = rest.note(first);
  expect(second.confirmedLosses).toMatchObject([{ records: 3, published: 3 }]);
  expect(second.recentLosses).toEqual([{ field: FIELD, records: 2, at: NOW }]);
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

test('a head names the mass changes of its own slice, each once', () => {
  const { slice: _, isConfirmed: __, ...named } = CONFIRMED;
  const others = [
    { ...named, field: 'processed' },
    { ...named, since: NOW - 2 * MINUTE_MS },
  ];
  const notes = notesOf([CONFIRMED, { ...CONFIRMED, slice: NEXT_DATE, field: 'clockIn' }]);
  const before = { ...HEAD, confirmedLosses: others };
  expect(notes.note(before).confirmedLosses).toEqual([...others, named]);
  expect(notes.note({ ...HEAD, confirmedLosses: [...others, named] }).confirmedLosses).toEqual([
    ...others,
    named,
  ]);
});

test('what is gained, told of nothing or held is none, and a day later no mass change is named', () => {
  const notes = notesOf([{ ...CONFIRMED, isConfirmed: false }], NOW + DAY_MS);
  notes.add({ ...LOST, silent: true });
  notes.add({ ...LOST, before: null });
  notes.add({ ...LOST, after: null });
  notes.add(createChange(timesheet({ [FIELD]: null }), timesheet({ [FIELD]: '2026-03-04T00:00:00.000Z' })));
  expect(notes.note({ ...HEAD, confirmedLosses: [CONFIRMED] })).toEqual(HEAD);
});

test('a mass change that no poll has reported is named however long that takes', () => {
  const { slice: _, isConfirmed: __, ...named } = CONFIRMED;
  const reported = { ...named, since: NOW - 2 * MINUTE_MS };
  const held = { [toLossKey(DATE, FIELD)]: { field: FIELD, since: named.since, records: 3, published: 0 } };
  const ofOtherField = { ...named, field: 'processed' };
  const head = { ...HEAD, confirmedLosses: [named, reported, ofOtherField] };
  const later = NOW + 3 * DAY_MS;
  expect(notesOf([], later, held).note(head).confirmedLosses).toEqual([named]);
  expect(notesOf([], later, held).note({ ...head, slice: NEXT_DATE })).not.toHaveProperty('confirmedLosses');
});

function notesOf(
  massChanges: readonly MassChange[],
  now = NOW,
  held: FeedState['massChange'] = {},
): LossNotes {
  return new LossNotes(feedDefinition('timesheets'), { at: NOW, massChanges, held }, now);
}
