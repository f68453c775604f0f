import { Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import {
  type IScheduleTarget,
  Schedule,
  ScheduleExpression,
  ScheduleGroup,
  ScheduleTargetInput,
} from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Connection } from '#shared/config/connection.ts';
import type { PollRequest } from '#shared/config/poll-request.ts';

export interface PollSchedulesProps {
  /** The function that polls. */
  readonly target: IFunction;
  /** Takes requests that the function could not be given. */
  readonly deadLetters: IQueue;
  readonly groupName: string;
  readonly everyMinutes: number;
  readonly connections: readonly Connection[];
}

/** One schedule for each connection, in a group of their own. Each carries the whole connection (ADR 4). */
export class PollSchedules extends Construct {
  readonly group: ScheduleGroup;

  constructor(scope: Construct, id: string, props: PollSchedulesProps) {
    super(scope, id);
    const { target, deadLetters, groupName, everyMinutes, connections } = props;
    this.group = new ScheduleGroup(this, 'Group', { scheduleGroupName: groupName });
    const role = this.createRole(target, deadLetters);
    for (const connection of connections) {
      const request: PollRequest = { connection, scope: 'due' };
      const poll: IScheduleTarget = {
        bind: () => ({
          arn: target.functionArn,
          role,
          input: ScheduleTargetInput.fromText(JSON.stringify(request)),
          // The next one is due within minutes.
          retryPolicy: { maximumRetryAttempts: 0 },
          deadLetterConfig: { arn: deadLetters.queueArn },
        }),
      };
      new Schedule(this, connection.name, {
        scheduleGroup: this.group,
        schedule: ScheduleExpression.rate(Duration.minutes(everyMinutes)),
        target: poll,
      });
    }
  }

  private createRole(target: IFunction, deadLetters: IQueue): Role {
    const role = new Role(this, 'Role', {
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
    role.addToPolicy(
      new PolicyStatement({
        sid: 'StartPolls',
        actions: ['lambda:InvokeFunction'],
        resources: [target.functionArn],
      }),
    );
    role.addToPolicy(
      new PolicyStatement({
        sid: 'KeepWhatCouldNotStart',
        actions: ['sqs:SendMessage'],
        resources: [deadLetters.queueArn],
      }),
    );
    return role;
  }
}
