import standardConfig from '#config';
import { SECRET_KEPT_MS } from '#functions/parts/source-clients.ts';
import { isChat } from '#shared/config/schema/chat-kind.ts';
import { type NotifierConfig, parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { readParameterName } from '#shared/config/schema/secret-name.ts';
import { topicOf } from '#shared/core/event-types.ts';
import { type Given, synthesize } from '#test/infra/synthesized.ts';
import { countUnitsOfChange, READ_UNITS } from './baseline.ts';
import { BEGINS, DAY_MS, FIFTY, MANY, MINUTE_MS, MOST, type Size, typeOf } from './company.ts';
import { type Counts, type Flow, runSize } from './flow.ts';
import { addUsages, type Bill, computeBill, PRICE_LIST, sum, type Usage } from './prices.ts';
import { BUSY, DELIVERY_MS, lessThan, QUIET } from './runs.ts';
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
      ...{ target: 'P11', metric: `${size.name}, pages of ${pageSize}: a month`, unit: '$', atMost },
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
/** Hours a day in which as much happens as in the busy part of a run; the others are like its quiet part. */
const BUSY_HOURS = 6;
const PAST_DAYS = 14;

/** A month of a size with a config. Runs the real flow for minutes. */
export async function computeMonth(size: Size, config: NotifierConfig, pageSize = 200): Promise<Month> {
  const flow = await runSize(size, pageSize);
  const minute = averageMinute(flow);
  const events = countEvents(flow);
  const eventsPerDay = sum([...events.values()]);
  const timesheets = flow.company.timesheets().length * size.copies;
  const traffic = { minute, events, eventsPerDay, memoryMb: size.memoryMb };
  const count = (units: Units) =>
    addUsages([countTemplateUsage(config), countTrafficUsage({ ...traffic, ...units }, config)]);
  const ours = {
    writesPerEvent: (minute('write') * 1_440) / eventsPerDay,
    readsPerMinute: minute('read'),
  };
  const theirs = {
    writesPerEvent: await countUnitsOfChange(),
    readsPerMinute: (READ_UNITS * timesheets) / BASELINE_MINUTES,
  };
  const [bill, baseline] = [ours, theirs].map((units) => computeBill(count(units))) as [Bill, Bill];
  return { size, eventsPerDay, bill, baseline };
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
  readonly memoryMb: number;
}

function averageMinute(flow: Flow): Traffic['minute'] {
  const { quietMs, busyMs } = flow.options.size;
  const [inQuiet, inBusy] = [lessThan(flow, QUIET), lessThan(flow, BUSY)];
  const share = BUSY_HOURS / 24;
  return (name) => MINUTE_MS * ((1 - share) * (inQuiet(name) / quietMs) + share * (inBusy(name) / busyMs));
}

/** Events a day of the fortnight before, by type. */
function countEvents({ company, options: { size } }: Flow): Map<string, number> {
  const events = new Map<string, number>();
  for (const { at, change } of company.history) {
    const type = typeOf(change);
    if (type === undefined || at >= BEGINS || at < BEGINS - PAST_DAYS * DAY_MS) continue;
    events.set(type, (events.get(type) ?? 0) + size.copies / PAST_DAYS);
  }
  return events;
}

/** Milliseconds of an invocation that releases messages. */
const RELEASE_MS = 60;
const SMALL_GB = 0.25;
/** Bytes that leave AWS: of a request with a token of 700 characters, and of an event to a webhook. */
const REQUEST_OUT_BYTES = 1_300;
const DELIVERY_OUT_BYTES = 2_500;
/** SNS asks the key of a topic twice for a data key for so long: https://docs.aws.amazon.com/sns/latest/dg/sns-enable-encryption-for-topic.html */
const DATA_KEY_MINUTES = 5;
/** Bytes in the log of an invocation, with what Lambda writes itself. */
const LOG_BYTES = { poll: 1_600, release: 1_100, delivery: 600 };
const DELIVERIES_PER_BATCH = 5;
const EVENTS_PER_SNS_REQUEST = 8;
/** An event in the log, compressed. */
const EVENT_BYTES = 250;

/** What a month of this traffic uses. */
function countTrafficUsage(traffic: Traffic, config: NotifierConfig): Usage {
  const { minute, eventsPerDay, memoryMb } = traffic;
  const { webhooks, connections, people } = config;
  const events = eventsPerDay * MONTH_DAYS;
  const deliveries = sum(webhooks.map((webhook) => countOf(traffic, wantsOf(webhook)))) * MONTH_DAYS;
  const followUps = MINUTES_A_MONTH * minute('followUps');
  const releases = people.channels.length > 0 ? MINUTES_A_MONTH : 0;
  const small = deliveries / DELIVERIES_PER_BATCH;
  const days = Math.max(...connections.map(({ retentionDays }) => retentionDays));
  const polls = MINUTES_A_MONTH + followUps;
  const logBytes = polls * LOG_BYTES.poll + releases * LOG_BYTES.release + deliveries * LOG_BYTES.delivery;
  const outBytes = MINUTES_A_MONTH * minute('requests') * REQUEST_OUT_BYTES + deliveries * DELIVERY_OUT_BYTES;
  const pollGb = (memoryMb / GB_MB) * MINUTES_A_MONTH * minute('pollMs');
  return {
    lambdaRequests: polls + releases + small,
    lambdaGbSeconds: (pollGb + SMALL_GB * (releases * RELEASE_MS + small * DELIVERY_MS)) / 1_000,
    // A delivery is noted once it succeeded.
    writeUnits: events * traffic.writesPerEvent + 2 * deliveries,
    readUnits: MINUTES_A_MONTH * traffic.readsPerMinute + releases * people.channels.length + deliveries,
    storedGb: (eventsPerDay * days * EVENT_BYTES) / GB,
    logGb: logBytes / GB,
    snsRequests: events / EVENTS_PER_SNS_REQUEST,
    keyRequests: countKeyRequests(traffic),
    // What is received is deleted, and a follow-up was sent; receives that find something replace idle ones.
    sqsRequests: small + 2 * followUps,
    dataOutGb: outBytes / GB,
  };
}

function wantsOf({ topics, filter }: NotifierConfig['webhooks'][number]) {
  return (type: string) =>
    filter.type?.includes(type as never) ?? topics.includes(topicOf(type as never) as never);
}

function countKeyRequests({ events }: Traffic): number {
  const byTopic = Map.groupBy(events, ([type]) => topicOf(`workforce.${type}` as never));
  const dataKeys = [...byTopic.values()].map((alike) =>
    Math.min(sum(alike.map(([, count]) => count)), 1_440 / DATA_KEY_MINUTES),
  );
  return 2 * MONTH_DAYS * sum(dataKeys);
}

/** Events a day of some types. */
function countOf({ events }: Traffic, isWanted: (type: string) => boolean): number {
  return sum([...events].map(([type, count]) => (isWanted(`workforce.${type}`) ? count : 0)));
}

/** Lambda keeps five long polls of 20 seconds open on each queue, whether messages come or not. */
const IDLE_RECEIVES_A_MINUTE = 15;

/** What a stack uses in a month in which nothing happens, by its template; polls themselves are not counted. */
export function countTemplateUsage(config: NotifierConfig): Usage {
  const { ofType } = synthesize(config as Given);
  const mappings = ofType('AWS::Lambda::EventSourceMapping').length;
  const chats = config.people.channels.filter(isChat);
  const receives = IDLE_RECEIVES_A_MINUTE * MINUTES_A_MONTH;
  const { connections, webhooks } = config;
  const names = [...connections, ...webhooks, ...chats].map(({ secretName }) => secretName);
  const schedules = ofType('AWS::Scheduler::Schedule').map(({ properties }) =>
    readRateMinutes(String(properties.ScheduleExpression)),
  );
  return {
    alarmMetrics: ofType('AWS::CloudWatch::Alarm').length,
    // The polls of each connection, and the delay of its timesheets; all others have data in times of trouble.
    customMetrics: 2 * connections.length,
    keys: ofType('AWS::KMS::Key').length,
    secrets: new Set(names.filter((name) => readParameterName(name) === null)).size,
    // Each read of a parameter decrypts it.
    keyRequests: (connections.length * MINUTES_A_MONTH * MINUTE_MS) / SECRET_KEPT_MS,
    schedulerInvocations: sum(schedules.map((minutes) => MINUTES_A_MONTH / minutes)),
    // The queue of each chat keeps an order.
    sqsRequests: (mappings - chats.length) * receives,
    sqsFifoRequests: chats.length * receives,
  };
}

/** Of `rate(5 minutes)` or `rate(1 day)`. */
function readRateMinutes(expression: string): number {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  if (count === undefined || unit === undefined) throw new Error(`cannot read the schedule ${expression}`);
  return Number(count) * { minute: 1, hour: 60, day: 1_440 }[unit as 'minute' | 'hour' | 'day'];
}

/** The table of `docs/cost.md`. */
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
