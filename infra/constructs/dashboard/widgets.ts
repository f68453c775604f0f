import { Duration } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  GraphWidget,
  type IAlarm,
  type IMetric,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { LogQuery } from './log-queries.ts';

/** Columns of a dashboard. */
const FULL_WIDTH = 24;
const HEIGHT = 6;

/** That CloudWatch shows in one widget. */
export const MAX_ALARMS = 100;
export const PERIOD = Duration.minutes(5);

/** The heading of a section: a stage of the flow, and what to look for. */
export function createHeading(title: string, text: string): IWidget {
  return new TextWidget({ markdown: `## ${title}\n${text}`, width: FULL_WIDTH, height: 2 });
}

/** The state of up to `MAX_ALARMS` alarms. */
export function createAlarmStatus(alarms: readonly IAlarm[]): IWidget {
  return new AlarmStatusWidget({ title: 'State', alarms: [...alarms], width: FULL_WIDTH, height: 4 });
}

/** A graph of metrics that share an axis. */
export function createGraph(title: string, left: readonly IMetric[]): IWidget {
  return new GraphWidget({ title, left: [...left], width: FULL_WIDTH / 2, height: HEIGHT, period: PERIOD });
}

/** A query over logs, by their names without `/aws/lambda/`. */
export function createQuery({ title, lines, isChart }: LogQuery, logs: readonly string[]): IWidget {
  return new LogQueryWidget({
    title,
    logGroupNames: logs.map((name) => `/aws/lambda/${name}`),
    queryLines: [...lines],
    view: isChart ? LogQueryVisualizationType.LINE : LogQueryVisualizationType.TABLE,
    width: FULL_WIDTH / 2,
    height: HEIGHT,
  });
}
