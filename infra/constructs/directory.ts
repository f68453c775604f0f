import { CfnOutput, Stack } from 'aws-cdk-lib';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import type { StateTable } from './state-table.ts';
import type { Topics } from './topics.ts';

/**
 * Where other stacks find what they need, as parameters (`/{stackName}/topics/timesheets/arn`) and as outputs of the
 * stack. Parameters rather than exports: an export could not change as long as somebody uses it.
 */
export class Directory extends Construct {
  constructor(scope: Construct, id: string, { table, topics }: { table: StateTable; topics: Topics }) {
    super(scope, id);
    for (const [name, topic] of topics.all) this.publish(`topics/${name}/arn`, topic.topicArn);
    this.publish('table/name', table.table.tableName);
  }

  private publish(path: string, value: string): void {
    const stack = Stack.of(this);
    const name = path
      .split(/[/-]/)
      .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
      .join('');
    new StringParameter(this, name, { parameterName: `/${stack.stackName}/${path}`, stringValue: value });
    new CfnOutput(stack, name, { value });
  }
}
