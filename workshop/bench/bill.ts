import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, NestedStack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import standardConfig from '#config';
import { SECRET_KEPT_MS } from '#functions/parts/source-clients.ts';
import { NotifierStack } from '#infra/notifier-stack.ts';
import { METRIC_NAMESPACE, METRICS } from '#shared/config/names.ts';
import { isChat } from '#shared/config/schema/chat-kind.ts';
import { type NotifierConfig, parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { findNeededTypes, findTypesNeededOnlyLate } from '#shared/config/schema/people.ts';
import { readParameterName } from '#shared/config/schema/secret-name.ts';
import { topicOf } from '#shared/core/event-types.ts';
import { countUnitsOfChange, READ_UNITS } from './baseline.ts';
import {
  BEGINS,
  BUSY_FROM,
  DAY_MS,
  FIFTY,
  HOUR_MS,
  MANY,
  MINUTE_MS,
  MOST,
  QUIET_UNTIL,
  type Size,
} from './company.ts';
import { BUSY, DELIVERY_MS, lessThan, QUIET, typeOf } from './delays.ts';
import { type Counts, runSize, type SizeRun } from './flow.ts';
import { addUsages, type Bill, computeBill, PRICE_LIST, sum, type Usage } from './prices.ts';
import { describeCount, type Row } from './table.ts';

/** A month of one connection. */
export interface Month {
  readonly size: Size;
  readonly eventsPerDay: number;
  readonly bill: Bill;
  /** Of one item per timesheet, with the same alarms and metrics. */
  readonly baseline: Bill;
}

/** The baseline reads everything that often. */
const BASELINE_MINUTES = 5;
const PLANS = [
  { size: FIFTY, pageSize: 200, atMost: 4.5 },
  { size: MANY, pageSize: 200, atMost: 7.5 },
  { size: MOST, pageSize: 200, atMost: 32 },
  { size: MOST, pageSize: 1_000, atMost: 22 },
];

/** Stacks with the config of this repository, without free tiers. */
export async function measureBills(): Promise<Row[]> {
  const config = parseNotifierConfig(standardConfig);
  const rows: Row[] = [];
  for (const { size, pageSize, atMost } of PLANS) {
    const { bill, baseline } = await computeMonth(size, config, pageSize);
    rows.push({
      ...{ target: 'P11', metric: `${size.name}, pages of ${pageSize}`, unit: '$', atMost },
      baseline: [`one item per timesheet, read every ${BASELINE_MINUTES} minutes`, baseline.total],
      reached: Number(bill.total.toFixed(2)),
    });
  }
  return rows;
}

const MONTH_DAYS = 730 / 24;
const MINUTES_A_MONTH = MONTH_DAYS * 1_440;
const GB_MB = 1_024;
const GB = 1e9;

/** A month of a size with a config. Runs the real flow for minutes. */
export async function computeMonth(size: Size, config: NotifierConfig, pageSize = 200): Promise<Month> {
  const run = await runSize(size, pageSize);
  const minute = averageMinute(run);
  const events = countEvents(run);
  const eventsPerDay = sum([...events.values()]);
  const traffic = { minute, events, eventsPerDay, timesheets: run.recording.timesheets.length * size.copies };
  const template = countTemplateUsage(config);
  const count = (units: Units) =>
    addUsages([template, countTrafficUsage({ ...traffic, ...units, memoryMb: size.memoryMb }, config)]);
  const usage = count({
    writesPerEvent: (minute('write') * 1_440) / eventsPerDay,
    readsPerMinute: minute('read'),
  });
  const baseline = count({
    writesPerEvent: await countUnitsOfChange(),
    readsPerMinute: (READ_UNITS * traffic.timesheets) / BASELINE_MINUTES,
  });
  return { size, eventsPerDay, bill: computeBill(usage), baseline: computeBill(baseline) };
}

interface Units {
  readonly writesPerEvent: number;
  readonly readsPerMinute: number;
}

interface Traffic extends Units {
  /** What a minute uses. */
  readonly minute: (name: keyof Counts) => number;
  /** Events a day by type. */
  readonly events: ReadonlyMap<string, number>;
  readonly eventsPerDay: number;
  readonly timesheets: number;
  readonly memoryMb: number;
}

/** Of the fortnight before: each hour stands between the quiet and the busy part of the run by the square root of its changes. */
function averageMinute(run: SizeRun): Traffic['minute'] {
  const { recording, size } = run;
  const hours = Array.from({ length: 14 * 24 }, (_, hour) => BEGINS - (hour + 1) * HOUR_MS);
  const count = (times: readonly number[], from: number, to: number) =>
    times.filter((at) => from <= at && at < to).length;
  const past = recording.past.map(({ at }) => at);
  const roots = hours.map((from) => Math.sqrt(count(past, from, from + HOUR_MS)));
  const now = recording.changes.map(({ at }) => at);
  const rootOf = (from: number, to: number) => Math.sqrt((count(now, from, to) * HOUR_MS) / (to - from));
  const quiet = rootOf(QUIET_UNTIL - size.quietMs, QUIET_UNTIL);
  const busy = rootOf(BUSY_FROM, BUSY_FROM + size.busyMs);
  const share = (sum(roots) / roots.length - quiet) / (busy - quiet);
  const [inQuiet, inBusy] = [lessThan(run, QUIET), lessThan(run, BUSY)];
  return (name) =>
    MINUTE_MS * (((1 - share) * inQuiet(name)) / size.quietMs + (share * inBusy(name)) / size.busyMs);
}

/** Events a day of the fortnight before, by type. */
function countEvents({ recording, size }: SizeRun): Map<string, number> {
  const days = (BEGINS - (recording.past[0]?.at ?? BEGINS)) / DAY_MS;
  const events = new Map<string, number>();
  for (const { change } of recording.past) {
    const type = typeOf(change);
    if (type !== undefined) events.set(type, (events.get(type) ?? 0) + size.copies / days);
  }
  return events;
}

/** Milliseconds of an invocation that releases messages. A start is billed, and Lambda ends an idle environment. */
const RELEASE_MS = 60;
const START_MS = 400;
const STARTS_A_DAY = 144;
const SMALL_GB = 0.25;
/** Bytes that leave AWS: of a request with a token of 700 characters, and of an event to a webhook. */
const REQUEST_OUT_BYTES = 1_300;
const DELIVERY_OUT_BYTES = 2_500;
/** SNS asks the key of a topic twice for a data key for so long: https://docs.aws.amazon.com/sns/latest/dg/sns-enable-encryption-for-topic.html */
const DATA_KEY_MINUTES = 5;
/** Messages to each channel of people. */
const MESSAGES_A_DAY = 10;
/** Bytes in the log of an invocation, with what Lambda writes itself. */
const LOG_BYTES = { poll: 1_600, release: 1_100, delivery: 600 };
const DELIVERIES_PER_BATCH = 5;
const EVENTS_PER_SNS_REQUEST = 8;
/** An event in the log, compressed, for the days that it is kept, and a record in a bucket. */
const EVENT_BYTES = 250;
const RECORD_BYTES = 40;

/** What a month of this traffic uses. */
function countTrafficUsage(traffic: Traffic, config: NotifierConfig): Usage {
  const { minute, eventsPerDay, timesheets, memoryMb } = traffic;
  const { webhooks, connections, people } = config;
  const events = eventsPerDay * MONTH_DAYS;
  const perWebhook = webhooks.map(({ topics, filter }) =>
    countOf(
      traffic,
      (type) => filter.type?.includes(type as never) ?? topics.includes(topicOf(type as never) as never),
    ),
  );
  const deliveries = sum(perWebhook) * MONTH_DAYS;
  const batches = deliveries / DELIVERIES_PER_BATCH;
  const followUps = MINUTES_A_MONTH * minute('followUps');
  const releases = people.channels.length > 0 ? MINUTES_A_MONTH : 0;
  const told = countPeople(traffic, people);
  const small = batches + told.invocations;
  const starts = STARTS_A_DAY * MONTH_DAYS * (webhooks.length + people.channels.length);
  const days = Math.max(...connections.map(({ retentionDays }) => retentionDays));
  const storedGb = (timesheets * RECORD_BYTES + eventsPerDay * days * EVENT_BYTES) / GB;
  const polls = MINUTES_A_MONTH + followUps;
  const logGb =
    (polls * LOG_BYTES.poll + releases * LOG_BYTES.release + deliveries * LOG_BYTES.delivery) / GB;
  const requests = MINUTES_A_MONTH * minute('requests');
  const smallMs = releases * RELEASE_MS + small * DELIVERY_MS + Math.min(starts, small) * START_MS;
  return {
    lambdaRequests: polls + releases + small,
    lambdaGbSeconds: ((memoryMb / GB_MB) * MINUTES_A_MONTH * minute('pollMs') + SMALL_GB * smallMs) / 1_000,
    // A delivery is noted once it succeeded.
    writeUnits: events * traffic.writesPerEvent + 2 * deliveries + told.writeUnits,
    readUnits: MINUTES_A_MONTH * traffic.readsPerMinute + releases * people.channels.length + deliveries,
    ...{ storedGb, recoverableGb: storedGb, logGb, logStoredGb: logGb },
    snsRequests: events / EVENTS_PER_SNS_REQUEST,
    mails: told.mails,
    keyRequests: countKeyRequests(traffic),
    // What is received is deleted, and a follow-up was sent; receives that find something replace idle ones.
    sqsRequests: small + 2 * followUps,
    sqsFifoRequests: 2 * told.posts,
    dataOutGb: (requests * REQUEST_OUT_BYTES + deliveries * DELIVERY_OUT_BYTES) / GB,
  };
}

/** What waits is stored, sent and deleted, and so is its message; an event that a channel needs is looked at. */
function countPeople(traffic: Traffic, people: NotifierConfig['people']) {
  const lateOnly = findTypesNeededOnlyLate(people);
  const needed: readonly string[] = [...findNeededTypes(people).values()]
    .flat()
    .filter((type) => !lateOnly.has(type));
  const events = countOf(traffic, (type) => needed.includes(type)) * MONTH_DAYS;
  const perChannel = MESSAGES_A_DAY * MONTH_DAYS;
  const posts = perChannel * people.channels.filter(isChat).length;
  const addresses = people.channels.flatMap((channel) => (isChat(channel) ? [] : channel.addresses));
  const messages = perChannel * people.channels.length;
  return {
    invocations: events / DELIVERIES_PER_BATCH + messages + posts,
    writeUnits: 6 * messages + events,
    posts,
    mails: perChannel * addresses.length,
  };
}

function countKeyRequests(traffic: Traffic): number {
  const byTopic = Map.groupBy(traffic.events, ([type]) => topicOf(`workforce.${type}` as never));
  const dataKeys = [...byTopic.values()].map((events) =>
    Math.min(sum(events.map(([, count]) => count)), 1_440 / DATA_KEY_MINUTES),
  );
  return 2 * MONTH_DAYS * sum(dataKeys);
}

/** Events a day of some types. */
function countOf({ events }: Traffic, isWanted: (type: string) => boolean): number {
  return sum([...events].map(([type, count]) => (isWanted(`workforce.${type}`) ? count : 0)));
}

/** Lambda keeps five long polls of 20 seconds open on each queue, whether messages come or not. */
const IDLE_RECEIVES_A_MINUTE = 15;
/** `DetectionDelay` of timesheets, of which something changes in most hours. Of the other feeds little does. */
const DELAY_METRICS = 1;

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
  const fifo = queues.filter(({ Properties }) => Properties.FifoQueue === true).length;
  const receives = IDLE_RECEIVES_A_MINUTE * MINUTES_A_MONTH;
  const { connections, people, webhooks } = config;
  const users = [...connections, ...webhooks, ...people.channels.filter(isChat)];
  const isSecret = (name: string) => readParameterName(name) === null;
  const names = new Set(users.map(({ secretName }) => secretName).filter(isSecret));
  const reads = (MINUTES_A_MONTH * MINUTE_MS) / SECRET_KEPT_MS;
  const secretSources = connections.filter(({ secretName }) => isSecret(secretName)).length;
  const alarms = find('AWS::CloudWatch::Alarm');
  return {
    alarmMetrics: alarms.length,
    customMetrics: countSteadyMetrics(alarms) + DELAY_METRICS,
    keys: find('AWS::KMS::Key').length,
    secrets: names.size,
    secretReads: secretSources * reads,
    // Each read of a parameter decrypts it.
    keyRequests: (connections.length - secretSources) * reads,
    schedulerInvocations: sum(
      find('AWS::Scheduler::Schedule').map(
        ({ Properties }) => MINUTES_A_MONTH / readRateMinutes(String(Properties.ScheduleExpression)),
      ),
    ),
    sqsRequests: (find('AWS::Lambda::EventSourceMapping').length - fifo) * receives,
    sqsFifoRequests: fifo * receives,
  };
}

