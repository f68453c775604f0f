import { DIRECTORY_POLL_MINUTES } from '#shared/config/poll-times.ts';
import { DIRECTORY_FEEDS } from '#shared/core/feeds.ts';
import { mean, percentile } from '../fortnight/flow/delays.ts';
import { learnWeek } from '../fortnight/flow/learned-week.ts';
import { type FlowResult, runFlow } from '../fortnight/flow/run-flow.ts';
import { MANY, MOST, PACE, PAGE_SIZE, type Span, WINDOW } from '../fortnight/flow/spans.ts';
import { longestAgeMinutes } from '../fortnight/flow/trace-source.ts';
import { type RescanOptions, type RescanResult, rescan } from '../fortnight/rescan.ts';
import { buildCountRow, describeCount, type Row, ratio } from '../row.ts';

const SEED = 1;
/** At most, by the size of the organisation. */
const GOALS: ReadonlyMap<Span, Goals> = new Map([
  [MANY, { share: 0.12, clockings: [15, 30] }],
  [MOST, { share: 0.2, clockings: [20, 60] }],
]);
/** What a source may give when 1,000 are requested. */
const PAGE_SIZES = [PAGE_SIZE, 1_000];
const HOT = { backDays: 1, forwardDays: 1 };
const FIRST_GUESS_MS = 120_000;
const POLLING_FUNCTIONS = 2;
const HOURS_A_DAY = 24;

interface Goals {
  /** Of the requests of a flat rescan. */
  readonly share: number;
  /** p50 and p99 of the delay, in seconds. */
  readonly clockings: readonly [number, number];
}

interface Measured {
  readonly flow: FlowResult;
  readonly goals: Goals | undefined;
  /** Of the organisation, the span and the page size. */
  readonly name: string;
  readonly pageSize: number;
  /** Employees about whom a pay period is asked on this day. */
  readonly asked: number;
}

/**
 * Delays and requests of the real flow over a part of the fortnight, from a source that gives 200 records a page and
 * from one that gives 1,000: after a week, and before anything is learned.
 */
export async function measureFortnightDelays(): Promise<Row[]> {
  const rows: Row[] = [];
  const rates = await learnWeek();
  for (const pageSize of PAGE_SIZES)
    for (const span of [MANY, MOST]) {
      const name = `${span.name}, pages of ${pageSize}`;
      const flow = await runFlow({ span, pageSize, rates });
      rows.push(...buildRows({ flow, name, pageSize, goals: GOALS.get(span), asked: 0 }));
    }
  for (const pageSize of PAGE_SIZES) {
    const name = `${MANY.name}, pages of ${pageSize}, the first days`;
    const flow = await runFlow({ span: MANY, pageSize });
    // With two pay calendars each is asked about once, in which they are.
    rows.push(...buildRows({ flow, name, pageSize, goals: undefined, asked: MANY.size.people }));
  }
  return rows;
}

function buildRows(measured: Measured): Row[] {
  return [...buildRequestRows(measured), ...buildClockingRows(measured)];
}

/** Requests of a day that the flow does not make: a token lives for an hour, and the directory is read three times in it. */
function countOthersPerDay({ asked }: Measured): number {
  const looksAtDirectory = (HOURS_A_DAY * 60) / DIRECTORY_POLL_MINUTES;
  return POLLING_FUNCTIONS * HOURS_A_DAY + DIRECTORY_FEEDS.length * looksAtDirectory + asked;
}

