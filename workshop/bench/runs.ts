import { computeWindow, listDates } from '#shared/core/dates.ts';
import { findPercentile } from '#shared/core/events/detection-delay.ts';
import { countUnitsOfChange } from './baseline.ts';
import {
  BEGINS,
  BUSY_FROM,
  DAY_MS,
  MANY,
  MINUTE_MS,
  MOST,
  SECOND_MS,
  type Size,
  THIRTY,
  typeOf,
} from './company.ts';
import { CONNECTION, type Counts, type Flow, runFlow, runSize } from './flow.ts';
import { REQUEST_MS, splitId } from './source.ts';
import { describeCount, type Row } from './table.ts';

/** A token lives for an hour. */
const TOKENS_A_DAY = 24;
/** From SNS through a queue and a function that Lambda starts, until a webhook or a chat has taken it. */
export const DELIVERY_MS = 500;
const HANDED_ON_MS = 100 + DELIVERY_MS;
/** Those of the last minutes may not be told yet. */
const LAST_CHANGES_MS = 6 * MINUTE_MS;
const GOALS = {
  [MANY.name]: { delays: [15, 30], units: 5 },
  [MOST.name]: { delays: [20, 60], units: undefined },
} as const;

/** The real flow in virtual time, from a source that gives so many records a page. */
export async function measureRun(size: Size, pageSize: number): Promise<Row[]> {
  const flow = await runSize(size, pageSize);
  const name = `${size.name}, pages of ${describeCount(pageSize)}`;
  const until = BUSY_FROM + size.busyMs - LAST_CHANGES_MS;
  const told = matchDelays(flow, BUSY_FROM).filter(({ changedAt }) => changedAt < until);
  const used = lessThan(flow, BUSY);
  return [
    buildRequestRow(flow, name, mean(told.map(({ delayMs }) => delayMs))),
    ...buildDelayRows(told, name, size),
    {
      ...{ target: 'P3', metric: `${name}, with leases and state: write units an event` },
      baseline: ['one item per timesheet: state, event, outbox', await countUnitsOfChange()],
      ...{ reached: used('write') / used('events'), atMost: GOALS[size.name]?.units },
    },
    ...(size === MOST ? buildFirstRows(flow, name) : []),
  ];
}

/** The marks of a run at which its quiet and its busy time begin. */
export const [QUIET, BUSY] = [0, 2];

/** What was used from a mark to the next. */
export function lessThan({ counts }: Flow, mark: number) {
  return (name: keyof Counts) =>
    (counts[mark + 1]?.[name] ?? Number.NaN) - (counts[mark]?.[name] ?? Number.NaN);
}

/** Pages of the window. */
function countPages({ company, options: { size, pageSize } }: Flow): number {
  const dates = listDates(computeWindow(BUSY_FROM, 'UTC', CONNECTION.window));
  const records = company.timesheets({ from: dates[0] ?? '', to: dates.at(-1) });
  return Math.ceil((records.length * size.copies) / pageSize);
}

/** Beside a flat reading of the window, of which the mean delay is half its interval and most of two requests. */
function buildRequestRow(flow: Flow, name: string, meanMs: number): Row {
  const intervalMs = 2 * (meanMs - 1.5 * REQUEST_MS);
  const flat = (countPages(flow) * DAY_MS) / intervalMs;
  const ours = (lessThan(flow, BUSY)('requests') * DAY_MS) / flow.options.size.busyMs + TOKENS_A_DAY;
  const [every, late] = [intervalMs, meanMs].map((each) => (each / SECOND_MS).toFixed(0));
  return {
    ...{ target: 'P1', metric: `${name}: requests to the source at the same mean delay, a share` },
    baseline: [`${describeCount(flat)} a day: the window every ${every} s, mean ${late} s`, 1],
    ...{ reached: ours / flat, atMost: 0.2 },
  };
}

function buildDelayRows(told: readonly Told[], name: string, size: Size): Row[] {
  const FIXED_S = 60;
  const clockings = told.filter(({ type }) => /clocked_(?:in|out)$/.test(type));
  const delays = clockings.map(({ delayMs }) => delayMs + HANDED_ON_MS);
  return [0.5, 0.99].map((share, place) => ({
    ...{ target: 'P9', metric: `${name}: clocking to a webhook, p${share * 100}`, unit: 's' },
    baseline: [`yesterday to tomorrow every ${FIXED_S} s`, FIXED_S * share],
    reached: (findPercentile(delays, share) ?? Number.NaN) / SECOND_MS,
    atMost: GOALS[size.name]?.delays[place],
  }));
}

