import { App, NestedStack, Stack } from 'aws-cdk-lib';
import { expect, test } from 'vitest';
import { WorkforceNotifier } from '#infra/notifier-stack.ts';
import { toPartsPrefix } from '#shared/config/part-names.ts';
import { CONNECTION, EVERYTHING, readTemplate, synthesize } from './synthesized.ts';

const CONFIG = { connections: [CONNECTION] };

test.each([
  ['workforce-notifier', 'workforce-notifier'],
  ['Prod-Notifier', 'prod-notifier-9c2a39'],
  ['the-workforce-notifier-of-acme-in-production', 'the-workforce-notifier-o-ffffff'],
  ['aws-notifier', 'n-aws-notifier-ffffff'],
])('parts of the stack %s have names that begin with %s', (stackName, prefix) => {
  const shape = new RegExp(`^${prefix.replace(/-[0-9a-f]{6}$/, '-[0-9a-f]{6}')}$`);
  expect(toPartsPrefix(stackName)).toMatch(shape);
  expect(toPartsPrefix(stackName)).toMatch(/^[a-z][a-z0-9-]{0,30}$/);
  expect(toPartsPrefix(stackName.toUpperCase())).not.toBe(toPartsPrefix(stackName));
});

test('the construct makes in another stack what the stack makes, under the name of the stack around it', () => {
  const stack = new Stack(new App({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Prod-Notifier');
  const { topics } = new WorkforceNotifier(stack, 'Notifier', { config: { ...EVERYTHING, ...CONFIG } });
  expect(Object.keys(topics).sort()).toEqual(['directory', 'operations', 'pay-periods', 'timesheets']);

  const alone = synthesize(EVERYTHING).resources;
  const made = Object.values(readTemplate(stack).Resources) as {
    readonly Type: string;
    readonly Properties?: Record<string, unknown>;
  }[];
  expect(made.map(({ Type }) => Type).sort()).toEqual(alone.map(({ type }) => type).sort());
  const names = made.flatMap(({ Properties = {} }) =>
    ['FunctionName', 'TopicName', 'QueueName', 'AlarmName'].flatMap((member) => Properties[member] ?? []),
  );
  expect(names.length).toBeGreaterThan(20);
  const prefix = toPartsPrefix('Prod-Notifier');
  const own = names.filter((name) => typeof name === 'string');
  expect(own.filter((name) => !name.startsWith(`${prefix}-`))).toEqual([]);
});

test('it is refused a second time in a stack, in a nested stack, and with a mistake in its config, by its path', () => {
  const app = new App({ analyticsReporting: false, context: { 'aws:cdk:bundling-stacks': [] } });
  const stack = new Stack(app, 'payroll-systems');
  new WorkforceNotifier(stack, 'Notifier', { config: CONFIG });
  expect(() => new WorkforceNotifier(stack, 'Second', { config: CONFIG })).toThrow(
    'payroll-systems/Second: payroll-systems/Notifier is in the same stack, whose name begins the names of all parts; put this one into another stack',
  );
  const other = new Stack(app, 'other-systems');
  expect(() => new WorkforceNotifier(other, 'Notifier', { config: CONFIG })).not.toThrow();
  const nested = new NestedStack(stack, 'Nested');
  expect(() => new WorkforceNotifier(nested, 'Notifier', { config: CONFIG })).toThrow(
    'payroll-systems/Nested/Notifier: a nested stack has no name',
  );
  expect(
    () => new WorkforceNotifier(new Stack(app, 'third'), 'Notifier', { config: { connections: [] } }),
  ).toThrow(/^third\/Notifier: connections/);
});
