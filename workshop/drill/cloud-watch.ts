import * as z from 'zod';
import type { EngineFault } from '#local/aws/engines/door.ts';
import type { InvocationResult } from '#local/aws/functions/running-functions.ts';
import type { LocalAws } from '#local/aws/local-aws.ts';
import { readAssembly } from '#local/aws/template/assembly.ts';
import { createResolver } from '#local/aws/template/resolver.ts';
import { createLineReader } from '#local/run/output/attempts.ts';
import { type AlarmChange, type AlarmWatch, createAlarmWatch } from './alarms/alarm-watch.ts';
import { createMetricStore, type MetricStore } from './alarms/metric-store.ts';
import {
  type MetricFilter,
  readLogPattern,
  readTemplateAlarms,
  type TemplateAlarms,
} from './alarms/template-alarms.ts';
import type { EngineRequest } from './fault-proxy.ts';

const READS = /^(?:BatchGetItem|GetItem|Query|Scan|TransactGetItems)$/;

/** CloudWatch in a drill: gathers the metrics that the alarms of the template read, and evaluates them. */
export interface CloudWatch {
  noteInvocation(result: InvocationResult): void;
  noteFault(fault: EngineFault, request: EngineRequest): void;
  /** Evaluates the alarms at the beginning of a minute (ms since 1970). */
  evaluate(now: number): AlarmChange[];
  /** Gathers what the functions logged and what waits in queues since the last time. Returns the new lines of the log. */
  gather(now: number, aws: Pick<LocalAws, 'inspectQueue'>): Promise<readonly string[]>;
  readonly watch: AlarmWatch;
}

export interface CloudWatchOptions {
  /** Folder of the cloud assembly. */
  readonly assembly: string;
  readonly logFile: string;
  readonly tableName: string;
  /** The connection that is polled. Alarms about others are left out. */
  readonly connection: string;
}

export function createCloudWatch(options: CloudWatchOptions): CloudWatch {
  const { logFile, tableName } = options;
  const { alarms, filters } = readAlarms(options);
  const store = createMetricStore();
  const watch = createAlarmWatch(alarms, store);
  const log = createLogReader(store, filters);
  const newLines = createLineReader({ file: logFile, from: 0 });
  return {
    watch,
    noteInvocation: ({ functionName, outcome }) => {
      const add = (name: string, value: number) =>
        store.add(
          { namespace: 'AWS/Lambda', name, dimensions: { FunctionName: functionName } },
          Date.now(),
          value,
        );
      add('Invocations', 1);
      add('Errors', outcome === 'failed' ? 1 : 0);
    },
    noteFault: (fault, request) => addFault(store, tableName, { fault, request }),
    evaluate: watch.evaluate,
    gather: async (now, aws) => {
      const fresh = await newLines();
      for (const line of fresh) log.read(line);
      for (const queue of findQueues(alarms)) addQueue(store, { queue, now, aws });
      return fresh;
    },
  };
}

function readAlarms({ assembly, connection }: CloudWatchOptions): TemplateAlarms {
  const read = readAssembly(assembly);
  const all = readTemplateAlarms(read, createResolver(read, ''));
  const isPolled = ({ metrics }: TemplateAlarms['alarms'][number]) =>
    metrics.every(({ metric }) => (metric.dimensions.connection ?? connection) === connection);
  return { ...all, alarms: all.alarms.filter(isPolled) };
}

function addFault(
  store: MetricStore,
  tableName: string,
  { fault, request }: { readonly fault: EngineFault; readonly request: EngineRequest },
): void {
  const add = (name: string, dimensions: Record<string, string>) =>
    store.add(
      { namespace: 'AWS/DynamoDB', name, dimensions: { TableName: tableName, ...dimensions } },
      Date.now(),
      1,
    );
  if (/Throttl|ThroughputExceeded/.test(fault.code))
    add(READS.test(request.operation) ? 'ReadThrottleEvents' : 'WriteThrottleEvents', {});
  if (fault.status >= 500) add('SystemErrors', { Operation: request.operation });
}

