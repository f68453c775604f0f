import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { Assembly } from '#local/aws/template/assembly.ts';
import type { Resolver } from '#local/aws/template/resolver.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { MetricId, Statistic } from './metric-store.ts';

const statisticSchema = z.enum(['Maximum', 'Minimum', 'SampleCount', 'Sum']);

const alarmSchema = z.looseObject({
  AlarmName: z.string(),
  ComparisonOperator: z.enum(['GreaterThanOrEqualToThreshold', 'LessThanThreshold']),
  Threshold: z.coerce.number(),
  EvaluationPeriods: z.coerce.number(),
  TreatMissingData: z.enum(['breaching', 'ignore', 'missing', 'notBreaching']).default('missing'),
  Namespace: z.string(),
  MetricName: z.string(),
  Dimensions: z.array(z.object({ Name: z.string(), Value: z.coerce.string() })).default([]),
  Period: z.coerce.number(),
  Statistic: statisticSchema,
});
type AlarmProperties = z.output<typeof alarmSchema>;

/** A value as it stands, or a member of the line. */
const lineValueSchema = z.coerce
  .string()
  .regex(
    /^(?:\$\.\w+|[^$].*)$/,
    'this test cannot read it; add its form to test/infra/cloud-watch/log-reader.ts',
  );

const filterSchema = z.looseObject({
  FilterPattern: z.string(),
  MetricTransformations: z.array(
    z.looseObject({
      MetricNamespace: z.string(),
      MetricName: z.string(),
      MetricValue: lineValueSchema,
      Dimensions: z.array(z.object({ Key: z.string(), Value: lineValueSchema })).default([]),
    }),
  ),
});

/** An alarm of the template. */
export interface TemplateAlarm {
  readonly name: string;
  readonly metric: MetricId;
  readonly statistic: Statistic;
  readonly periodMs: number;
  readonly operator: AlarmProperties['ComparisonOperator'];
  readonly threshold: number;
  /** It sounds when so many periods in a row breach. */
  readonly evaluated: number;
  readonly missing: AlarmProperties['TreatMissingData'];
}

/** A metric filter: lines of a log group that count. */
export interface MetricFilter {
  /** Names of the functions that write them. */
  readonly functions: readonly string[];
  readonly pattern: string;
  readonly transformations: z.output<typeof filterSchema>['MetricTransformations'];
}

export interface TemplateAlarms {
  readonly alarms: readonly TemplateAlarm[];
  readonly filters: readonly MetricFilter[];
}

/** Reads the alarms and metric filters of a template. Throws for one whose form is unknown. */
export function readTemplateAlarms(assembly: Assembly, resolver: Resolver): TemplateAlarms {
  const { Resources } = assembly.template;
  const ofType = (type: string) => Object.values(Resources).filter(({ Type }) => Type === type);
  if (ofType('AWS::CloudWatch::CompositeAlarm').length > 0) {
    throw new NotifierError('template_unsupported', 'this test cannot evaluate composite alarms');
  }
  return {
    alarms: ofType('AWS::CloudWatch::Alarm').map(({ Properties }) =>
      toAlarm(alarmSchema.parse(resolver.resolve(Properties))),
    ),
    filters: ofType('AWS::Logs::MetricFilter').map(({ Properties }) => {
      const { LogGroupName, ...rest } = Properties;
      const resolved = filterSchema.parse(resolver.resolve(rest));
      return {
        functions: findWriters(LogGroupName, { assembly, resolver }),
        pattern: resolved.FilterPattern,
        transformations: resolved.MetricTransformations,
      };
    }),
  };
}

/** Names of the functions that write a log, which AWS names. Throws when there are none. */
function findWriters(
  logGroup: unknown,
  { assembly, resolver }: { readonly assembly: Assembly; readonly resolver: Resolver },
): string[] {
  const writers = Object.values(assembly.template.Resources).flatMap(({ Type, Properties = {} }) => {
    const { LoggingConfig, FunctionName } = Properties as {
      LoggingConfig?: { LogGroup?: unknown };
      FunctionName?: unknown;
    };
    const writes = Type === 'AWS::Lambda::Function' && isDeepStrictEqual(LoggingConfig?.LogGroup, logGroup);
    return writes ? [String(resolver.resolve(FunctionName))] : [];
  });
  if (writers.length > 0) return writers;
  throw new NotifierError(
    'template_unsupported',
    `this test finds no function that writes the log ${JSON.stringify(logGroup)}`,
  );
}

function toAlarm(properties: AlarmProperties): TemplateAlarm {
  const { Namespace, MetricName, Dimensions } = properties;
  const dimensions = Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, Value]));
  return {
    name: properties.AlarmName,
    metric: { namespace: Namespace, name: MetricName, dimensions },
    statistic: properties.Statistic,
    periodMs: properties.Period * 1_000,
    operator: properties.ComparisonOperator,
    threshold: properties.Threshold,
    evaluated: properties.EvaluationPeriods,
    missing: properties.TreatMissingData,
  };
}

/** Whether a line of a log matches. */
type LinePattern = (line: Readonly<Record<string, unknown>>) => boolean;

const CONDITION = /^\(?\$\.(\w+) = "([^"*]*)"\)?$/;

/**
 * Reads a filter pattern for JSON lines of CloudWatch Logs as the template has them: all of some conditions, such as
 * `{ ($.outcome = "x") && ($.result = "y") }`. Throws a `NotifierError` (`template_unsupported`) for other forms.
 */
export function readLogPattern(pattern: string): LinePattern {
  const inner = /^\{ (.*) \}$/.exec(pattern)?.[1] ?? '';
  const conditions = inner.split(' && ').map((text): LinePattern => {
    const [, member = '', wanted] = CONDITION.exec(text) ?? [];
    if (wanted !== undefined) return (line) => line[member] === wanted;
    throw new NotifierError(
      'template_unsupported',
      `this test cannot read the filter pattern ${JSON.stringify(pattern)}; add its form to test/infra/cloud-watch/template-alarms.ts`,
    );
  });
  return (line) => conditions.every((holds) => holds(line));
}
