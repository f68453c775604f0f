import {
  App,
  CliCredentialsStackSynthesizer,
  DefaultStackSynthesizer,
  type IStackSynthesizer,
} from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { NotifierStack } from '#infra/notifier-stack.ts';
import { EVENT_TOPIC_NAMES } from '#shared/config/names.ts';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import {
  CONNECTION,
  EVERYTHING,
  permissionsOf,
  type Resource,
  type Statement,
  type Synthesized,
  statementsOf,
  synthesize,
} from './synthesized.ts';

const OPERATOR = 'arn:aws:iam::123456789012:role/on-call';
const FOUND = 'arn:aws:sqs:eu-west-1:111122223333:inbox';
const ALL_ALARMS = 'arn:<AWS::Partition>:cloudwatch:<AWS::Region>:<AWS::AccountId>:alarm:*';

/** Every kind of queue: also those of Teams, and of a subscriber with a queue of its own. */
const EVERY_QUEUE = {
  ...EVERYTHING,
  operators: [OPERATOR],
  queues: [
    ...(EVERYTHING.queues ?? []),
    { name: 'inbox', topics: ['pay-periods' as const], queueArn: FOUND },
  ],
  people: {
    channels: [
      ...(EVERYTHING.people?.channels ?? []),
      { name: 'board', kind: 'teams' as const, secretName: 'notifier/teams/board' },
    ],
  },
};

const STACKS = [
  ['default', synthesize(), []],
  ['one with everything', synthesize(EVERY_QUEUE), [OPERATOR]],
  ['one with a key', synthesize({ ...EVERY_QUEUE, encryption: 'customer-managed' }), [OPERATOR]],
] as const;

describe.each(STACKS)('of the config that is %s', (_, built, operators) => {
  test('every queue takes messages of those alone that the stack has send there, and of operators', () => {
    const queues = built.ofType('AWS::SQS::Queue');
    expect(queues.length).toBeGreaterThanOrEqual(2);
    const policies = built.ofType('AWS::SQS::QueuePolicy');
    const guarded = policies.flatMap(({ properties }) => properties.Queues as string[]);
    expect(guarded.toSorted()).toEqual(queues.map(({ path }) => `<${path}>`).toSorted());
    for (const { path, properties } of policies) {
      // A queue and its dead letters, which have the same senders.
      const arns = (properties.Queues as string[]).map((queue) => queue.replace('>', '.Arn>'));
      const [owner] = path.split('/DeadLetters/');
      expect(arns.every((arn) => arn.startsWith(`<${owner}/`))).toBe(true);
      const roles = arns.flatMap((arn) => listRoles(built, 'sqs:SendMessage', arn));
      const topics = arns.flatMap((arn) => listTopics(built, arn));
      expect(roles.length + topics.length).toBeGreaterThan(0);
      expect({ path, ...admittedBy(built.at(path), 'OnlyOurSenders') }).toEqual({
        path,
        action: 'sqs:SendMessage',
        resource: '*',
        principals: toSorted([...roles, ...operators]),
        sources: toSorted(topics),
      });
    }
  });

  test('every topic takes messages of the functions alone that publish there, and of alarms where people hear', () => {
    const topics = built.ofType('AWS::SNS::Topic');
    expect(topics).toHaveLength(EVENT_TOPIC_NAMES.length + 1);
    for (const { path } of topics) {
      expect({ path, ...admittedBy(built.at(`${path}/Policy`), 'OnlyOurFunctionsPublish') }).toEqual({
        path,
        action: 'sns:Publish',
        resource: `<${path}>`,
        principals: listRoles(built, 'sns:Publish', `<${path}>`),
        sources: path === 'Topics/alerts' ? [ALL_ALARMS] : [],
      });
    }
  });

  test('every queue is read and emptied by its function alone, the deployer, and operators', () => {
    const policies = built.ofType('AWS::SQS::QueuePolicy').filter(({ path }) => !isConsumed(path));
    expect(policies.length).toBeGreaterThanOrEqual(1);
    for (const { path, properties } of policies) {
      const arns = (properties.Queues as string[]).map((queue) => queue.replace('>', '.Arn>'));
      const readers = arns.flatMap((arn) => listRoles(built, 'sqs:ReceiveMessage', arn));
      expect({ path, ...admittedBy(built.at(path), 'OnlyOurReaders') }).toEqual({
        path,
        action: ['sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:PurgeQueue', 'sqs:ReceiveMessage'],
        resource: '*',
        principals: toSorted([...readers, DEPLOYER, ...operators]),
        sources: [],
      });
    }
  });

  test('a queue that a subscriber reads stays open to its systems, and is emptied by the deployer and operators alone', () => {
    for (const { path } of built.ofType('AWS::SQS::QueuePolicy').filter((each) => isConsumed(each.path))) {
      expect({ path, ...admittedBy(built.at(path), 'OnlyOurReaders') }).toEqual({
        path,
        action: 'sqs:PurgeQueue',
        resource: '*',
        principals: toSorted([DEPLOYER, ...operators]),
        sources: [],
      });
    }
  });

  test('every topic is subscribed to by the deployer and operators alone', () => {
    for (const { path } of built.ofType('AWS::SNS::Topic')) {
      expect({ path, ...admittedBy(built.at(`${path}/Policy`), 'OnlyOurSubscribers') }).toEqual({
        path,
        action: 'sns:Subscribe',
        resource: `<${path}>`,
        principals: toSorted([DEPLOYER, ...operators]),
        sources: [],
      });
    }
  });

  test('no policy of a topic has an action that SNS does not take there', () => {
    const policies = built.ofType('AWS::SNS::TopicPolicy');
    expect(policies.length).toBeGreaterThan(0);
    const actions = policies.flatMap((policy) => statementsOf(policy).flatMap(({ Action }) => Action));
    for (const action of actions) expect(TOPIC_ACTIONS).toContain(action);
  });

  test('a queue of dead letters takes those of its queue, of no other, and of none where it has none', () => {
    const queues = built.ofType('AWS::SQS::Queue');
    const dead = queues.filter(({ properties }) => /-dead-letters(?:\.fifo)?$/.test(nameOf(properties)));
    expect(dead.length).toBeGreaterThanOrEqual(1);
    for (const { path, properties } of dead) {
      const sources = queues.filter(({ properties: { RedrivePolicy } }) =>
        JSON.stringify(RedrivePolicy ?? {}).includes(`<${path}.Arn>`),
      );
      const arns = sources.map((each) => `${SQS}:${nameOf(each.properties)}`);
      expect({ path, allowed: properties.RedriveAllowPolicy }).toEqual({
        path,
        allowed:
          arns.length === 0
            ? { redrivePermission: 'denyAll' }
            : { redrivePermission: 'byQueue', sourceQueueArns: arns },
      });
    }
    const others = queues.filter((queue) => !dead.includes(queue));
    expect(others.filter(({ properties }) => properties.RedrivePolicy === undefined)).toEqual([]);
  });
});

