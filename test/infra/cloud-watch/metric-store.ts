/** A metric of CloudWatch. */
export interface MetricId {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

export type Statistic = 'Maximum' | 'Minimum' | 'SampleCount' | 'Sum';

/** Data of metrics, as CloudWatch keeps them. Instants in milliseconds since 1970. */
export interface MetricStore {
  add(metric: MetricId, at: number, value: number): void;
  /** The statistic of a metric over a period; null without data. */
  read(metric: MetricId, statistic: Statistic, period: Period): number | null;
}

/** `until` is outside of it. */
interface Period {
  readonly from: number;
  readonly until: number;
}

export function createMetricStore(): MetricStore {
  const data = new Map<string, { readonly at: number; readonly value: number }[]>();
  return {
    add: (metric, at, value) => {
      const key = toKey(metric);
      const known = data.get(key);
      if (known === undefined) data.set(key, [{ at, value }]);
      else known.push({ at, value });
    },
    read: (metric, statistic, { from, until }) => {
      const values = (data.get(toKey(metric)) ?? [])
        .filter(({ at }) => from <= at && at < until)
        .map(({ value }) => value);
      return values.length === 0 ? null : compute(statistic, values);
    },
  };
}

function toKey({ namespace, name, dimensions }: MetricId): string {
  return JSON.stringify([namespace, name, Object.entries(dimensions).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

function compute(statistic: Statistic, values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0);
  switch (statistic) {
    case 'Maximum':
      return Math.max(...values);
    case 'Minimum':
      return Math.min(...values);
    case 'SampleCount':
      return values.length;
    case 'Sum':
      return sum;
  }
}
