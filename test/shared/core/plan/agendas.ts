import { listDates, toLocalDate } from '#shared/core/dates.ts';
import { type Agenda, type AgendaInput, type DueSlice, planAgenda } from '#shared/core/plan/agenda.ts';
import { NO_RATES } from '#shared/core/plan/change-rates.ts';
import { EMPTY_FEED_STATE } from '#shared/core/snapshot/feed-state.ts';
import type { SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { slice } from '#test/support/builders.ts';

export const NOON = Date.parse('2026-03-05T12:00:00.000Z');
export const TODAY = '2026-03-05';
export const WINDOW = { from: '2026-02-27', to: '2026-03-08' };
export const DATES = listDates(WINDOW);
export const HOT = ['2026-03-04', TODAY, '2026-03-06'];
/** A past date of the window, and one ahead. */
export const PAST = '2026-02-28';
export const AHEAD = '2026-03-08';

export function planSampleAgenda(values: Partial<AgendaInput>): Agenda {
  const { now = NOON, timeZone = 'UTC' } = values;
  return planAgenda({
    feed: 'timesheets',
    scope: 'due',
    ...{ now, timeZone, today: toLocalDate(now, timeZone) },
    window: WINDOW,
    state: EMPTY_FEED_STATE,
    heads: new Map(),
    payPeriods: [],
    rates: NO_RATES,
    pageSize: 200,
    ...values,
  });
}

/** The dates that are due, in their order. */
export function planDueDates(values: Partial<AgendaInput>): string[] {
  return planSampleAgenda(values).due.map(({ slice }) => slice);
}

/** Heads of every date of the window, settled and just looked at unless said otherwise. */
export function seen(values: Readonly<Record<string, Partial<SliceHead>>>): Map<string, SliceHead> {
  return new Map(
    DATES.map((date) => [
      date,
      { ...slice({ slice: date }).head, observedAt: NOON, unsettledCount: 0, ...values[date] },
    ]),
  );
}

/** A date that is due, of a thousand records unless said otherwise. */
export function dueSlice(slice: string, values: Partial<DueSlice> = {}): DueSlice {
  return {
    slice,
    class: 'active',
    owedSince: 0,
    dueAt: 0,
    cadenceMs: 300_000,
    lateness: 1,
    records: 1_000,
    isAlone: false,
    expectedRecords: values.records ?? 1_000,
    ...values,
  };
}