/** Compares the requests with those of a flat rescan at the interval at which it has the same mean delay. */
function buildRequestRows(measured: Measured): Row[] {
  const { flow, goals, name } = measured;
  const wanted = mean(flow.expected.delays.all);
  const { flat, intervalMs } = findEqualRescan(measured, wanted);
  const requestsPerDay = flow.requestsPerDay + countOthersPerDay(measured);
  const count = (
    metric: string,
    values: { baseline: string; value: number; ours: number; atMost?: number | undefined },
  ) => buildCountRow({ topic: 'requests', metric: `${name}: ${metric}`, ...values, seed: SEED });
  return [
    {
      topic: 'requests',
      metric: `requests a day at a mean delay of ${Math.round(wanted / 1_000)} s`,
      baseline: `${name}: the window every ${Math.round(intervalMs / 1_000)} s, mean delay ${Math.round(mean(flat.delays.all) / 1_000)} s`,
      baselineValue: describeCount(flat.requestsPerDay),
      ours: describeCount(requestsPerDay),
      ratio: ratio(requestsPerDay, flat.requestsPerDay),
      seed: SEED,
    },
    count('requests, as a share of a flat rescan that is as fast on average', {
      baseline: 'flat rescan of the window, all pages at once',
      value: 1,
      ours: requestsPerDay / flat.requestsPerDay,
      atMost: goals?.share,
    }),
    count('longest time between two reads of a date, minutes', {
      baseline: 'that flat rescan',
      value: flat.maxAgeMs / 60_000,
      ours: longestAgeMinutes(flow.maxAgeMs),
    }),
    count('changes never published', {
      baseline: 'every change of the span',
      value: flow.expected.published + flow.missing.length,
      ours: flow.missing.length,
      atMost: 0,
    }),
  ];
}

function findEqualRescan(measured: Measured, wantedMs: number) {
  /** The flat rescan may request all its pages at once. */
  const flatAt = (intervalMs: number) =>
    rescanSpan(measured, { intervalMs, window: WINDOW, perSecond: 1_000_000 });
  let intervalMs = FIRST_GUESS_MS;
  let flat = flatAt(intervalMs);
  for (let round = 0; round < 2; round += 1) {
    // The mean delay of a rescan is half its interval and a constant.
    intervalMs = Math.max(1_000, intervalMs + 2 * (wantedMs - mean(flat.delays.all)));
    flat = flatAt(intervalMs);
  }
  return { flat, intervalMs };
}

function rescanSpan(
  { flow: { trace, from, to }, pageSize }: Measured,
  settings: Pick<RescanOptions, 'intervalMs' | 'window' | 'perSecond'>,
): RescanResult {
  return rescan({ trace, from, to, pageSize, requestMs: PACE.requestMs, ...settings });
}

function buildClockingRows(measured: Measured): Row[] {
  const { flow, goals, name } = measured;
  const ours = { delays: flow.expected.delays, requestsPerDay: flow.requestsPerDay };
  const fixed = [60_000, 30_000].map((intervalMs) => ({
    baseline: `yesterday to tomorrow every ${intervalMs / 1_000} s`,
    result: rescanSpan(measured, { intervalMs, window: HOT, perSecond: PACE.perSecond }),
  }));
  const rows = fixed.map(
    ({ baseline, result }): Row => ({
      topic: 'delays',
      metric: `${name}: clockings to SNS, p50 / p99`,
      baseline,
      baselineValue: describeDelays(result),
      ours: describeDelays(ours),
      ratio: ratio(clockingSeconds(ours, 0.5), clockingSeconds(result, 0.5)),
      seed: SEED,
    }),
  );
  const receivers = [
    { receiver: 'a webhook', delays: flow.accepted, atMost: goals?.clockings },
    { receiver: 'Slack', delays: flow.posted, atMost: undefined },
  ];
  const counts = fixed.slice(0, 1).flatMap(({ baseline, result }) =>
    receivers.flatMap(({ receiver, delays, atMost }) =>
      [0.5, 0.99].map((share, place) =>
        buildCountRow({
          seed: SEED,
          topic: 'delays',
          metric: `${name}: clockings to ${receiver}, p${share * 100}, seconds`,
          baseline: `${baseline}, until it sees them`,
          value: clockingSeconds(result, share),
          ours: clockingSeconds({ delays }, share),
          atMost: atMost?.[place],
        }),
      ),
    ),
  );
  return [...rows, ...counts];
}

type Polled = Pick<RescanResult, 'delays' | 'requestsPerDay'>;

function clockingSeconds({ delays }: Pick<Polled, 'delays'>, share: number): number {
  return percentile(delays.of('clockings'), share) / 1_000;
}

function describeDelays(polled: Polled): string {
  const [half, most] = [0.5, 0.99].map((share) => Math.round(clockingSeconds(polled, share)));
  return `${half} / ${most} s, ${describeCount(polled.requestsPerDay)} requests a day`;
}
