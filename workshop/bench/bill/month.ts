import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, NestedStack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { NotifierStack } from '#infra/notifier-stack.ts';
import { METRIC_NAMESPACE, METRICS } from '#shared/config/names.ts';
import { isChat } from '#shared/config/schema/chat-kind.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { computeWindow, listDates, toLocalDate } from '#shared/core/dates.ts';
import { EVENT_TYPES, topicOf } from '#shared/core/event-types.ts';
import { percentile } from '../fortnight/flow/delays.ts';
import { type FlowResult, runFlow } from '../fortnight/flow/run-flow.ts';
import { PAGE_SIZE, spanOf, WINDOW } from '../fortnight/flow/spans.ts';
import type { FortnightSize } from '../fortnight/trace/size.ts';
import { createTrace, type Trace } from '../fortnight/trace/trace.ts';
import { measureOneItemEach } from '../measures/one-item-each.ts';
import { FREE_TIER, PRICES, type Priced } from '../prices.ts';

/** One item per timesheet, read whole that often, with the same alarms and metrics. */
export const BASELINE_MINUTES = 5;
const READ_UNITS_PER_RECORD = 0.5;

/** A month of one connection: its traffic, its bill, and the bill of the baseline. */
export interface Month {
  readonly traffic: Traffic;
  readonly usage: Usage;
  readonly bill: Bill;
  readonly baseline: Bill;
}

/** A month of a size with a config, without free tiers. Runs the real flow for minutes among many people. */
export async function computeMonth(size: FortnightSize, config: NotifierConfig): Promise<Month> {
  const traffic = await measureTraffic(size, config.schedules.timesheets.rereadForSeconds);
  const template = countTemplateUsage(config);
  const countFor = (units: CountedUnits) => addUsages([template, countTrafficUsage(traffic, units, config)]);
  const usage = countFor(traffic.units);
  const baseline = countFor({
    writesPerEvent: await measureOneItemEach(),
    readsPerMinute: (READ_UNITS_PER_RECORD * traffic.recordsInWindow) / BASELINE_MINUTES,
  });
  return { traffic, usage, bill: computeBill(usage), baseline: computeBill(baseline) };
}

const SECONDS = 1_000;
const GB_MB = 1_024;
const LOG_GB = 1e9;

/** Milliseconds of invocations besides polls of timesheets, with 5 ms for each request to AWS. */
const PAY_PERIOD_POLL_MS = 350;
const RELEASE_MS = 60;
const DELIVERY_BATCH_MS = 500;
/** A poll of timesheets waits for DynamoDB besides the source, which takes no time where the flow is run. */
const POLL_OVERHEAD_MS = 50;
/** Bytes in the log of an invocation: START, END and REPORT of Lambda, the outcome line, and a metric of a poll. */
const POLL_LOG_BYTES = 1_600;
const RELEASE_LOG_BYTES = 1_100;
const DELIVERY_LOG_BYTES = 600;
const DELIVERIES_PER_BATCH = 5;
const EVENTS_PER_SNS_REQUEST = 8;
/** An event in the log, compressed, for the days that it is kept, and a record in a leaf. */
const EVENT_BYTES = 250;
const RECORD_BYTES = 40;

/** Units of the table: per event, with all leases and state, and reads of a minute. */
interface CountedUnits {
  readonly writesPerEvent: number;
  readonly readsPerMinute: number;
}

/** What the real flow did with a part of the fortnight: how long its polls took, what they read and wrote. */
interface Traffic {
  readonly size: FortnightSize;
  readonly pollSecondsPerMinute: number;
  readonly followUpsPerMinute: number;
  readonly units: CountedUnits;
  readonly eventsPerDay: number;
  /** The same by type, such as `timesheet.approved`: a webhook gets those that its filter passes. */
  readonly eventsPerDayOf: ReadonlyMap<string, number>;
  readonly recordsInWindow: number;
  /** Seconds until a clocking is published, of one half and of 99 % of them. */
  readonly delays: readonly [number, number];
}

async function measureTraffic(size: FortnightSize, rereadForSeconds: number): Promise<Traffic> {
  const flow = await runFlow({ span: spanOf(size), pageSize: PAGE_SIZE, rereadForSeconds });
  const minutes = flow.days * 1_440;
  const clockings = flow.expected.delays.of('clockings');
  const eventsPerDayOf = countChangesPerDay(flow.trace);
  return {
    size,
    pollSecondsPerMinute: (flow.pollMs + (minutes + flow.followUps) * POLL_OVERHEAD_MS) / minutes / SECONDS,
    followUpsPerMinute: flow.followUps / minutes,
    units: { writesPerEvent: flow.units.write / flow.events, readsPerMinute: flow.units.read / minutes },
    eventsPerDay: [...eventsPerDayOf.values()].reduce((sum, each) => sum + each, 0),
    eventsPerDayOf,
    recordsInWindow: countRecords(flow),
    delays: [percentile(clockings, 0.5) / SECONDS, percentile(clockings, 0.99) / SECONDS],
  };
}

