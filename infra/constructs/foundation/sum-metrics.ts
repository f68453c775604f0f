import type { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';

/**
 * Several counts together. AWS gives no data for a period in which nothing of a kind happened, and a sum of which one
 * part has no data has none either: so no data is a zero here. `counts`: by names that begin with a small letter.
 */
export function sumMetrics(
  counts: Readonly<Record<string, IMetric>>,
  { label, period }: { readonly label: string; readonly period: Duration },
): IMetric {
  const expression = Object.keys(counts)
    .map((name) => `FILL(${name}, 0)`)
    .join(' + ');
  return new MathExpression({ expression, label, period, usingMetrics: { ...counts } });
}