function buildFirstRows(flow: Flow, name: string): Row[] {
  const { firstMs, handedOver, options } = flow;
  if (firstMs === null) throw new Error('the first reading did not end');
  const told = handedOver.filter(({ at }) => at < options.from + firstMs);
  const delays = matchDelays({ ...flow, handedOver: told }, options.from).map(({ delayMs }) => delayMs);
  const row = { target: 'P12' } as const;
  return [
    {
      ...{ ...row, metric: `${name}: until all was read`, unit: 'min', reached: firstMs / MINUTE_MS },
      ...{ atMost: 20, baseline: ['page after page', (countPages(flow) * REQUEST_MS) / MINUTE_MS] },
    },
    {
      ...{ ...row, metric: `${name}: longest time until a change was told meanwhile` },
      ...{ unit: 's', reached: Math.max(...delays) / SECOND_MS, atMost: 60 },
    },
  ];
}

/** By virtual time. */
export async function measureIdle(): Promise<Row[]> {
  const used = lessThan(await runSize(THIRTY, 200), QUIET);
  const minutes = THIRTY.quietMs / MINUTE_MS;
  const idle = { target: 'P13' } as const;
  const requests = { reached: used('tableRequests') / minutes, atMost: 7 };
  const lambda = { reached: used('pollMs') / minutes, atMost: 700, unit: 'ms' };
  return [
    { ...idle, metric: 'idle minute of 30 people: requests to DynamoDB', ...requests },
    { ...idle, metric: 'idle minute of 30 people: polls in a function of 256 MB', ...lambda },
  ];
}

/** A change of a timesheet that was told. */
interface Told {
  readonly type: string;
  readonly changedAt: number;
  readonly delayMs: number;
}

/** How late each change from an instant on was told; of several changes of one kind that one event tells, the first. */
export function matchDelays({ company, handedOver }: Flow, from: number): Told[] {
  const changes = company.history.filter(({ at }) => at >= BEGINS);
  const changedAt = Map.groupBy(changes, ({ id, change }) => `${id} ${typeOf(change)}`);
  const toldUntil = new Map<string, number>();
  return handedOver.flatMap(({ type, subject, at: handedOverAt }) => {
    const key = `${subject} ${type}`;
    const since = toldUntil.get(key) ?? Number.NEGATIVE_INFINITY;
    const alike = changedAt.get(`${splitId(subject)[0]} ${type}`) ?? [];
    const first = alike.find(({ at }) => since < at && at <= handedOverAt)?.at;
    toldUntil.set(key, handedOverAt);
    if (first === undefined || first < from) return [];
    return [{ type, changedAt: first, delayMs: handedOverAt - first }];
  });
}

const CLOSINGS = 12;
/** From one to the next, so that they are spread over the minute of the schedule. */
const CLOSINGS_APART_MS = 65 * SECOND_MS;
const FIRST_CLOSING_AT = BEGINS + 20 * MINUTE_MS;
const TOLD_WITHIN_MS = 8 * MINUTE_MS;

/**
 * From a closing in the source of 30 people until a webhook has accepted it; and until its line is in Slack, which
 * another function posts at once when one has taken it from its queue.
 */
export async function measureClosings(): Promise<Row[]> {
  const delays: number[] = [];
  for (let number = 0; number < CLOSINGS; number += 1)
    delays.push(await measureClosing(FIRST_CLOSING_AT + number * CLOSINGS_APART_MS));
  const buildRow = (place: string, share: number, goal: { steps: number; atMost: number }): Row => ({
    ...{ target: 'P10', unit: 's', atMost: goal.atMost },
    metric: `closing to ${place}, ${share === 1 ? 'the worst' : 'p50'} of ${CLOSINGS}`,
    reached: ((findPercentile(delays, share) ?? Number.NaN) + goal.steps * HANDED_ON_MS) / SECOND_MS,
  });
  return [
    buildRow('a webhook', 0.5, { steps: 1, atMost: 45 }),
    buildRow('a webhook', 1, { steps: 1, atMost: 90 }),
    buildRow('Slack', 0.5, { steps: 2, atMost: 60 }),
    buildRow('Slack', 1, { steps: 2, atMost: 150 }),
  ];
}

/** Until SNS has the event. */
async function measureClosing(closesAt: number): Promise<number> {
  const marks = [closesAt + TOLD_WITHIN_MS];
  const flow = await runFlow({ size: THIRTY, pageSize: 200, from: BEGINS, marks, closesAt });
  const closed = flow.handedOver.find(({ type }) => type === 'pay_period.closed');
  if (closed === undefined)
    throw new Error(`a closing was not told within ${TOLD_WITHIN_MS / MINUTE_MS} minutes`);
  return closed.at - closesAt;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
