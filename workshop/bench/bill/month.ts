import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, NestedStack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { SECRET_KEPT_MS } from '#functions/parts/source-clients.ts';
import { NotifierStack } from '#infra/notifier-stack.ts';
import { METRIC_NAMESPACE, METRICS } from '#shared/config/names.ts';
import { isChat } from '#shared/config/schema/chat-kind.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { findNeededTypes, findTypesNeededOnlyLate } from '#shared/config/schema/people.ts';
import { readParameterName } from '#shared/config/schema/secret-name.ts';
import { EVENT_TYPES, type EventType, topicOf } from '#shared/core/event-types.ts';
import { countUnitsOfChange, READ_UNITS } from '../baselines/one-item-each.ts';
import { PAGE_SIZE } from '../fortnight/flow/spans.ts';
import { MINUTE_MS } from '../fortnight/trace/calendar.ts';
import type { FortnightSize } from '../fortnight/trace/size.ts';
import { addUsages, type Bill, computeBill, type Usage } from '../prices.ts';
import { DELIVERY_BATCH_MS, GB_MB, LOG_GB, MINUTES_A_MONTH, POLL_LOG_BYTES, SECONDS } from './quantities.ts';
import { type CountedUnits, measureTraffic, type Traffic } from './traffic.ts';

/** One item per timesheet, read whole that often, with the same alarms and metrics. */
export const BASELINE_MINUTES = 5;

/** A month of one connection: its traffic, its bill, and the bill of the baseline. */
export interface Month {
  readonly traffic: Traffic;
  readonly usage: Usage;
  readonly bill: Bill;
  readonly baseline: Bill;
}

/** A month of a size with a config, without free tiers. Runs the real flow for minutes. */
export async function computeMonth(
  size: FortnightSize,
  config: NotifierConfig,
  pageSize = PAGE_SIZE,
): Promise<Month> {
  const traffic = await measureTraffic(size, pageSize, config);
  const template = countTemplateUsage(config);
  const countFor = (units: CountedUnits) => addUsages([template, countTrafficUsage(traffic, units, config)]);
  const usage = countFor(traffic.units);
  const baseline = countFor({
    writesPerEvent: await countUnitsOfChange(),
    readsPerMinute: (READ_UNITS * traffic.recordsInWindow) / BASELINE_MINUTES,
  });
  return { traffic, usage, bill: computeBill(usage), baseline: computeBill(baseline) };
}

const MONTH_DAYS = MINUTES_A_MONTH / 1_440;

/** Milliseconds of an invocation that releases alerts. */
const RELEASE_MS = 60;
/** Lambda ends an environment after some hours; one that nothing was asked of ends after some minutes. */
const STARTS_A_DAY = 12;
const MAX_STARTS_A_DAY = 144;
/** A start is billed. As the table of bundles has it, on a whole processor. */
const START_MS = 400;
const SMALL_GB = 0.25;
/** Bytes that leave AWS: of a request with a token of 700 characters, and of an event to a webhook, as they are sent by TLS. */
const REQUEST_OUT_BYTES = 1_300;
const DELIVERY_OUT_BYTES = 2_500;
/** SNS asks the key of a topic for a data key for so long: https://docs.aws.amazon.com/sns/latest/dg/sns-enable-encryption-for-topic.html */
const DATA_KEY_MINUTES = 5;
const KEY_REQUESTS_PER_DATA_KEY = 2;
/** Messages to each channel of people. */
const MESSAGES_A_DAY = 10;
/** Bytes in the log of an invocation, as those of `POLL_LOG_BYTES`. */
const RELEASE_LOG_BYTES = 1_100;
const DELIVERY_LOG_BYTES = 600;
const DELIVERIES_PER_BATCH = 5;
const EVENTS_PER_SNS_REQUEST = 8;
/** An event in the log, compressed, for the days that it is kept, and a record in a bucket. */
const EVENT_BYTES = 250;
const RECORD_BYTES = 40;

