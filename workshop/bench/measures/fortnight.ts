import { addDays, listDates } from '#shared/core/dates.ts';
import { countUnitsOfChange } from '../baselines/one-item-each.ts';
import { mean, percentile } from '../fortnight/flow/delays.ts';
import { type FlowResult, runFlow } from '../fortnight/flow/run-flow.ts';
import { MANY, MOST, PACE, PAGE_SIZE, type Span, WINDOW } from '../fortnight/flow/spans.ts';
import { type RescanOptions, rescan } from '../fortnight/rescan.ts';
import { DAY_MS, dateOf } from '../fortnight/trace/calendar.ts';
import type { Row } from '../row.ts';

/** What a source may give when 1,000 are requested. */
const PAGE_SIZES = [PAGE_SIZE, 1_000];
const HOT = { backDays: 1, forwardDays: 1 };
const FIRST_GUESS_MS = 120_000;
/** A token lives for an hour. */
const TOKENS_A_DAY = 24;
const MAX_SHARE = 0.2;
const MAX_UNITS = 5;
/** Seconds of one half and of 99 % of the clockings. */
const MAX_DELAYS: ReadonlyMap<Span, readonly [number, number]> = new Map([
  [MANY, [15, 30]],
  [MOST, [20, 60]],
]);
const MAX_BASELINE_MINUTES = 20;
const MAX_HOT_SECONDS = 60;

/** The real flow over a part of the fortnight, from a source that gives few records a page and from one that gives many. */
export async function measureFortnight(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const span of [MANY, MOST])
    for (const pageSize of PAGE_SIZES) {
      const flow = await runFlow(span, pageSize);
      const measured = { flow, span, pageSize, name: `${span.name}, pages of ${pageSize}` };
      rows.push(buildRequestRow(measured), ...buildTruthRows(measured), ...buildDelayRows(measured));
      if (pageSize === PAGE_SIZE) rows.push(await buildUnitsRow(measured));
      if (span === MOST && pageSize === PAGE_SIZE) rows.push(...buildBaselineRows(flow));
    }
  return rows;
}

interface Measured {
  readonly flow: FlowResult;
  readonly span: Span;
  readonly pageSize: number;
  readonly name: string;
}

/** Beside a flat rescan at the interval at which it has the same mean delay. */
function buildRequestRow(measured: Measured): Row {
  const { flow, name } = measured;
  const wantedMs = mean(flow.expected.delays.all);
  const flatAt = (intervalMs: number) =>
    rescanSpan(measured, { intervalMs, window: WINDOW, perSecond: 1_000_000 });
  let intervalMs = FIRST_GUESS_MS;
  let flat = flatAt(intervalMs);
  for (let round = 0; round < 2; round += 1) {
    // The mean delay of a rescan is half its interval and a constant.
    intervalMs = Math.max(1_000, intervalMs + 2 * (wantedMs - mean(flat.delays.all)));
    flat = flatAt(intervalMs);
  }
  return {
    target: 'P1',
    metric: `${name}, as a share, at a mean delay of ${Math.round(wantedMs / 1_000)} s`,
    baseline: [
      `${Math.round(flat.requestsPerDay)} a day: the window every ${Math.round(intervalMs / 1_000)} s`,
      1,
    ],
    reached: (flow.requestsPerDay + TOKENS_A_DAY) / flat.requestsPerDay,
    atMost: MAX_SHARE,
  };
}

function rescanSpan(
  { flow: { trace, from, to }, pageSize }: Measured,
  settings: Pick<RescanOptions, 'intervalMs' | 'window' | 'perSecond'>,
) {
  return rescan({ trace, from, to, pageSize, requestMs: PACE.requestMs, ...settings });
}

/** No figure counts where something was missed. */
function buildTruthRows({ flow: { expected, missing }, name }: Measured): Row[] {
  const row = (metric: string, reached: number, of: number): Row => ({
    ...{ target: 'P1', metric: `${name}, ${metric}`, reached, atMost: 0 },
    baseline: ['every change', of],
  });
  return [
    row('changes never told', missing.length, expected.published + missing.length),
    row('events without a change', expected.invented.length, expected.published),
  ];
}

function buildDelayRows(measured: Measured): Row[] {
  const { flow, name, span } = measured;
  const fixed = rescanSpan(measured, { intervalMs: 60_000, window: HOT, perSecond: PACE.perSecond });
  return [0.5, 0.99].map((share, place): Row => {
    const seconds = (delays: FlowResult['accepted']) => percentile(delays.of('clockings'), share) / 1_000;
    return {
      target: 'P9',
      metric: `${name}, p${share * 100}`,
      baseline: ['yesterday to tomorrow every 60 s, until it sees them', seconds(fixed.delays)],
      reached: seconds(flow.accepted),
      atMost: MAX_DELAYS.get(span)?.[place],
      unit: 's',
    };
  });
}

async function buildUnitsRow({ flow: { units, events }, span, name }: Measured): Promise<Row> {
  return {
    target: 'P3',
    metric: `${name}, with leases and state, units`,
    baseline: ['one item per timesheet: state, event, outbox', await countUnitsOfChange()],
    reached: units.write / events,
    ...(span === MANY ? { atMost: MAX_UNITS } : {}),
  };
}

/** Virtual time, in which the source, the table and what is computed take some. */
function buildBaselineRows({ trace, from, baseline }: FlowResult): Row[] {
  const today = dateOf(Math.floor(from / DAY_MS));
  const dates = listDates({ from: addDays(today, -WINDOW.backDays), to: addDays(today, WINDOW.forwardDays) });
  const pages = dates.reduce((sum, date) => sum + trace.recordsOn(date, from) / PAGE_SIZE, 0);
  const inTurn = (pages * PACE.requestMs) / 1_000;
  return [
    {
      target: 'P12',
      metric: `of ${MOST.size.name}, until its baseline is complete`,
      baseline: ['page after page of the window', inTurn / 60],
      reached: baseline.milliseconds / 60_000,
      atMost: MAX_BASELINE_MINUTES,
      unit: 'min',
    },
    {
      target: 'P12',
      metric: `of ${MOST.size.name}, longest time between two looks at a hot date meanwhile`,
      baseline: ['not before the next walk of the window', inTurn],
      reached: baseline.hotAgeMs / 1_000,
      atMost: MAX_HOT_SECONDS,
      unit: 's',
    },
  ];
}