/** What a month of this traffic uses. */
function countTrafficUsage(traffic: Traffic, units: CountedUnits, config: NotifierConfig): Usage {
  const monthDays = MINUTES_A_MONTH / 1_440;
  const memoryGb = config.functions.memoryMb / GB_MB;
  const events = traffic.eventsPerDay * monthDays;
  const deliveries = countDeliveriesPerDay(traffic, config) * monthDays;
  const batches = Math.ceil(deliveries / DELIVERIES_PER_BATCH);
  const followUps = MINUTES_A_MONTH * traffic.followUpsPerMinute;
  const polls = 2 * MINUTES_A_MONTH + followUps;
  const releases = config.alerts.channels.length > 0 ? MINUTES_A_MONTH : 0;
  const days = Math.max(...config.connections.map(({ retentionDays }) => retentionDays));
  const storedGb =
    (traffic.recordsInWindow * RECORD_BYTES + traffic.eventsPerDay * days * EVENT_BYTES) / LOG_GB;
  const logGb =
    (polls * POLL_LOG_BYTES + releases * RELEASE_LOG_BYTES + deliveries * DELIVERY_LOG_BYTES) / LOG_GB;
  return {
    lambdaRequests: polls + releases + batches,
    lambdaGbSeconds:
      memoryGb * MINUTES_A_MONTH * (traffic.pollSecondsPerMinute + PAY_PERIOD_POLL_MS / SECONDS) +
      (releases * RELEASE_MS + batches * DELIVERY_BATCH_MS) / SECONDS / 4,
    // A delivery is noted in the ledger once it succeeded.
    writeUnits: events * units.writesPerEvent + 2 * deliveries,
    readUnits: MINUTES_A_MONTH * units.readsPerMinute + releases * config.alerts.channels.length + deliveries,
    storedGb,
    recoverableGb: storedGb,
    snsRequests: events / EVENTS_PER_SNS_REQUEST,
    // What is received is deleted, and a follow-up was sent; receives that find something replace idle ones.
    sqsRequests: batches + 2 * followUps,
    logGb,
    logStoredGb: logGb,
  };
}

function countDeliveriesPerDay({ eventsPerDayOf }: Traffic, { webhooks }: NotifierConfig): number {
  const isFor = (type: string, { topics, filter }: NotifierConfig['webhooks'][number]) => {
    const name = EVENT_TYPES.find((each) => each === `workforce.${type}`);
    return name !== undefined && (filter.type?.includes(name) ?? topics.includes(topicOf(name)));
  };
  let sum = 0;
  for (const webhook of webhooks)
    for (const [type, events] of eventsPerDayOf) if (isFor(type, webhook)) sum += events;
  return sum;
}

/** Over the whole fortnight: the span that the flow sees is busier than the average. */
function countChangesPerDay({ size, seed }: Trace): Map<string, number> {
  const trace = createTrace({ seed, size });
  const dates = listDates({ from: toLocalDate(trace.from, 'UTC'), to: toLocalDate(trace.to - 1, 'UTC') });
  const counts = new Map<string, number>();
  for (const date of dates)
    for (const { type } of trace.changesOnDay(date)) counts.set(type, (counts.get(type) ?? 0) + 1);
  return new Map([...counts].map(([type, count]) => [type, count / dates.length]));
}

function countRecords({ trace, from }: FlowResult): number {
  const dates = listDates(computeWindow(from, 'UTC', WINDOW));
  return dates.reduce((sum, date) => sum + trace.recordsOn(date, from), 0);
}

const MINUTES_A_MONTH = 730 * 60;
/** Lambda keeps five long polls of 20 seconds open on each queue, whether messages come or not. */
const IDLE_RECEIVES_A_MINUTE = 15;
/** Its function reads a secret again after so many minutes: a source's, and any other. */
const SOURCE_SECRET_MINUTES = 15;

interface Resource {
  readonly Properties: Record<string, unknown>;
}

