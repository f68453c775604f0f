import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, NestedStack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { NotifierStack } from '#infra/notifier-stack.ts';
import { METRIC_NAMESPACE, METRICS } from '#shared/config/names.ts';
import { isChat } from '#shared/config/schema/chat-kind.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import type { Usage } from './bill.ts';

export const MINUTES_A_MONTH = 730 * 60;
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

/** Metrics of our own that have data every hour; all others have some only in times of trouble, or once a day. */
function countSteadyMetrics(alarms: readonly Resource[]): number {
  const steady = alarms
    .flatMap(readWatchedMetrics)
    .filter(
      ({ Namespace, MetricName }) => Namespace === METRIC_NAMESPACE && MetricName === METRICS.completedFeed,
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
