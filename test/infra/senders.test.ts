import { CliCredentialsStackSynthesizer, DefaultStackSynthesizer, type IStackSynthesizer } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { EVENT_TOPIC_NAMES } from '#shared/config/names.ts';
import {
  buildStack,
  CONFIGS,
  type Given,
  permissionsOf,
  type Resource,
  type Statement,
  type Synthesized,
  statementsOf,
  synthesize,
} from './synthesized.ts';

const ALL_ALARMS = 'arn:<AWS::Partition>:cloudwatch:<AWS::Region>:<AWS::AccountId>:alarm:*';

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

/** What a policy denies to all but some. */
interface Denial {
  readonly path: string;
  readonly action: unknown;
  readonly principals: readonly string[];
  readonly sources: readonly string[];
}

test.each(Object.entries<Given>(CONFIGS))(
  'queues and topics of the config %j admit whom the stack has use them, who deploys it, and operators',
  (_, config) => {
    const built = synthesize(config);
    const policies = [...built.ofType('AWS::SQS::QueuePolicy'), ...built.ofType('AWS::SNS::TopicPolicy')];
    const expected = policies.flatMap((policy) =>
      policy.properties.Queues === undefined
        ? expectTopic(policy, built, config)
        : expectQueue(policy, built, config),
    );
    expect(policies.flatMap(listDenials)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(2 * EVENT_TOPIC_NAMES.length);
  },
);

test.each(Object.entries<Given>(CONFIGS))(
  'every queue and topic of the config %j has a policy, with actions that it takes',
  (_, config) => {
    const { ofType } = synthesize(config);
    const guarded = ofType('AWS::SQS::QueuePolicy').flatMap(
      ({ properties }) => properties.Queues as string[],
    );
    expect(guarded.sort()).toEqual(
      ofType('AWS::SQS::Queue')
        .map(({ path }) => `<${path}>`)
        .sort(),
    );
    const topics = ofType('AWS::SNS::TopicPolicy');
    expect(topics.map(({ path }) => path).sort()).toEqual(
      ofType('AWS::SNS::Topic')
        .map(({ path }) => `${path}/Policy`)
        .sort(),
    );
    for (const action of topics.flatMap(statementsOf).flatMap(({ Action }) => Action))
      expect(TOPIC_ACTIONS).toContain(action);
  },
);

test.each(Object.entries<Given>(CONFIGS))(
  'in the config %j a queue of dead letters takes those of its queues, and of no other',
  (_, config) => {
    const queues = synthesize(config).ofType('AWS::SQS::Queue');
    const dead = queues.filter(({ path }) => path.endsWith('/DeadLetters'));
    expect(dead.length).toBeGreaterThanOrEqual(1);
    for (const { path, properties } of dead) {
      const arns = queues
        .filter((each) => JSON.stringify(each.properties.RedrivePolicy ?? {}).includes(`<${path}.Arn>`))
        .map(
          (each) => `arn:<AWS::Partition>:sqs:<AWS::Region>:<AWS::AccountId>:${each.properties.QueueName}`,
        );
      const allowed =
        arns.length === 0
          ? { redrivePermission: 'denyAll' }
          : { redrivePermission: 'byQueue', sourceQueueArns: arns };
      expect({ path, allowed: properties.RedriveAllowPolicy }).toEqual({ path, allowed });
    }
    const others = queues.filter((queue) => !dead.includes(queue));
    expect(others.filter(({ properties }) => properties.RedrivePolicy === undefined)).toEqual([]);
  },
);

test.each([
  ['with the credentials of whoever deploys', new CliCredentialsStackSynthesizer(), /^null$/],
  [
    'after a bootstrap of another name',
    new DefaultStackSynthesizer({ qualifier: 'acme' }),
    /cdk-acme-cfn-exec-role/,
  ],
])('a deployment %s is denied nothing by queues and topics', (_, synthesizer, admitted) => {
  const policies = Template.fromStack(
    buildStack({}, { synthesizer: synthesizer as IStackSynthesizer }),
  ).findResources('AWS::SNS::TopicPolicy');
  const denials = Object.values(policies)
    .flatMap(({ Properties }): Statement[] => Properties.PolicyDocument.Statement)
    .filter(({ Sid }) => Sid === 'OnlyOurSubscribers');
  expect(denials.length).toBe(EVENT_TOPIC_NAMES.length + 1);
  for (const { Condition } of denials) {
    const { StringNotEquals, ArnNotEquals = null } = Condition as Record<string, unknown>;
    expect(StringNotEquals).toEqual({ 'aws:CalledViaLast': 'cloudformation.amazonaws.com' });
    expect(JSON.stringify(ArnNotEquals)).toMatch(admitted);
  }
});

/** A queue and its dead letters have the same senders. Systems of a subscriber read theirs, which stay open to them. */
function expectQueue(
  { path, properties }: Resource,
  built: Synthesized,
  { operators = [] }: Given,
): Denial[] {
  const arns = (properties.Queues as string[]).map((queue) => queue.replace('>', '.Arn>'));
  const rolesTo = (action: string) => arns.flatMap((arn) => listRoles(built, action, arn));
  const senders = [...rolesTo('sqs:SendMessage'), ...operators];
  const sources = toSorted(arns.flatMap((arn) => listTopics(built, arn)));
  const isConsumed = path.startsWith('Queue-');
  const readers = [...(isConsumed ? [] : rolesTo('sqs:ReceiveMessage')), DEPLOYER, ...operators];
  const reading = [
    'sqs:ChangeMessageVisibility',
    'sqs:DeleteMessage',
    'sqs:PurgeQueue',
    'sqs:ReceiveMessage',
  ];
  return [
    { path, action: isConsumed ? 'sqs:PurgeQueue' : reading, principals: toSorted(readers), sources: [] },
    { path, action: 'sqs:SendMessage', principals: toSorted(senders), sources },
  ];
}

/** Operators publish to no topic. */
function expectTopic(
  { path, properties }: Resource,
  built: Synthesized,
  { operators = [] }: Given,
): Denial[] {
  const [topic = ''] = properties.Topics as string[];
  const sources = topic === '<Topics/alerts>' ? [ALL_ALARMS] : [];
  return [
    { path, action: 'sns:Publish', principals: listRoles(built, 'sns:Publish', topic), sources },
    { path, action: 'sns:Subscribe', principals: toSorted([DEPLOYER, ...operators]), sources: [] },
  ];
}

/** Denials to all but some, by their actions. Without anybody who is admitted, all are denied. */
function listDenials(policy: Resource): Denial[] {
  const denials = statementsOf(policy)
    .filter(({ Sid }) => Sid?.startsWith('OnlyOur'))
    .sort((one, other) => (String(one.Action) < String(other.Action) ? -1 : 1));
  return denials.map(({ Effect, Action, Principal, Sid, Condition }) => {
    expect({ Effect, Principal }).toEqual({ Effect: 'Deny', Principal: { AWS: '*' } });
    const { ArnNotEquals: keys = {}, ...others } = Condition as Record<string, Record<string, string[]>>;
    const isOfDeployments = Sid === 'OnlyOurReaders' || Sid === 'OnlyOurSubscribers';
    expect(Object.keys(others)).toEqual(isOfDeployments ? ['StringNotEquals'] : []);
    return {
      path: policy.path,
      action: Action,
      principals: toSorted(keys['aws:PrincipalArn']),
      sources: toSorted(keys['aws:SourceArn']),
    };
  });
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
  return ofType('AWS::SNS::Subscription')
    .filter(reaches)
    .map(({ properties }) => String(properties.TopicArn));
}

function toSorted(texts: readonly string[] = []): string[] {
  return [...new Set(texts)].sort();
}
