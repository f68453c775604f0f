import { expect, test } from 'vitest';
import { buildSampleEvent } from '#cli/sample-events/sample-events.ts';
import { listDates } from '#shared/core/dates.ts';
import { type DescribableEvent, describableEventSchema } from '#shared/core/definitions/sentences.ts';
import type { SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { findFinishes } from '#shared/processing/finished-alert.ts';
import type { Period } from '#shared/processing/processing.ts';

const PERIOD: Period = {
  id: '3_4711',
  calendar: 'Weekly',
  startDate: '2026-11-09',
  finishDate: '2026-11-15',
  closed: true,
};
const PROCESSED = sample('timesheet.processed');
const STATE = {
  memory: { coverage: {}, massChange: {}, shrunk: {} },
  connection: PROCESSED.connection,
  periods: [PERIOD],
  heads: heads(0),
  today: '2026-11-20',
};

test('a period that is processed finished at the last event that moved it', () => {
  const earlier = { ...PROCESSED, id: 'earlier', time: '2026-11-14T00:00:00.000Z' };
  expect(findFinishes([PROCESSED, earlier], STATE)).toEqual([
    {
      connection: PROCESSED.connection,
      period: PERIOD,
      sharesDates: false,
      timesheets: 14,
      times: 1,
      at: Date.parse(PROCESSED.time),
      closing: null,
    },
  ]);
});

test('a period is not finished before it is over, with a timesheet left, or without an event', () => {
  const open = { ...PERIOD, closed: false, finishDate: '2026-11-15' };
  expect(findFinishes([PROCESSED], { ...STATE, periods: [open], today: '2026-11-15' })).toEqual([]);
  expect(findFinishes([PROCESSED], { ...STATE, heads: heads(1) })).toEqual([]);
  expect(findFinishes([], STATE)).toEqual([]);
  expect(findFinishes([{ ...PROCESSED, connection: 'other' }], STATE)).toEqual([]);
});

function heads(unsettledCount: number): SliceHead[] {
  return listDates({ from: PERIOD.startDate, to: PERIOD.finishDate }).map(
    (slice) =>
      ({ slice, revision: 1, baselinedAt: 0, observedAt: 0, recordCount: 2, unsettledCount }) as SliceHead,
  );
}

function sample(type: Parameters<typeof buildSampleEvent>[0]): DescribableEvent {
  return describableEventSchema.parse(JSON.parse(buildSampleEvent(type)));
}
