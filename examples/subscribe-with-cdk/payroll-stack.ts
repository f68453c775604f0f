import { Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { SubscriptionFilter, Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';

/** A stack in your own repository: a queue that receives approvals and whatever happens to them afterwards. */
export class PayrollStack extends Stack {
  constructor(scope: Construct, id: string, props?: StackProps) {
    super(scope, id, props);
    const topicArn = StringParameter.valueForStringParameter(
      this,
      '/workforce-notifier/topics/timesheets/arn',
    );
    const approvals = new Queue(this, 'Approvals', {
      retentionPeriod: Duration.days(14),
      deadLetterQueue: { queue: new Queue(this, 'ApprovalsDeadLetters'), maxReceiveCount: 5 },
    });
    Topic.fromTopicArn(this, 'Timesheets', topicArn).addSubscription(
      new SqsSubscription(approvals, {
        rawMessageDelivery: true,
        filterPolicy: {
          type: SubscriptionFilter.stringFilter({
            allowlist: [
              'workforce.timesheet.approved',
              'workforce.timesheet.approval_revoked',
              'workforce.timesheet.changed',
              'workforce.timesheet.removed',
            ],
          }),
        },
      }),
    );
  }
}