function findQueues(alarms: TemplateAlarms['alarms']): Set<string> {
  return new Set(
    alarms.flatMap(({ metrics }) =>
      metrics.flatMap(({ metric }) =>
        metric.namespace === 'AWS/SQS' ? [metric.dimensions.QueueName ?? ''] : [],
      ),
    ),
  );
}

interface QueueAt {
  readonly queue: string;
  readonly now: number;
  readonly aws: Pick<LocalAws, 'inspectQueue'>;
}

/** Delayed messages have no age yet. */
function addQueue(store: MetricStore, { queue, now, aws }: QueueAt): void {
  const { messages } = aws.inspectQueue(queue) ?? {};
  if (messages === undefined) throw new Error(`no queue ${queue} in the template`);
  const sentAt = [...messages.ready, ...messages.inflight.map(({ message }) => message)].map(
    ({ sentTimestamp }) => sentTimestamp,
  );
  const add = (name: string, value: number) =>
    store.add({ namespace: 'AWS/SQS', name, dimensions: { QueueName: queue } }, now, value);
  add('ApproximateNumberOfMessagesVisible', messages.ready.length);
  add('ApproximateAgeOfOldestMessage', sentAt.length === 0 ? 0 : (now - Math.min(...sentAt)) / 1_000);
}

/** A line in CloudWatch's embedded metric format. */
const embeddedSchema = z.looseObject({
  _aws: z.object({
    Timestamp: z.number(),
    CloudWatchMetrics: z.array(
      z.object({
        Namespace: z.string(),
        Dimensions: z.array(z.array(z.string())),
        Metrics: z.array(z.looseObject({ Name: z.string() })),
      }),
    ),
  }),
});
/** A line of the functions' logger. */
const lineSchema = z.looseObject({ service: z.string(), timestamp: z.iso.datetime({ offset: true }) });

/** Turns the lines that functions log into metrics, as CloudWatch Logs does. */
interface LogReader {
  /** A line of the log. Lines that are not JSON are left out. */
  read(line: string): void;
}

/** The log group of a function is `/aws/lambda/` and its name, which its lines have as `service`. */
const LOG_GROUP_PREFIX = '/aws/lambda/';

export function createLogReader(store: MetricStore, filters: readonly MetricFilter[]): LogReader {
  const patterns = filters.map((filter) => ({ ...filter, matches: readLogPattern(filter.pattern) }));
  return {
    read: (text) => {
      const line = parseLine(text);
      if (line === null) return;
      const embedded = embeddedSchema.safeParse(line);
      if (embedded.success) addEmbedded(embedded.data, store);
      const logged = lineSchema.safeParse(line);
      if (!logged.success) return;
      const group = LOG_GROUP_PREFIX + logged.data.service;
      for (const { logGroup, matches, transformations } of patterns) {
        if (logGroup === group && matches(logged.data)) addTransformed(logged.data, transformations, store);
      }
    },
  };
}

function addEmbedded(line: z.output<typeof embeddedSchema>, store: MetricStore): void {
  const { Timestamp, CloudWatchMetrics } = line._aws;
  for (const { Namespace, Dimensions, Metrics } of CloudWatchMetrics) {
    for (const names of Dimensions) {
      const dimensions = Object.fromEntries(names.map((name) => [name, String(line[name])]));
      for (const { Name } of Metrics) {
        for (const value of [line[Name]].flat()) {
          store.add({ namespace: Namespace, name: Name, dimensions }, Timestamp, Number(value));
        }
      }
    }
  }
}

function addTransformed(
  line: z.output<typeof lineSchema>,
  transformations: MetricFilter['transformations'],
  store: MetricStore,
): void {
  const read = (text: string) => (text.startsWith('$.') ? line[text.slice('$.'.length)] : text);
  for (const { MetricNamespace, MetricName, MetricValue, Dimensions } of transformations) {
    const dimensions = Object.fromEntries(Dimensions.map(({ Key, Value }) => [Key, String(read(Value))]));
    const metric = { namespace: MetricNamespace, name: MetricName, dimensions };
    store.add(metric, Date.parse(line.timestamp), Number(read(MetricValue)));
  }
}

function parseLine(text: string): unknown {
  if (!text.startsWith('{')) return null;
  try {
    return JSON.parse(text);
  } catch {
    // Part of a stack trace.
    return null;
  }
}