/** The stack, and those within it. */
function synthesize(config: NotifierConfig): Template[] {
  process.env.CDK_VALIDATION = 'false';
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
  const outdir = mkdtempSync(join(tmpdir(), 'notifier-bill-'));
  // Its warnings are for those who deploy.
  const quiet = { 'aws:cdk:bundling-stacks': [], '@aws-cdk/core:annotationsInValidationReport': false };
  const app = new App({ outdir, analyticsReporting: false, context: { ...context, ...quiet } });
  try {
    const stack = new NotifierStack(app, { config });
    const nested = stack.node.findAll().filter((part) => part instanceof NestedStack);
    return [stack, ...nested].map((each) => Template.fromStack(each));
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

/** Metrics with an alarm that have data every hour; all others have some only in times of trouble. */
function countSteadyMetrics(alarms: readonly Resource[]): number {
  const steady = alarms.filter(
    ({ Properties: { Namespace, MetricName } }) =>
      Namespace === METRIC_NAMESPACE && MetricName === METRICS.completedPolls,
  );
  return new Set(steady.map(({ Properties }) => JSON.stringify(Properties.Dimensions))).size;
}

/** Of `rate(5 minutes)` or `rate(1 day)`. */
function readRateMinutes(expression: string): number {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  if (count === undefined || unit === undefined) throw new Error(`cannot read the schedule ${expression}`);
  return Number(count) * { minute: 1, hour: 60, day: 1_440 }[unit as 'minute' | 'hour' | 'day'];
}

const [BEGIN, END] = ['<!-- cost:begin -->', '<!-- cost:end -->'];

/** Replaces the table of sizes between the markers of a document. */
export function replaceSizes(document: string, table: string): string {
  const [begin, end] = [document.indexOf(BEGIN) + BEGIN.length, document.indexOf(END)];
  if (begin < BEGIN.length || end < begin) throw new Error(`the document has no ${BEGIN} ... ${END}`);
  return `${document.slice(0, begin)}\n${table}\n${document.slice(end)}`;
}

export function buildSizes(months: readonly Month[]): string {
  const rows = months.map(({ size, eventsPerDay, bill, baseline }) => {
    const dollars = [bill.total, bill.afterFreeTier, baseline.total].map((each) => `$${each.toFixed(2)}`);
    return `| ${[size.name.replace(' people', ''), describeCount(eventsPerDay), ...dollars].join(' | ')} |`;
  });
  return [
    '| Employees | Events a day | Notifier | After the free tier | One item per timesheet |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    `Prices of ${PRICE_LIST.region}, ${PRICE_LIST.asOf}.`,
  ].join('\n');
}