/** What a stack uses in a month in which nothing happens, by its template; polls themselves are not counted. */
export function countTemplateUsage(config: NotifierConfig): Usage {
  const templates = synthesize(config);
  const find = (type: string) =>
    templates.flatMap((template) => Object.values(template.findResources(type)) as Resource[]);
  const queues = find('AWS::SQS::Queue').filter(({ Properties }) =>
    Object.hasOwn(Properties, 'RedrivePolicy'),
  );
  const mappings = find('AWS::Lambda::EventSourceMapping').length;
  const fifo = queues.filter(({ Properties }) => Properties.FifoQueue === true).length;
  const receives = IDLE_RECEIVES_A_MINUTE * MINUTES_A_MONTH;
  const { connections, alerts, webhooks } = config;
  const chats = alerts.channels.filter(isChat).map(({ secretName }) => secretName);
  const secrets = new Set([...connections, ...webhooks].map(({ secretName }) => secretName).concat(chats));
  return {
    alarmMetrics: find('AWS::CloudWatch::Alarm').flatMap(readWatchedMetrics).length,
    customMetrics: countSteadyMetrics(find('AWS::CloudWatch::Alarm')),
    dashboards: find('AWS::CloudWatch::Dashboard').length,
    secrets: secrets.size,
    secretReads: (2 * connections.length * MINUTES_A_MONTH) / SOURCE_SECRET_MINUTES,
    schedulerInvocations: find('AWS::Scheduler::Schedule')
      .map(({ Properties }) => MINUTES_A_MONTH / readRateMinutes(String(Properties.ScheduleExpression)))
      .reduce((sum, count) => sum + count, 0),
    sqsRequests: (mappings - fifo) * receives,
    sqsFifoRequests: fifo * receives,
  };
}

/** The stack, and those within it. */
function synthesize(config: NotifierConfig): Template[] {
  process.env.CDK_VALIDATION = 'false';
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
  const outdir = mkdtempSync(join(tmpdir(), 'notifier-bill-'));
  const app = new App({
    outdir,
    analyticsReporting: false,
    // Its warnings are for those who deploy.
    context: {
      ...context,
      'aws:cdk:bundling-stacks': [],
      '@aws-cdk/core:annotationsInValidationReport': false,
    },
  });
  try {
    const stack = new NotifierStack(app, { config });
    const nested = stack.node.findAll().filter((part) => part instanceof NestedStack);
    return [stack, ...nested].map((each) => Template.fromStack(each));
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

interface WatchedMetric {
  readonly Namespace?: string;
  readonly MetricName?: string;
  readonly Dimensions?: unknown;
}

/** The metrics of an alarm, each of which is paid for. */
function readWatchedMetrics({ Properties }: Resource): WatchedMetric[] {
  const metrics = Properties.Metrics as { MetricStat?: { Metric: WatchedMetric } }[] | undefined;
  if (metrics === undefined) return [Properties as WatchedMetric];
  return metrics.flatMap(({ MetricStat }) => (MetricStat === undefined ? [] : [MetricStat.Metric]));
}

const STEADY: readonly unknown[] = [METRICS.completedFeed, METRICS.freshnessSeconds];

/** Metrics of our own that have data every hour; all others have some only in times of trouble, or once a day. */
function countSteadyMetrics(alarms: readonly Resource[]): number {
  const steady = alarms
    .flatMap(readWatchedMetrics)
    .filter(({ Namespace, MetricName }) => Namespace === METRIC_NAMESPACE && STEADY.includes(MetricName))
    .map(({ MetricName, Dimensions }) => JSON.stringify([MetricName, Dimensions]));
  return new Set(steady).size;
}

/** Of `rate(5 minutes)` or `rate(1 day)`. */
function readRateMinutes(expression: string): number {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  if (count === undefined || unit === undefined) throw new Error(`cannot read the schedule ${expression}`);
  return Number(count) * { minute: 1, hour: 60, day: 1_440 }[unit as 'minute' | 'hour' | 'day'];
}

/** What a month uses, in the units of the prices. */
type Usage = Readonly<Partial<Record<Priced, number>>>;

interface Bill {
  /** Dollars a month, without any free tier. */
  readonly total: number;
  /** What is left of it in an account that uses nothing else. */
  readonly afterFreeTier: number;
  /** Dollars by what they are paid for, the largest first. */
  readonly items: readonly (readonly [Priced, number])[];
}

export function computeBill(usage: Usage): Bill {
  const items = (Object.keys(usage) as Priced[])
    .map((name) => [name, price(name, usage[name] ?? 0)] as const)
    .sort(([, a], [, b]) => b - a);
  const left = items.map(([name]) => price(name, Math.max(0, (usage[name] ?? 0) - (FREE_TIER[name] ?? 0))));
  return { total: sum(items.map(([, dollars]) => dollars)), afterFreeTier: sum(left), items };
}

export function addUsages(usages: readonly Usage[]): Usage {
  const names = new Set(usages.flatMap((usage) => Object.keys(usage) as Priced[]));
  return Object.fromEntries([...names].map((name) => [name, sum(usages.map((usage) => usage[name] ?? 0))]));
}

function price(name: Priced, units: number): number {
  return (units * PRICES[name].dollars) / PRICES[name].per;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