test('an operator sends to queues, and publishes to no topic', () => {
  const [, [, built]] = STACKS;
  for (const policy of built.ofType('AWS::SNS::TopicPolicy')) {
    const admitting = statementsOf(policy).filter((each) => JSON.stringify(each).includes(OPERATOR));
    expect(admitting.map(({ Sid }) => Sid)).toEqual(['OnlyOurSubscribers']);
  }
});

test.each([
  ['with the credentials of whoever deploys', new CliCredentialsStackSynthesizer(), []],
  ['after a bootstrap of another name', new DefaultStackSynthesizer({ qualifier: 'acme' }), ['acme']],
])('a deployment %s is denied nothing by queues and topics', (_, synthesizer, qualifiers) => {
  const app = new App({ context: { 'aws:cdk:bundling-stacks': [] } });
  const config = parseNotifierConfig({ connections: [CONNECTION] });
  const stack = new NotifierStack(app, { config, synthesizer: synthesizer as IStackSynthesizer });
  const { Resources } = Template.fromStack(stack).toJSON() as {
    Resources: Record<string, { Properties?: { PolicyDocument?: { Statement: Statement[] } } }>;
  };
  const denials = Object.values(Resources)
    .flatMap(({ Properties }) => Properties?.PolicyDocument?.Statement ?? [])
    .filter(({ Sid }) => Sid === 'OnlyOurReaders' || Sid === 'OnlyOurSubscribers');
  expect(denials.length).toBeGreaterThanOrEqual(6);
  const roles = new Set<unknown>();
  for (const { Condition } of denials) {
    const { StringNotEquals, ArnNotEquals } = Condition as Record<string, Record<string, unknown[]>>;
    expect(StringNotEquals).toEqual({ 'aws:CalledViaLast': 'cloudformation.amazonaws.com' });
    if (ArnNotEquals !== undefined) expect(ArnNotEquals).not.toEqual({});
    const named = JSON.stringify(ArnNotEquals ?? {});
    if (named.includes('cfn-exec-role')) roles.add(/cdk-(\w+)-cfn-exec-role/.exec(named)?.[1]);
  }
  expect([...roles]).toEqual(qualifiers);
});

