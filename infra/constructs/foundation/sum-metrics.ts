import type { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';

/**
 * Sum of counts. CloudWatch has no data for a period without occurrences, and a sum with a part without data has none
 * either, so missing data counts as zero. The names of `counts` begin with a small letter, as CloudWatch requires.
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
