import standardConfig from '#config';
import type { ChangeKind } from '#local/source/company/changes.ts';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { readAlerting } from '#shared/config/schema/people.ts';
import { computeWindow, listDates } from '#shared/core/dates.ts';
import { findPercentile } from '#shared/core/events/detection-delay.ts';
import { collectAlerts } from '#shared/people/flow/collect-alerts.ts';
import { createNameReader } from '#shared/people/flow/load-names.ts';
import { createPeriodReader } from '#shared/people/flow/load-periods.ts';
import { createMemoryChannelStore } from '#test/support/memory-channel-store.ts';
import { createMemoryDeliveryStore } from '#test/support/memory-delivery-store.ts';
import { createMemoryStore } from '#test/support/memory-store.ts';
import { countUnitsOfChange } from './baseline.ts';
import {
  BEGINS,
  BUSY_FROM,
  DAY_MS,
  MANY,
  MINUTE_MS,
  MOST,
  recordCompany,
  SECOND_MS,
  type Size,
  THIRTY,
} from './company.ts';
import { CONNECTION, type FlowResult, type HandedOver, runFlow, runSize, type SizeRun } from './flow.ts';
import { REQUEST_MS, splitId } from './source.ts';
import { describeCount, type Row } from './table.ts';

/** A token lives for an hour. */
const TOKENS_A_DAY = 24;
const GOALS: ReadonlyMap<Size, { readonly delays: readonly [number, number]; readonly units?: number }> =
  new Map([
    [MANY, { delays: [15, 30], units: 5 }],
    [MOST, { delays: [20, 60] }],
  ]);

/** Those of the last minutes may not be told yet. */
const LAST_CHANGES_MS = 6 * MINUTE_MS;

/** The real flow in virtual time, from a source that gives so many records a page. */
export async function measureRun(size: Size, pageSize: number): Promise<Row[]> {
  const run = await runSize(size, pageSize);
  const { delays: goals, units } = GOALS.get(size) ?? { delays: [0, 0] };
  const name = `${size.name}, pages of ${describeCount(pageSize)}`;
  const until = BUSY_FROM + size.busyMs - LAST_CHANGES_MS;
  const delays = matchDelays(run, BUSY_FROM).filter(({ changedAt }) => changedAt < until);
  const clockings = delays.filter(({ type }) => /clocked_(?:in|out)$/.test(type));
  const used = lessThan(run, BUSY);
  return [
    buildRequestRow(run, name, mean(delays.map(({ delayMs }) => delayMs))),
    ...buildDelayRows(listAcceptedDelays(run, clockings), name, goals),
    {
      ...{ target: 'P3', metric: `${name}, with leases and state, units`, atMost: units },
      baseline: ['one item per timesheet: state, event, outbox', await countUnitsOfChange()],
      reached: used('write') / used('events'),
    },
    ...(size === MOST ? buildFirstRows(run, name) : []),
  ];
}

/** The marks of a run at which its quiet and its busy time begin. */
export const [QUIET, BUSY] = [0, 2];

/** What was used from a mark to the next. */
export function lessThan({ counts }: FlowResult, mark: number) {
  type Name = keyof NonNullable<(typeof counts)[0]>;
  return (name: Name) => (counts[mark + 1]?.[name] ?? Number.NaN) - (counts[mark]?.[name] ?? Number.NaN);
}

/** Beside a flat reading of the window, of which the mean delay is half its interval and most of two requests. */
function buildRequestRow(run: SizeRun, name: string, meanMs: number): Row {
  const { size, pageSize, source } = run;
  const intervalMs = 2 * (meanMs - 1.5 * REQUEST_MS);
  const dates = listDates(computeWindow(BUSY_FROM, 'UTC', CONNECTION.window));
  const pages = Math.ceil(source.count(dates) / pageSize);
  const flat = (pages * DAY_MS) / intervalMs;
  const ours = (lessThan(run, BUSY)('requests') * DAY_MS) / size.busyMs + TOKENS_A_DAY;
  return {
    target: 'P1',
    metric: `${name}, as a share at the same mean delay`,
    baseline: [
      `${describeCount(flat)} a day: the window every ${seconds(intervalMs)} s, mean ${seconds(meanMs)} s`,
      1,
    ],
    reached: ours / flat,
    atMost: 0.2,
  };
}

function buildDelayRows(delays: readonly number[], name: string, goals: readonly [number, number]): Row[] {
  const FIXED_S = 60;
  return [0.5, 0.99].map((share, place) => ({
    ...{ target: 'P9', metric: `${name}, p${share * 100}`, unit: 's' },
    baseline: [`yesterday to tomorrow every ${FIXED_S} s`, FIXED_S * share],
    reached: (findPercentile(delays, share) ?? Number.NaN) / SECOND_MS,
    atMost: goals[place],
  }));
}