/** What a month of this traffic uses. */
function countTrafficUsage(traffic: Traffic, units: CountedUnits, config: NotifierConfig): Usage {
  const { memoryMb } = config.poll;
  const events = traffic.eventsPerDay * MONTH_DAYS;
  const deliveries = countDeliveriesPerDay(traffic, config) * MONTH_DAYS;
  const batches = Math.ceil(deliveries / DELIVERIES_PER_BATCH);
  const people = countPeopleUsage(traffic, config);
  const followUps = MINUTES_A_MONTH * traffic.followUpsPerMinute;
  const polls = MINUTES_A_MONTH + followUps;
  const { channels } = config.people;
  const releases = channels.length > 0 ? MINUTES_A_MONTH : 0;
  const days = Math.max(...config.connections.map(({ retentionDays }) => retentionDays));
  const storedGb =
    (traffic.recordsInWindow * RECORD_BYTES + traffic.eventsPerDay * days * EVENT_BYTES) / LOG_GB;
  const logGb =
    (polls * POLL_LOG_BYTES + releases * RELEASE_LOG_BYTES + deliveries * DELIVERY_LOG_BYTES) / LOG_GB;
  const requests = MINUTES_A_MONTH * traffic.requestsPerMinute;
  return {
    lambdaRequests: polls + releases + batches + people.invocations,
    lambdaGbSeconds:
      (memoryMb / GB_MB) * MINUTES_A_MONTH * traffic.lambdaSecondsPerMinute +
      (SMALL_GB * (releases * RELEASE_MS + (batches + people.invocations) * DELIVERY_BATCH_MS)) / SECONDS,
    coldStartGbSeconds: countColdStartGbSeconds({ batches, people: people.invocations }, config),
    // A delivery is noted once it succeeded.
    writeUnits: events * units.writesPerEvent + 2 * deliveries + people.writeUnits,
    readUnits: MINUTES_A_MONTH * units.readsPerMinute + releases * channels.length + deliveries,
    storedGb,
    recoverableGb: storedGb,
    snsRequests: events / EVENTS_PER_SNS_REQUEST,
    mails: people.mails,
    keyRequests: countTopicKeyRequests(traffic),
    // What is received is deleted, and a follow-up was sent; receives that find something replace idle ones.
    sqsRequests: batches + 2 * followUps + people.invocations,
    sqsFifoRequests: 2 * people.chatMessages,
    dataOutGb: (requests * REQUEST_OUT_BYTES + deliveries * DELIVERY_OUT_BYTES) / LOG_GB,
    logGb,
    logStoredGb: logGb,
  };
}

interface PeopleUsage {
  /** Of the functions that collect alerts and post messages. */
  readonly invocations: number;
  readonly writeUnits: number;
  readonly chatMessages: number;
  readonly mails: number;
}

/** An alert is stored, sent and deleted, and so is its message; an event that a channel needs is looked at. */
function countPeopleUsage(traffic: Traffic, { people }: NotifierConfig): PeopleUsage {
  const lateOnly = findTypesNeededOnlyLate(people);
  const needed = new Set([...findNeededTypes(people).values()].flat().filter((type) => !lateOnly.has(type)));
  const events = countEventsPerDay(traffic, (type) => needed.has(type)) * MONTH_DAYS;
  const messagesPerChannel = MESSAGES_A_DAY * MONTH_DAYS;
  const chatMessages = messagesPerChannel * people.channels.filter(isChat).length;
  const addresses = people.channels.flatMap((channel) => (isChat(channel) ? [] : channel.addresses));
  const messages = messagesPerChannel * people.channels.length;
  return {
    invocations: events / DELIVERIES_PER_BATCH + messages + chatMessages,
    writeUnits: 6 * messages + events,
    chatMessages,
    mails: messagesPerChannel * addresses.length,
  };
}

