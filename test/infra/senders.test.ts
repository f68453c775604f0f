import { describe, expect, test } from 'vitest';
import { EVENT_TOPIC_NAMES } from '#shared/config/names.ts';
import {
  EVERYTHING,
  permissionsOf,
  type Resource,
  type Statement,
  type Synthesized,
  statementsOf,
  synthesize,
  WITH_BUS,
} from './synthesized.ts';

const OPERATOR = 'arn:aws:iam::123456789012:role/on-call';
const FOUND = 'arn:aws:sqs:eu-west-1:111122223333:inbox';
const ALL_ALARMS = 'arn:<AWS::Partition>:cloudwatch:<AWS::Region>:<AWS::AccountId>:alarm:*';

/** Every kind of queue: also those of Teams, and of a subscriber with a queue of its own. */
const EVERY_QUEUE = {
  ...WITH_BUS,
  operators: [OPERATOR],
  subscriptions: [
    ...(EVERYTHING.subscriptions ?? []),
    { name: 'inbox', topics: ['clockings' as const], queueArn: FOUND },
  ],
  alerts: {
    channels: [
      ...(EVERYTHING.alerts?.channels ?? []),
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
    expect(queues.length).toBeGreaterThanOrEqual(3);
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
      expect({ path, ...admittedBy(built.at(path)) }).toEqual({
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
      expect({ path, ...admittedBy(built.at(`${path}/Policy`)) }).toEqual({
        path,
        action: 'sns:Publish',
        resource: `<${path}>`,
        principals: listRoles(built, 'sns:Publish', `<${path}>`),
        sources: path === 'Topics/alerts' ? [ALL_ALARMS] : [],
      });
    }
  });

  test('a queue of dead letters takes those of its queue, of no other, and of none where it has none', () => {
    const queues = built.ofType('AWS::SQS::Queue');
    const dead = queues.filter(({ properties }) => /-dead-letters(?:\.fifo)?$/.test(nameOf(properties)));
    expect(dead.length).toBeGreaterThanOrEqual(2);
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
  const texts = built.ofType('AWS::SNS::TopicPolicy').map((policy) => JSON.stringify(policy));
  expect(texts.filter((text) => text.includes(OPERATOR))).toEqual([]);
});

test.each(EVENT_TOPIC_NAMES)(
  'other accounts subscribe queues, functions and streams to %s, and no addresses',
  (name) => {
    const [, [, built]] = STACKS;
    const foreign = statementsOf(built.at(`Topics/${name}/Policy`)).filter(({ Principal }) =>
      JSON.stringify(Principal).includes('444455556666'),
    );
    const subscribing = foreign.filter(({ Action }) => [Action].flat().includes('sns:Subscribe'));
    expect(subscribing.map(({ Condition }) => Condition)).toEqual([
      { StringEquals: { 'sns:Protocol': ['sqs', 'lambda', 'firehose'] } },
    ]);
    expect(foreign.flatMap(({ Action }) => Action).sort()).toEqual([
      'sns:GetTopicAttributes',
      'sns:Subscribe',
    ]);
  },
);

test.each([
  ['a session', 'arn:aws:sts::123456789012:assumed-role/on-call/anna'],
  ['everybody', 'arn:aws:iam::123456789012:role/*'],
  ['an account', 'arn:aws:iam::123456789012:root'],
])('%s is no operator', (_, arn) => {
  expect(() => synthesize({ operators: [arn] })).toThrow(/operators\[0\].*ARN of an IAM role or user/);
});

const SQS = 'arn:<AWS::Partition>:sqs:<AWS::Region>:<AWS::AccountId>';

/** Who is not denied by the policy of queues or of a topic, by its only statement that denies whoever is not named. */
function admittedBy(policy: Resource) {
  const denials = statementsOf(policy).filter(
    ({ Effect, Sid }) => Effect === 'Deny' && Sid?.startsWith('OnlyOur'),
  );
  expect(denials).toHaveLength(1);
  const [{ Action, Resource: on, Principal, Condition } = {} as Statement] = denials;
  expect(Principal).toEqual({ AWS: '*' });
  expect(Object.keys(Condition as object)).toEqual(['ArnNotEquals']);
  const keys = (Condition as { ArnNotEquals: Record<string, string[]> }).ArnNotEquals;
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