function buildFirstRows(run: SizeRun, name: string): Row[] {
  const { first, source, pageSize } = run;
  if (first === null) throw new Error('the first reading did not end');
  const pages = source.count(listDates(computeWindow(BUSY_FROM, 'UTC', CONNECTION.window))) / pageSize;
  const inTurn = (pages * REQUEST_MS) / MINUTE_MS;
  return [
    {
      target: 'P12',
      metric: `${name}, events without a change`,
      reached: countUncaused(run, first.events),
      atMost: 0,
    },
    {
      ...{ target: 'P12', metric: `${name}, until everything was read`, unit: 'min', atMost: 20 },
      baseline: ['page after page of the window', inTurn],
      reached: first.milliseconds / MINUTE_MS,
    },
    {
      ...{
        target: 'P12',
        metric: `${name}, longest time between two looks at a hot date meanwhile`,
        unit: 's',
      },
      ...{ reached: first.hotAgeMs / SECOND_MS, atMost: 60 },
    },
  ];
}

/** Of the first events, those of timesheets that nothing had happened to since the first poll began. */
export function countUncaused(run: SizeRun, events: number): number {
  const early = { ...run, handedOver: run.handedOver.slice(0, events) };
  const told = early.handedOver.filter(({ type }) => type.startsWith('timesheet.'));
  return told.length - matchDelays(early, run.from).length;
}

/** By virtual time. */
export async function measureIdle(): Promise<Row[]> {
  const used = lessThan(await runSize(THIRTY, 200), QUIET);
  const minutes = THIRTY.quietMs / MINUTE_MS;
  return [
    {
      target: 'P13',
      metric: 'requests of polls to DynamoDB',
      reached: used('tableRequests') / minutes,
      atMost: 7,
    },
    {
      ...{ target: 'P13', metric: 'Lambda at 256 MB, of polls', unit: 'ms' },
      ...{ reached: used('pollMs') / minutes, atMost: 700 },
    },
  ];
}

/** A change of a timesheet that was told. */
interface Told {
  readonly type: string;
  readonly changedAt: number;
  readonly handedOverAt: number;
  readonly delayMs: number;
}

const EVENT_TYPES: Readonly<Partial<Record<ChangeKind, string>>> = {
  create: 'created',
  change: 'changed',
  remove: 'removed',
  approve: 'approved',
  'revoke-approval': 'approval_revoked',
  'approve-payroll': 'payroll_approved',
  'revoke-payroll-approval': 'payroll_approval_revoked',
  process: 'processed',
  'revert-processing': 'processing_reverted',
  'clock-in': 'clocked_in',
  'clock-out': 'clocked_out',
  'correct-clock-in': 'clock_in_corrected',
  'correct-clock-out': 'clock_out_corrected',
  'remove-clock-in': 'clock_in_removed',
  'remove-clock-out': 'clock_out_removed',
};

/** The type of the event that tells a change; undefined for a pay period's. */
export function typeOf(change: ChangeKind): string | undefined {
  const type = EVENT_TYPES[change];
  return type === undefined ? undefined : `timesheet.${type}`;
}

/** How late each change from an instant on was told; of several changes of one kind that one event tells, the first. */
export function matchDelays({ recording, handedOver }: SizeRun, from: number): Told[] {
  const changedAt = new Map<string, number[]>();
  for (const { id, change, at } of recording.changes) {
    const key = `${id} ${typeOf(change)}`;
    changedAt.set(key, [...(changedAt.get(key) ?? []), at]);
  }
  const toldUntil = new Map<string, number>();
  return handedOver.flatMap(({ type, subject, at: handedOverAt }) => {
    const key = `${subject} ${type}`;
    const since = toldUntil.get(key) ?? Number.NEGATIVE_INFINITY;
    const changes = changedAt.get(`${splitId(subject)[0]} ${type}`) ?? [];
    const first = changes.find((at) => since < at && at <= handedOverAt);
    toldUntil.set(key, handedOverAt);
    if (first === undefined || first < from) return [];
    return [{ type, changedAt: first, handedOverAt, delayMs: handedOverAt - first }];
  });
}

/** From SNS into a queue, and from it into a function that Lambda starts; and an invocation that delivers a batch. */
const QUEUE_MS = 100;
export const DELIVERY_MS = 500;
/** Lambda hands so many messages to an invocation, and runs so many at once where an account allows ten executions. */
const BATCH_SIZE = 10;
const INVOCATIONS = 2;

