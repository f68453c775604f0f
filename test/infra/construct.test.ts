import { App, NestedStack, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, test } from 'vitest';
import { WorkforceNotifier } from '#infra/notifier-stack.ts';
import { CONNECTION, EVERYTHING, readTemplate, synthesize } from './synthesized.ts';

const CONFIG = { ...EVERYTHING, connections: [CONNECTION] };

describe('the construct in another stack', () => {
  test('makes what the stack makes, under the name of the stack around it', () => {
    const stack = beginStack('payroll-systems');
    new Topic(stack, 'Own');
    new WorkforceNotifier(stack, 'Notifier', { config: CONFIG });
    const alone = synthesize({ ...CONFIG, stackName: 'payroll-systems' });
    const { Resources: resources } = readTemplate(stack) as { Resources: Record<string, { Type: string }> };
    const types = Object.values(resources).map(({ Type }) => Type);
    expect(types.sort()).toEqual([...alone.resources.map(({ type }) => type), 'AWS::SNS::Topic'].sort());
    Template.fromStack(stack).hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: 'payroll-systems-poll',
    });
  });

  test('gives its topics to subscribe to', () => {
    const stack = beginStack('payroll-systems');
    const { topics } = new WorkforceNotifier(stack, 'Notifier', { config: CONFIG });
    expect(Object.keys(topics).sort()).toEqual(['directory', 'operations', 'pay-periods', 'timesheets']);
  });

  test('is refused a second time in a stack, and taken in another stack of the app', () => {
    const stack = beginStack('payroll-systems');
    new WorkforceNotifier(stack, 'Notifier', { config: CONFIG });
    expect(() => new WorkforceNotifier(stack, 'Second', { config: CONFIG })).toThrow(
      'payroll-systems/Second: payroll-systems/Notifier is in the same stack, whose name begins the names of all parts; put this one into another stack',
    );
    const other = new Stack(stack.node.root, 'other-systems');
    expect(() => new WorkforceNotifier(other, 'Notifier', { config: CONFIG })).not.toThrow();
  });

  test('is refused in a nested stack, and with a mistake in its config, by its path', () => {
    const stack = beginStack('payroll-systems');
    const nested = new NestedStack(stack, 'Nested');
    expect(() => new WorkforceNotifier(nested, 'Notifier', { config: CONFIG })).toThrow(
      'payroll-systems/Nested/Notifier: a nested stack has no name',
    );
    expect(
      () => new WorkforceNotifier(stack, 'Notifier', { config: { ...CONFIG, connections: [] } }),
    ).toThrow(/^payroll-systems\/Notifier: connections/);
  });
});

function beginStack(name: string): Stack {
  const app = new App({ analyticsReporting: false, context: { 'aws:cdk:bundling-stacks': [] } });
  return new Stack(app, name);
}
