import { Stack, type StackProps } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { FilterOrPolicy, SubscriptionFilter, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription, UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';

export interface OnCallProps extends StackProps {
  /** Address of PagerDuty's or Opsgenie's integration for CloudWatch. */
  readonly critical: string;
  /** Mail address. */
  readonly warnings: string;
  /** Of Incident Manager. */
  readonly responsePlanArn: string;
}

/** Wakes somebody for what is critical, and mails the rest. */
export class OnCall extends Stack {
  constructor(scope: Construct, id: string, { critical, warnings, responsePlanArn, ...props }: OnCallProps) {
    super(scope, id, props);
    const topic = new Topic(this, 'Topic', { topicName: 'on-call' });
    topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com'));
    const describedAs = (word: string) => ({
      AlarmDescription: FilterOrPolicy.filter(SubscriptionFilter.stringFilter({ matchPrefixes: [word] })),
    });
    topic.addSubscription(
      new UrlSubscription(critical, { filterPolicyWithMessageBody: describedAs('Critical:') }),
    );
    topic.addSubscription(
      new EmailSubscription(warnings, { filterPolicyWithMessageBody: describedAs('Warning:') }),
    );

    // Incident Manager listens to no topic: a rule starts the incident.
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('events.amazonaws.com') });
    role.addToPolicy(
      new PolicyStatement({ actions: ['ssm-incidents:StartIncident'], resources: [responsePlanArn] }),
    );
    new Rule(this, 'Critical', {
      eventPattern: {
        source: ['aws.cloudwatch'],
        detailType: ['CloudWatch Alarm State Change'],
        detail: {
          alarmName: [{ prefix: 'workforce-notifier-' }],
          state: { value: ['ALARM'] },
          configuration: { description: [{ prefix: 'Critical:' }] },
        },
      },
      targets: [{ bind: () => ({ arn: responsePlanArn, role }) }],
    });
  }
}
