import { CfnOutput, Stack } from 'aws-cdk-lib';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import { partsPrefixOf } from '#infra/settings.ts';
import { type Part, packParts } from '#shared/config/part-names.ts';
import type { StateTable } from './state-table.ts';
import type { Topics } from './topics.ts';

export interface StackParametersProps {
  readonly table: StateTable;
  readonly topics: Topics;
  /** Names of functions and addresses of queues. */
  readonly parts: readonly Part[];
}

/**
 * SSM parameters such as `/{stackName}/topics/timesheets/arn`: of topics and table for other stacks, each one and an
 * output as well; of functions and queues for the command line, several in one. Not exports, since an export cannot
 * change while another stack uses it.
 */
export class StackParameters extends Construct {
  constructor(scope: Construct, id: string, { table, topics, parts }: StackParametersProps) {
    super(scope, id);
    for (const [name, topic] of topics.all) this.addParameterAndOutput(`topics/${name}/arn`, topic.topicArn);
    this.addParameterAndOutput('table/name', table.table.tableName);
    for (const [path, value] of packParts(parts)) this.addParameter(toConstructId(path), path, value);
  }

  private addParameterAndOutput(path: string, value: string): void {
    this.addParameter(toConstructId(path), path, value);
    new CfnOutput(Stack.of(this), toConstructId(path), { value });
  }

  private addParameter(id: string, path: string, value: string): void {
    const parameterName = `/${partsPrefixOf(this)}/${path}`;
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