test('the policy of a queue holds the longest operators that there may be', () => {
  const operators = Array.from(
    { length: 10 },
    (_, at) => `arn:aws-us-gov:iam::123456789012:role/${at}${'x'.repeat(149)}`,
  );
  const built = synthesize({ ...EVERYTHING, operators });
  for (const { properties } of built.ofType('AWS::SQS::QueuePolicy')) {
    const text = JSON.stringify(properties.PolicyDocument)
      .replaceAll(/<AWS::[^>]+>/g, 'us-gov-west-1')
      .replaceAll(/<[^>]+>/g, 'x'.repeat(130));
    expect(text.length).toBeLessThan(8_192);
  }
});

const SQS = 'arn:<AWS::Partition>:sqs:<AWS::Region>:<AWS::AccountId>';

/** The role with which CloudFormation deploys by the CDK's bootstrap. */
const DEPLOYER =
  'arn:<AWS::Partition>:iam::<AWS::AccountId>:role/cdk-hnb659fds-cfn-exec-role-<AWS::AccountId>-<AWS::Region>';

/** https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-language-api-permissions-reference.html */
const TOPIC_ACTIONS = [
  'AddPermission',
  'DeleteTopic',
  'GetDataProtectionPolicy',
  'GetTopicAttributes',
  'ListSubscriptionsByTopic',
  'ListTagsForResource',
  'Publish',
  'PutDataProtectionPolicy',
  'RemovePermission',
  'SetTopicAttributes',
  'Subscribe',
].map((name) => `sns:${name}`);

/** Whether systems of a subscriber read the queues of a policy. */
function isConsumed(path: string): boolean {
  return path.startsWith('Queue-');
}

/** Who is not denied by a statement of the policy of queues or of a topic. */
function admittedBy(policy: Resource, sid: string) {
  const denials = statementsOf(policy).filter(({ Effect, Sid }) => Effect === 'Deny' && Sid === sid);
  expect(denials).toHaveLength(1);
  const [{ Action, Resource: on, Principal, Condition } = {} as Statement] = denials;
  expect(Principal).toEqual({ AWS: '*' });
  const isOfDeployments = sid === 'OnlyOurReaders' || sid === 'OnlyOurSubscribers';
  // Without anybody who is admitted, all are denied.
  const { ArnNotEquals: keys = {}, ...others } = Condition as Record<string, Record<string, string[]>>;
  expect(Object.keys(others)).toEqual(isOfDeployments ? ['StringNotEquals'] : []);
  return {
    action: Action,
    resource: on,
    principals: toSorted(keys['aws:PrincipalArn']),
    sources: toSorted(keys['aws:SourceArn']),
  };
}

/** Roles of the stack whose policy allows an action on a queue or topic. */
function listRoles({ ofType }: Synthesized, action: string, on: string): string[] {
  const allows = ({ Action, Resource: resources }: Statement) =>
    [Action].flat().includes(action) && [resources].flat().includes(on);
  return toSorted(
    ofType('AWS::IAM::Role')
      .filter((role) => permissionsOf(role).some(allows))
      .map(({ path }) => `<${path}.Arn>`),
  );
}

/** Topics whose subscriptions deliver to a queue, or leave there what they cannot deliver. */
function listTopics({ ofType }: Synthesized, queueArn: string): string[] {
  const reaches = ({ properties: { Endpoint, RedrivePolicy } }: Resource) =>
    Endpoint === queueArn || JSON.stringify(RedrivePolicy ?? {}).includes(queueArn);
  return toSorted(
    ofType('AWS::SNS::Subscription')
      .filter(reaches)
      .map(({ properties }) => String(properties.TopicArn)),
  );
}

function toSorted(texts: readonly string[] = []): string[] {
  return [...new Set(texts)].sort();
}

function nameOf({ QueueName }: Record<string, unknown>): string {
  return String(QueueName);
}
