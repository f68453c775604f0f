import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, type Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import {
  type IScheduleTarget,
  Schedule,
  type ScheduleExpression,
  ScheduleGroup,
  ScheduleTargetInput,
} from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { InlinePolicyRole } from './inline-policy-role.ts';
import type { GuardedQueue } from './queues.ts';

export interface SchedulesProps {
  readonly target: IFunction;
  /** Takes requests when the function cannot be invoked. */
  readonly deadLetters: GuardedQueue;
  readonly groupName: string;
  readonly schedule: ScheduleExpression;
  /** Payloads by the names of the schedules. */
  readonly inputs: ReadonlyMap<string, object>;
}

/** Schedules of one function, in a group of their own. */
export class Schedules extends Construct {
  private readonly group: ScheduleGroup;
  private readonly props: SchedulesProps;
  private readonly role: Role;

  constructor(scope: Construct, id: string, props: SchedulesProps) {
    super(scope, id);
    const { target, deadLetters, groupName, schedule, inputs } = props;
    this.props = props;
    this.group = new ScheduleGroup(this, 'Group', {
      scheduleGroupName: groupName,
      // Its name is fixed: a retained group would make the next deployment fail.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.role = this.createRole(target, deadLetters);
    this.add(schedule, inputs);
  }

  /** Adds schedules of another rate to the group. `inputs`: payloads by the names of the schedules. */
  add(schedule: ScheduleExpression, inputs: SchedulesProps['inputs']): void {
    const { target, deadLetters } = this.props;
    for (const [name, input] of inputs) {
      const start: IScheduleTarget = {
        bind: () => ({
          arn: target.functionArn,
          role: this.role,
          input: ScheduleTargetInput.fromText(JSON.stringify(input)),
          // The next one is due soon.
          retryPolicy: { maximumRetryAttempts: 0 },
          deadLetterConfig: { arn: deadLetters.queueArn },
        }),
      };
      // A schedule has the name of its group as a text, from which CloudFormation cannot tell which to create first.
      new Schedule(this, name, { scheduleGroup: this.group, schedule, target: start }).node.addDependency(
        this.group,
      );
    }
  }

  private createRole(target: IFunction, deadLetters: GuardedQueue): Role {
    const role = new InlinePolicyRole(this, 'Role', {
      // Only for schedules of this group: the service itself must not be talked into using the role for another.
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: {
          StringEquals: {
            'aws:SourceAccount': Stack.of(this).account,
            'aws:SourceArn': this.group.scheduleGroupArn,
          },
        },
      }),
    });
    role.addToPrincipalPolicy(
      new PolicyStatement({
        sid: 'StartFunction',
        actions: ['lambda:InvokeFunction'],
        resources: [target.functionArn],
      }),
    );
    role.addToPrincipalPolicy(
      new PolicyStatement({
        sid: 'KeepWhatCouldNotStart',
        actions: ['sqs:SendMessage'],
        resources: [deadLetters.queueArn],
      }),
    );
    deadLetters.admit(role.roleArn);
    return role;
  }
}
