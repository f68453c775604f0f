import * as z from 'zod';
import type { MetricStore } from './metric-store.ts';
import { type MetricFilter, readLogPattern } from './template-alarms.ts';

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
      for (const { functions, matches, transformations } of patterns) {
        // Lines have the name of their function as `service`.
        if (functions.includes(logged.data.service) && matches(logged.data))
          addTransformed(logged.data, transformations, store);
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
