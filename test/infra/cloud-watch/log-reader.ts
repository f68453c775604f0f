import type { MetricStore } from './metric-store.ts';
import { type MetricFilter, readLogPattern } from './template-alarms.ts';

/** A line of the functions' logger, which has the name of its function as `service`. */
type LogLine = Readonly<Record<string, string>> & { readonly service: string; readonly timestamp: string };

/** Adds what a metric filter counts of a line, as CloudWatch Logs does. */
export function countLine(line: LogLine, filter: MetricFilter, store: MetricStore): void {
  const { pattern, functions, transformations } = filter;
  if (!functions.includes(line.service) || !readLogPattern(pattern)(line)) return;
  const read = (text: string) => (text.startsWith('$.') ? line[text.slice('$.'.length)] : text);
  for (const { MetricNamespace, MetricName, MetricValue, Dimensions } of transformations) {
    const dimensions = Object.fromEntries(Dimensions.map(({ Key, Value }) => [Key, String(read(Value))]));
    const metric = { namespace: MetricNamespace, name: MetricName, dimensions };
    store.add(metric, Date.parse(line.timestamp), Number(read(MetricValue)));
  }
}