/** Polls and the release of alerts are asked something every minute; the others start anew for most of what they do. */
function countColdStartGbSeconds(
  { batches, people }: { readonly batches: number; readonly people: number },
  { poll, webhooks, people: { channels } }: NotifierConfig,
): number {
  const polls = (STARTS_A_DAY * poll.memoryMb) / GB_MB;
  const seldom = (invocations: number, count: number) =>
    count * Math.min(MAX_STARTS_A_DAY, invocations / MONTH_DAYS / Math.max(1, count));
  const others =
    STARTS_A_DAY + seldom(batches, webhooks.length) + seldom(people, 1 + channels.filter(isChat).length);
  return ((polls + SMALL_GB * others) * MONTH_DAYS * START_MS) / SECONDS;
}

/** The topics of events are encrypted with the key of AWS. Each of them has one publisher. */
function countTopicKeyRequests(traffic: Traffic): number {
  const topics = [...new Set(EVENT_TYPES.map(topicOf))];
  const dataKeys = topics.map((topic) =>
    Math.min(
      countEventsPerDay(traffic, (type) => topicOf(type) === topic),
      1_440 / DATA_KEY_MINUTES,
    ),
  );
  return KEY_REQUESTS_PER_DATA_KEY * MONTH_DAYS * sum(dataKeys);
}

function countDeliveriesPerDay(traffic: Traffic, { webhooks }: NotifierConfig): number {
  const perWebhook = webhooks.map(({ topics, filter }) =>
    countEventsPerDay(traffic, (type) => filter.type?.includes(type) ?? topics.includes(topicOf(type))),
  );
  return sum(perWebhook);
}

function countEventsPerDay(
  { eventsPerDayOf }: Pick<Traffic, 'eventsPerDayOf'>,
  isWanted: (type: EventType) => boolean,
): number {
  const types = EVENT_TYPES.filter(isWanted);
  return sum(types.map((type) => eventsPerDayOf.get(type.replace('workforce.', '')) ?? 0));
}

/** Lambda keeps five long polls of 20 seconds open on each queue, whether messages come or not. */
const IDLE_RECEIVES_A_MINUTE = 15;

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
  const { connections, people, webhooks } = config;
  const chats = people.channels.filter(isChat).map(({ secretName }) => secretName);
  const names = new Set([...connections, ...webhooks].map(({ secretName }) => secretName).concat(chats));
  const secrets = [...names].filter((name) => readParameterName(name) === null);
  const isSecret = ({ secretName }: { readonly secretName: string }) => secrets.includes(secretName);
  const reads = (MINUTES_A_MONTH * MINUTE_MS) / SECRET_KEPT_MS;
  const secretSources = connections.filter(isSecret).length;
  return {
    alarmMetrics: find('AWS::CloudWatch::Alarm').length,
    customMetrics: countSteadyMetrics(find('AWS::CloudWatch::Alarm')) + DELAY_METRICS,
    keys: find('AWS::KMS::Key').length,
    secrets: secrets.length,
    secretReads: secretSources * reads,
    // Each read of a parameter decrypts it.
    keyRequests: (connections.length - secretSources) * reads,
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

/** `DetectionDelay` of timesheets, of which something changes in most hours. Of the other feeds little does. */
const DELAY_METRICS = 1;

/** Metrics with an alarm that have data every hour; all others have some only in times of trouble. */
function countSteadyMetrics(alarms: readonly Resource[]): number {
  const steady = alarms
    .map(({ Properties }) => Properties)
    .filter(
      ({ Namespace, MetricName }) => Namespace === METRIC_NAMESPACE && MetricName === METRICS.completedPolls,
    )
    .map(({ Dimensions }) => JSON.stringify(Dimensions));
  return new Set(steady).size;
}

/** Of `rate(5 minutes)` or `rate(1 day)`. */
function readRateMinutes(expression: string): number {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  if (count === undefined || unit === undefined) throw new Error(`cannot read the schedule ${expression}`);
  return Number(count) * { minute: 1, hour: 60, day: 1_440 }[unit as 'minute' | 'hour' | 'day'];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
