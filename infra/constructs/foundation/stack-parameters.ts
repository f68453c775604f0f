import { CfnOutput, Stack } from 'aws-cdk-lib';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import type { StateTable } from './state-table.ts';
import type { Topics } from './topics.ts';

export interface StackParametersProps {
  readonly table: StateTable;
  readonly topics: Topics;
  /** Names of functions, addresses of queues: what is looked for by hand. */
  readonly parts: readonly Part[];
}

/** Something of the stack that can be found by its path below the name of the stack. */
export interface Part {
  readonly path: string;
  readonly value: string;
}

/**
 * Where other stacks and the command line find what they need, as parameters (`/{stackName}/topics/timesheets/arn`).
 * What subscribers look for is an output of the stack too. Parameters rather than exports: an export could not change
 * as long as somebody uses it.
 */
export class StackParameters extends Construct {
  constructor(scope: Construct, id: string, { table, topics, parts }: StackParametersProps) {
    super(scope, id);
    for (const [name, topic] of topics.all) this.addParameterAndOutput(`topics/${name}/arn`, topic.topicArn);
    this.addParameterAndOutput('table/name', table.table.tableName);
    // By its path: names that are told apart only by a hyphen have ids of their own.
    for (const { path, value } of parts) this.addParameter(path.replaceAll('/', '.'), path, value);
  }

  private addParameterAndOutput(path: string, value: string): void {
    this.addParameter(toConstructId(path), path, value);
    new CfnOutput(Stack.of(this), toConstructId(path), { value });
  }

  private addParameter(id: string, path: string, value: string): void {
    const parameterName = `/${Stack.of(this).stackName}/${path}`;
    new StringParameter(this, id, { parameterName, stringValue: value });
  }
}

/** `topics/pay-periods/arn` as `TopicsPayPeriodsArn`. */
function toConstructId(path: string): string {
  return path
    .split(/[/-]/)
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('');
}
