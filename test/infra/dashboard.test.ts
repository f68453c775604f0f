import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import standardConfig from '#config';
import { METRIC_NAMESPACE, METRICS } from '#shared/config/names.ts';
import type { NotifierConfigInput } from '#shared/config/schema/notifier-config.ts';
import { EVENT_TYPES } from '#shared/core/event-types.ts';
import { listModules } from '#test/support/modules.ts';
import { type AlarmStack, synthesizeAlarms } from './alarm-stack.ts';
import { synthesize, WEBHOOK } from './synthesized.ts';

/** An account has three dashboards free, with so many metrics each. */
const MAX_FREE_METRICS = 50;

interface Widget {
  readonly type: 'text' | 'metric' | 'log' | 'alarm';
  readonly properties: {
    readonly title?: string;
    readonly markdown?: string;
    readonly query?: string;
    readonly alarms?: readonly string[];
    readonly metrics?: readonly (readonly unknown[])[];
  };
}

interface DrawnMetric {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

/** AWS's own metrics, as its documents name them. */
const AWS_METRICS: Readonly<Record<string, readonly string[]>> = {
  'AWS/Lambda': ['Errors', 'Throttles', 'Duration'],
  'AWS/Scheduler': ['TargetErrorCount'],
  'AWS/SNS': ['NumberOfMessagesPublished', 'NumberOfNotificationsFailed'],
  'AWS/SQS': ['ApproximateNumberOfMessagesVisible'],
  'AWS/DynamoDB': [
    'ConsumedReadCapacityUnits',
    'ConsumedWriteCapacityUnits',
    'ReadThrottleEvents',
    'WriteThrottleEvents',
  ],
};

let built: AlarmStack;
let widgets: readonly Widget[];

beforeAll(() => {
  built = synthesizeAlarms({
    dashboard: true,
    alarms: { otherSubscribers: true },
    subscriptions: [{ name: 'payroll', topics: ['timesheets'] }],
    webhooks: [WEBHOOK],
    eventBus: 'workforce',
    objectives: { clockings: '60s' },
  });
  widgets = readWidgets(built);
});

describe('the dashboard', () => {
  test('shows the flow from the top down', () => {
    const headings = widgets.flatMap(
      ({ properties: { markdown } }) => /^## (.*)/.exec(markdown ?? '')?.[1] ?? [],
    );
    expect(headings).toEqual([
      'Alarms',
      'Plan and fetch',
      'Compare and commit',
      'Publish',
      'Queues',
      'Deliver',
      'Cost drivers',
    ]);
    const titles = widgets.flatMap(({ properties: { title = '' } }) => title);
    const wanted = [
      /^Complete polls/,
      /^Requests to the source/,
      /quarantine/,
      /^Outbox/,
      /^Seconds from observed/,
      /^Events by type/,
      /^Waiting messages/,
      /^Deliveries by endpoint/,
      /^Alerts by channel/,
      /^Units of DynamoDB/,
    ].map((pattern) => titles.findIndex((title) => pattern.test(title)));
    expect(wanted).not.toContain(-1);
    expect(wanted).toEqual(wanted.toSorted((a, b) => a - b));
  });

  test('shows every alarm of the stack', () => {
    const shown = widgets.flatMap(({ properties }) => properties.alarms ?? []);
    expect(shown).toHaveLength(built.alarms.length);
  });

  test('shows no more alarms in a widget than CloudWatch takes', () => {
    const subscriptions: NotifierConfigInput['subscriptions'] = Array.from({ length: 46 }, (_, at) => ({
      name: `number-${at}`,
      topics: ['timesheets'],
    }));
    const many = synthesize({ subscriptions, dashboard: true });
    const shown = readWidgets(many).flatMap(({ properties: { alarms } }) => alarms?.length ?? []);
    expect(shown).toEqual([100, many.ofType('AWS::CloudWatch::Alarm').length - 100]);
  });

  test('stays within what an account has free, with the config of this repository', () => {
    const drawn = readWidgets(synthesize({ ...standardConfig, dashboard: true })).flatMap(readMetrics);
    expect(drawn.length).toBeGreaterThan(20);
    expect(drawn.length).toBeLessThanOrEqual(MAX_FREE_METRICS);
  });

  test('is left out unless the config asks for it, and has no section without a receiver', () => {
    expect(synthesize().ofType('AWS::CloudWatch::Dashboard')).toEqual([]);
    const headings = readWidgets(synthesize({ dashboard: true })).flatMap(
      ({ properties }) => properties.markdown ?? [],
    );
    expect(headings.some((text) => /^## (?:Queues|Deliver)/.test(text))).toBe(false);
  });
});

describe('no widget is without data', () => {
  test('every metric of ours is one that an alarm watches, with its dimensions', () => {
    const own = widgets.flatMap(readMetrics).filter(({ namespace }) => namespace === METRIC_NAMESPACE);
    expect(own.length).toBeGreaterThanOrEqual(8);
    const watched = built.alarms.map(({ properties: { MetricName, Dimensions = [] } }) => ({
      namespace: METRIC_NAMESPACE,
      name: String(MetricName),
      dimensions: Object.fromEntries(
        (Dimensions as { Name: string; Value: string }[]).map(({ Name, Value }) => [Name, Value]),
      ),
    }));
    for (const metric of own) expect(watched).toContainEqual(metric);
  });

  test("every other is one of AWS's, of a resource of the stack", () => {
    const others = widgets.flatMap(readMetrics).filter(({ namespace }) => namespace !== METRIC_NAMESPACE);
    const names = new Set([
      ...built.resources.map(({ path }) => `<${path}>`),
      ...built.resources.map(({ path }) => `<${path}.TopicName>`),
      ...built.ofType('AWS::SQS::Queue').map(({ properties }) => String(properties.QueueName)),
      ...built.ofType('AWS::Scheduler::ScheduleGroup').map(({ properties }) => String(properties.Name)),
    ]);
    for (const { namespace, name, dimensions } of others) {
      expect(AWS_METRICS[namespace]).toContain(name);
      for (const value of Object.values(dimensions)) expect(names).toContain(value);
    }
  });

  test('every query reads logs of the stack, and members that lines of the flow have', () => {
    const groups = built.ofType('AWS::Logs::LogGroup').map(({ properties }) => properties.LogGroupName);
    const source = listModules(['shared'])
      .filter(({ path }) => /\/flow\/|^shared\/core\/outcome\//.test(path))
      .map(({ text }) => text)
      .join('\n');
    const queries = widgets.flatMap(({ properties }) => properties.query ?? []);
    expect(queries.length).toBeGreaterThanOrEqual(7);
    for (const query of queries) {
      const read = [...query.matchAll(/SOURCE '([^']+)'/g)].map(([, group]) => group);
      expect(read.length).toBeGreaterThan(0);
      for (const group of read) expect(groups).toContain(group);
      for (const member of listMembers(query)) expect(source).toMatch(new RegExp(`\\b${member}\\b`));
    }
  });

  test('events are counted by every type that polls publish, by the name that the log has for it', () => {
    const [query = ''] = widgets.flatMap(({ properties: { query: text = '' } }) =>
      text.includes('published_') ? [text] : [],
    );
    const counted = [...query.matchAll(/sum\(published_(\w+)\)/g)].map(([, name]) => name);
    const polled = EVENT_TYPES.filter((type) => !/\.(?:delivery|webhook)\.|\.snapshot$/.test(type));
    expect(counted).toEqual(polled.map((type) => type.replace('workforce.', '').replaceAll('.', '_')));
  });
});

test('no metric of ours is without an alarm or a widget, and no metric is written that has no name there', () => {
  const read = new Set([
    ...widgets.flatMap(readMetrics).map(({ name }) => name),
    ...built.alarms.flatMap(
      ({ properties }) => JSON.stringify(properties).match(/"MetricName":"\w+"/g) ?? [],
    ),
  ]);
  for (const name of Object.values(METRICS))
    expect(read.has(name) || read.has(`"MetricName":"${name}"`)).toBe(true);
  const telemetry = readFileSync('shared/adapters/telemetry/telemetry.ts', 'utf8');
  const written = telemetry.match(/METRICS\.\w+/g) ?? [];
  const filtered = built
    .ofType('AWS::Logs::MetricFilter')
    .flatMap(({ properties }) => properties.MetricTransformations as { MetricName: string }[]);
  const emitted = new Set([
    ...written.map((text) => METRICS[text.slice('METRICS.'.length) as keyof typeof METRICS]),
    ...filtered.map(({ MetricName }) => MetricName),
  ]);
  expect([...emitted].toSorted()).toEqual(Object.values(METRICS).toSorted());
});

function readWidgets({ ofType }: Pick<AlarmStack, 'ofType'>): readonly Widget[] {
  const [dashboard] = ofType('AWS::CloudWatch::Dashboard');
  return JSON.parse(String(dashboard?.properties.DashboardBody)).widgets;
}

/** Metrics are lists: namespace, name, then pairs of a dimension and its value, then how to draw them. */
function readMetrics({ properties }: Widget): DrawnMetric[] {
  return (properties.metrics ?? []).map((metric) => {
    const [namespace, name, ...rest] = metric.filter((part) => typeof part === 'string');
    const dimensions: [string, string][] = [];
    for (let at = 0; at < rest.length; at += 2) dimensions.push([String(rest[at]), String(rest[at + 1])]);
    return {
      namespace: String(namespace),
      name: String(name),
      dimensions: Object.fromEntries(dimensions),
    };
  });
}

/** Members of log lines that a query reads: what its functions and filters name. */
function listMembers(query: string): string[] {
  const aggregated = [...query.matchAll(/(?:sum|max|pct)\((\w+)/g)].map(([, member]) => member ?? '');
  const filtered = [...query.matchAll(/(?:filter|and) (\w+) [=>]/g)].map(([, member]) => member ?? '');
  const grouped = [...query.matchAll(/ by (?!bin)([\w, ]+?)(?:$|\||\n)/g)].flatMap(([, list = '']) =>
    list.split(',').map((member) => member.trim()),
  );
  return [...aggregated, ...filtered, ...grouped].filter((member) => !member.startsWith('published_'));
}
