import { App, Tags } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { AccountPrincipal, ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { NotifierStack } from '#infra/notifier-stack.ts';
import config from '../../notifier.config.ts';
import { OnCall } from './on-call.ts';
import testConfig from './test.config.ts';

export const app = new App();
Tags.of(app).add('costCentre', '4711');

// One stack for each stage, with a config and a name of its own.
const region = 'ap-southeast-2';
new NotifierStack(app, { config: testConfig, env: { account: '111122223333', region } });
const production = new NotifierStack(app, {
  config,
  env: { account: '444455556666', region },
  network: {
    subnetIds: ['subnet-0a1b2c3d', 'subnet-4e5f6a7b'],
    securityGroupIds: ['sg-0a1b2c3d'],
  },
  operators: ['arn:aws:iam::444455556666:role/on-call'],
});

// A boundary of every role.
const boundary = ManagedPolicy.fromManagedPolicyName(production, 'Boundary', 'developer-boundary');
PermissionsBoundary.of(production).apply(boundary);

// Another account subscribes to a topic itself; an alarm says what does not reach it.
const { timesheets } = production.notifier.topics;
timesheets.grantSubscribe(new AccountPrincipal('210987654321'));
const failed = timesheets.metricNumberOfNotificationsFailed();
failed.createAlarm(production, 'TheirsFailed', { threshold: 1, evaluationPeriods: 1 });

// A key of yours that encrypts the secrets.
const keyArn = 'arn:aws:kms:ap-southeast-2:444455556666:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const key = Key.fromKeyArn(production, 'SecretKey', keyArn);
for (const each of production.notifier.functions) key.grantDecrypt(each);

// What everything with the tag is about to cost; activate the tag in the billing console first.
new CfnBudget(production, 'Budget', {
  budget: {
    budgetType: 'COST',
    timeUnit: 'MONTHLY',
    budgetLimit: { amount: 20, unit: 'USD' },
    costFilters: { TagKeyValue: ['user:costCentre$4711'] },
  },
  notificationsWithSubscribers: [
    {
      notification: { notificationType: 'FORECASTED', comparisonOperator: 'GREATER_THAN', threshold: 100 },
      subscribers: [{ subscriptionType: 'EMAIL', address: 'operations@acme.example' }],
    },
  ],
});

// Who is woken. `alarms.topicArn` of the config is the ARN of its topic.
new OnCall(app, 'on-call', {
  env: { account: '444455556666', region },
  critical: 'https://events.pagerduty.com/integration/INTEGRATION_KEY/enqueue',
  warnings: 'operations@acme.example',
  responsePlanArn: 'arn:aws:ssm-incidents::444455556666:response-plan/workforce-notifier',
});