/** When a webhook that gets every event has accepted each, by when SNS got it. An invocation takes what has arrived. */
export function listAcceptances(handedOver: readonly number[]): number[] {
  const freeAt = Array.from({ length: INVOCATIONS }, () => 0);
  const accepted: number[] = [];
  while (accepted.length < handedOver.length) {
    const worker = freeAt.indexOf(Math.min(...freeAt));
    const arrivedAt = (handedOver[accepted.length] ?? 0) + QUEUE_MS;
    const startedAt = Math.max(arrivedAt, freeAt[worker] ?? 0);
    const waiting = handedOver.slice(accepted.length, accepted.length + BATCH_SIZE);
    const batch = waiting.filter((at) => at + QUEUE_MS <= startedAt);
    freeAt[worker] = startedAt + DELIVERY_MS;
    accepted.push(...batch.map(() => startedAt + DELIVERY_MS));
  }
  return accepted;
}

function listAcceptedDelays({ handedOver }: SizeRun, told: readonly Told[]): number[] {
  const times = handedOver.map(({ at }) => at);
  const acceptances = listAcceptances(times);
  // Those that SNS got at once are accepted one after the other: each counts as the last of them.
  const acceptedAt = new Map(times.map((at, place) => [at, acceptances[place] ?? at]));
  return told.map(
    ({ delayMs, handedOverAt }) => delayMs + (acceptedAt.get(handedOverAt) ?? 0) - handedOverAt,
  );
}

const CLOSINGS = 12;
/** From one to the next, so that they are spread over the minute of the schedule. */
const CLOSINGS_APART_MS = 65 * SECOND_MS;
const FIRST_CLOSING_AT = BEGINS + 20 * MINUTE_MS;
const TOLD_WITHIN_MS = 8 * MINUTE_MS;

/** From a closing in the source of 30 people until a webhook has accepted it, and until its line is in Slack. */
export async function measureClosings(): Promise<Row[]> {
  const delays: { readonly webhook: number; readonly slack: number }[] = [];
  for (let number = 0; number < CLOSINGS; number += 1)
    delays.push(await measureClosing(FIRST_CLOSING_AT + number * CLOSINGS_APART_MS));
  const describe = (name: string, values: readonly number[], goals: readonly [number, number]) =>
    [0.5, 1].map(
      (share, place): Row => ({
        ...{ target: 'P10', unit: 's', atMost: goals[place] },
        metric: `to ${name}, ${place === 0 ? 'p50' : 'the worst'} of ${CLOSINGS}`,
        reached: (findPercentile(values, share) ?? Number.NaN) / SECOND_MS,
      }),
    );
  return [
    ...describe(
      'a webhook',
      delays.map(({ webhook }) => webhook),
      [45, 90],
    ),
    ...describe(
      'Slack',
      delays.map(({ slack }) => slack),
      [60, 150],
    ),
  ];
}

async function measureClosing(closesAt: number) {
  const until = closesAt + TOLD_WITHIN_MS;
  const recording = recordCompany({ people: THIRTY.people, until, closesAt });
  const { handedOver } = await runFlow({ recording, ...THIRTY, pageSize: 200, from: BEGINS, marks: [until] });
  const place = handedOver.findIndex(({ type }) => type === 'pay_period.closed');
  const closed = handedOver[place];
  if (closed === undefined)
    throw new Error(`a closing was not told within ${TOLD_WITHIN_MS / MINUTE_MS} minutes`);
  const acceptedAt = listAcceptances(handedOver.map(({ at }) => at))[place] ?? Number.NaN;
  return { webhook: acceptedAt - closesAt, slack: (await postAt(closed)) - closesAt };
}

/** When the line is in Slack: collected from a queue, and posted from another one. */
async function postAt({ at, text }: HandedOver): Promise<number> {
  const config = parseNotifierConfig(standardConfig);
  const store = createMemoryStore();
  const sentAt: number[] = [];
  const now = () => at + QUEUE_MS + DELIVERY_MS;
  await collectAlerts(
    [{ id: '1', body: text, attributes: {} }],
    { alerting: readAlerting(config), retentionDays: 90 },
    {
      channelStore: createMemoryChannelStore(createMemoryDeliveryStore()),
      names: createNameReader(store),
      periods: createPeriodReader(store),
      sender: { send: async () => void sentAt.push(now()) },
      clock: { now },
      telemetry: { report: () => {} },
    },
  );
  const [first] = sentAt;
  if (first === undefined) throw new Error('a closing is not sent when it is collected');
  return first + QUEUE_MS + DELIVERY_MS;
}

function seconds(milliseconds: number): string {
  return (milliseconds / SECOND_MS).toFixed(0);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
