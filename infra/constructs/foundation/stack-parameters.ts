import { CfnOutput, Stack } from 'aws-cdk-lib';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import type { StateTable } from './state-table.ts';
import type { Topics } from './topics.ts';

export interface DirectoryProps {
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
export class Directory extends Construct {
  constructor(scope: Construct, id: string, { table, topics, parts }: DirectoryProps) {
    super(scope, id);
    for (const [name, topic] of topics.all) this.announce(`topics/${name}/arn`, topic.topicArn);
    this.announce('table/name', table.table.tableName);
    // By its path: names that are told apart only by a hyphen have ids of their own.
    for (const { path, value } of parts) this.publish(path.replaceAll('/', '.'), path, value);
  }

  private announce(path: string, value: string): void {
    this.publish(nameOf(path), path, value);
    new CfnOutput(Stack.of(this), nameOf(path), { value });
  }

  private publish(id: string, path: string, value: string): void {
    const parameterName = `/${Stack.of(this).stackName}/${path}`;
    new StringParameter(this, id, { parameterName, stringValue: value });
  }
}

/** `topics/pay-periods/arn` as `TopicsPayPeriodsArn`. */
function nameOf(path: string): string {
  return path
    .split(/[/-]/)
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('');
}
