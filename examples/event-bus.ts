import { Stack, type StackProps } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnPipe } from 'aws-cdk-lib/aws-pipes';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { NotifierConfigInput } from '#shared/config/schema/notifier-config.ts';

/** In `notifier.config.ts`: a queue for the bus, with the topic `directory` too where `poll.directory` is set. */
export const queues: NotifierConfigInput['queues'] = [
  {
    name: 'event-bus',
    topics: ['timesheets', 'pay-periods', 'operations'],
  },
];

/** A stack in your own repository: what that queue gets on a bus of yours, for its rules to choose from. */
export class EventsOnBus extends Stack {
  constructor(scope: Construct, id: string, props?: StackProps) {
    super(scope, id, props);
    const queueArn = this.formatArn({ service: 'sqs', resource: 'workforce-notifier-event-bus' });
    const queue = Queue.fromQueueArn(this, 'Queue', queueArn);
    const bus = EventBus.fromEventBusName(this, 'Bus', 'workforce');
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('pipes.amazonaws.com') });
    role.addToPolicy(
      new PolicyStatement({
        actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
        resources: [queue.queueArn],
      }),
    );
    role.addToPolicy(new PolicyStatement({ actions: ['events:PutEvents'], resources: [bus.eventBusArn] }));
    const pipe = new CfnPipe(this, 'Pipe', {
      roleArn: role.roleArn,
      source: queue.queueArn,
      sourceParameters: { sqsQueueParameters: { batchSize: 10 } },
      target: bus.eventBusArn,
      targetParameters: {
        inputTemplate: '<$.body>',
        eventBridgeEventBusParameters: {
          source: '$.body.source',
          detailType: '$.body.type',
          time: '$.body.time',
        },
      },
    });
    // A pipe is refused that may not read its queue yet.
    pipe.node.addDependency(role);
  }
}
