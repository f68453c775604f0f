import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { Assembly } from '#local/aws/template/assembly.ts';
import type { Resolver } from '#local/aws/template/resolver.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { MetricId, Statistic } from './metric-store.ts';

const statisticSchema = z.enum(['Average', 'Maximum', 'Minimum', 'SampleCount', 'Sum']);
const rankSchema = z.templateLiteral(['PR(', z.number(), ':', z.number(), ')']);
const dimensionsSchema = z.array(z.object({ Name: z.string(), Value: z.coerce.string() })).default([]);
const metricSchema = z.looseObject({
  Namespace: z.string(),
  MetricName: z.string(),
  Dimensions: dimensionsSchema,
});

const alarmSchema = z.looseObject({
  AlarmName: z.string(),
  AlarmDescription: z.string().default(''),
  ComparisonOperator: z.enum(['GreaterThanOrEqualToThreshold', 'LessThanThreshold']),
  Threshold: z.coerce.number(),
  EvaluationPeriods: z.coerce.number(),
  DatapointsToAlarm: z.coerce.number().optional(),
  TreatMissingData: z.enum(['breaching', 'ignore', 'missing', 'notBreaching']).default('missing'),
  InsufficientDataActions: z.array(z.unknown()).default([]),
  Namespace: z.string().optional(),
  MetricName: z.string().optional(),
  Dimensions: dimensionsSchema,
  Period: z.coerce.number().optional(),
  Statistic: statisticSchema.optional(),
  ExtendedStatistic: rankSchema.optional(),
  Metrics: z
    .array(
      z.looseObject({
        Id: z.string(),
        Expression: z.string().optional(),
        ReturnData: z.boolean().default(true),
        MetricStat: z
          .looseObject({ Metric: metricSchema, Period: z.coerce.number(), Stat: statisticSchema })
          .optional(),
      }),
    )
    .default([]),
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

/** A metric that an alarm reads, with the name that its expression uses. */
interface WatchedMetric {
  readonly id: string;
  readonly metric: MetricId;
  readonly statistic: Statistic;
}

/** An alarm of the template. */
export interface TemplateAlarm {
  readonly name: string;
  readonly description: string;
  readonly metrics: readonly WatchedMetric[];
  /** Metric math by id, over metrics and other expressions. */
  readonly expressions: ReadonlyMap<string, string>;
  /** Id of the metric or expression that is compared. */
  readonly compared: string;
  readonly periodMs: number;
  readonly operator: AlarmProperties['ComparisonOperator'];
  readonly threshold: number;
  /** It sounds when so many of `evaluated` periods breach. */
  readonly breaches: number;
  readonly evaluated: number;
  readonly missing: AlarmProperties['TreatMissingData'];
  /** It also sounds when there are no data any more. */
  readonly soundsWithoutData: boolean;
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
  const { periodSeconds, ...read } = readMetrics(properties);
  return {
    name: properties.AlarmName,
    description: properties.AlarmDescription,
    ...read,
    periodMs: periodSeconds * 1_000,
    operator: properties.ComparisonOperator,
    threshold: properties.Threshold,
    breaches: properties.DatapointsToAlarm ?? properties.EvaluationPeriods,
    evaluated: properties.EvaluationPeriods,
    missing: properties.TreatMissingData,
    soundsWithoutData: properties.InsufficientDataActions.length > 0,
  };
}

function readMetrics({ Metrics, ...single }: AlarmProperties) {
  if (Metrics.length === 0) {
    const { Namespace, MetricName, Dimensions, Period = 300 } = single;
    const statistic = single.Statistic ?? single.ExtendedStatistic ?? 'Sum';
    const metric = toMetricId({ Namespace: Namespace ?? '', MetricName: MetricName ?? '', Dimensions });
    return {
      metrics: [{ id: 'metric', metric, statistic }],
      expressions: new Map<string, string>(),
      compared: 'metric',
      periodSeconds: Period,
    };
  }
  const metrics = Metrics.flatMap(({ Id, MetricStat }): WatchedMetric[] =>
    MetricStat === undefined
      ? []
      : [{ id: Id, metric: toMetricId(MetricStat.Metric), statistic: MetricStat.Stat }],
  );
  const periods = Metrics.flatMap(({ MetricStat }) => (MetricStat === undefined ? [] : [MetricStat.Period]));
  const expressions = Metrics.flatMap(({ Id, Expression }): [string, string][] =>
    Expression === undefined ? [] : [[Id, Expression]],
  );
  return {
    metrics,
    expressions: new Map(expressions),
    compared: Metrics.find(({ ReturnData }) => ReturnData)?.Id ?? '',
    periodSeconds: Math.max(...periods),
  };
}

function toMetricId({ Namespace, MetricName, Dimensions }: z.output<typeof metricSchema>): MetricId {
  const dimensions = Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, Value]));
  return { namespace: Namespace, name: MetricName, dimensions };
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
