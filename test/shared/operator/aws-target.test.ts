import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { ListSubscriptionsByTopicCommand, SNSClient, type Subscription } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { GetParametersByPathCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DOCTOR_CHAPTERS } from '#shared/config/alarms.ts';
import { type NotifierConfigInput, parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { openAwsTarget } from '#shared/operator/aws-target.ts';
import { checkDeliveries, checkTopics } from '#shared/operator/doctor/delivery-checks.ts';
import { checkAlarms } from '#shared/operator/doctor/run-checks.ts';
import { checkSource } from '#shared/operator/doctor/source-checks.ts';
import { CONNECTION, EVERYTHING, type Synthesized, synthesize } from '#test/infra/synthesized.ts';
import { mockClient } from '#test/support/mock-client.ts';
import { listModules } from '#test/support/modules.ts';

/** Commands on a deployed stack, with the parameters and subscriptions of the template. */

const ARN = 'ap-southeast-2:123456789012';
const CONFIG: NotifierConfigInput = { ...EVERYTHING, connections: [CONNECTION] };
const ssm = mockClient(SSMClient);
const sns = mockClient(SNSClient);
const secrets = mockClient(SecretsManagerClient);

let built: Synthesized;
let subscribed: Map<string, Subscription[]>;

beforeAll(() => {
  built = synthesize(EVERYTHING);
});

beforeEach(() => {
  const parameters = built.ofType('AWS::SSM::Parameter').map(({ properties: { Name, Value } }) => ({
    Name: String(Name),
    Value: String(Value).replaceAll(/<[^>]+>/g, inAws),
  }));
  // AWS returns ten at a time.
  ssm.on(GetParametersByPathCommand).callsFake(({ NextToken = '0', Path }) => {
    const from = Number(NextToken);
    const found = parameters.filter(({ Name }) => Name.startsWith(Path));
    const more = from + 10 < found.length ? { NextToken: String(from + 10) } : {};
    return { Parameters: found.slice(from, from + 10), ...more };
  });
  subscribed = Map.groupBy(
    built
      .ofType('AWS::SNS::Subscription')
      .map(({ properties: { TopicArn, Protocol, Endpoint } }, at): Subscription => {
        const SubscriptionArn = `${inAws(String(TopicArn))}:${at}`;
        return {
          TopicArn: inAws(String(TopicArn)),
          Protocol: String(Protocol),
          Endpoint: inAws(String(Endpoint)),
          SubscriptionArn,
        };
      }),
    ({ TopicArn }) => TopicArn?.split('-notifier-').at(-1) ?? '',
  );
  sns.on(ListSubscriptionsByTopicCommand).callsFake(({ TopicArn }) => ({
    Subscriptions: subscribed.get(TopicArn.split('-notifier-').at(-1)) ?? [],
  }));
});

afterEach(() => {
  for (const client of [ssm, sns, secrets]) client.reset();
});

describe('a stack in AWS', () => {
  test('is found by its parameters, however many pages they take', async () => {
    const target = await open();
    expect(target.parts.size).toBeGreaterThan(12);
    expect(target.tableName).toBe('workforce-notifier-State-Table');
    expect(target.part('queues/webhook-system/url')).toBe(
      'https://sqs.example/123456789012/workforce-notifier-webhook-system',
    );
    expect(() => target.part('queues/webhook-other/url')).toThrow(
      'the stack workforce-notifier has no queues/webhook-other/url; there are ',
    );
  });

  test('that does not exist or cannot be read is an error that says what to do', async () => {
    await expect(open({ ...CONFIG, stackName: 'elsewhere' })).rejects.toThrow(
      'there is no stack "elsewhere" in this account and region; deploy it, or set AWS_REGION, AWS_PROFILE or stackName in the config',
    );
    ssm.on(GetParametersByPathCommand).rejects(named('CredentialsProviderError', 'no credentials'));
    await expect(open()).rejects.toThrow(
      'cannot reach AWS (CredentialsProviderError: no credentials); set credentials and AWS_REGION as for the AWS CLI, or use a data folder with --data',
    );
  });

  test('has its secrets read by their names', async () => {
    secrets.on(GetSecretValueCommand, { SecretId: 'notifier/main' }).resolves({ SecretString: 'token' });
    const target = await open();
    expect(await target.readSecret('notifier/main')({ fresh: true })).toBe('token');
  });
});

describe('its secrets, where somebody only looks', () => {
  const check = async () => {
    // Of a webhook the table is asked first whether it is disabled.
    const target = { ...(await open({ ...CONFIG, webhooks: [] })), onlyLooks: true };
    const [connection] = target.connections;
    if (connection === undefined) throw new Error('no connection');
    return [...(await checkSource(connection, target)), ...(await checkDeliveries(target))];
  };

  test('are found, and never read: nobody is asked with them', async () => {
    secrets.on(DescribeSecretCommand).resolves({ Name: 'there' });
    const findings = await check();
    expect(findings[0]).toEqual({
      about: 'source of main',
      outcome: 'ok',
      says: 'the secret notifier/main exists; npm run notifier -- doctor checks what it holds',
    });
    expect(findings.length).toBeGreaterThan(1);
    for (const { outcome, says } of findings)
      expect(`${outcome} ${says}`).toMatch(/^ok the secret .* exists; /);
    expect(secrets.commandCalls(GetSecretValueCommand)).toEqual([]);
  });

  test('are wrong when they are not there', async () => {
    const absent = Object.assign(new Error('no'), { name: 'ResourceNotFoundException' });
    secrets.on(DescribeSecretCommand).rejects(absent);
    expect((await check())[0]).toEqual({
      about: 'source of main',
      outcome: 'wrong',
      says: 'there is no secret notifier/main',
      mend: 'create it',
    });
  });
});

test('a heartbeat has an address that it may be sent to', async () => {
  const connections = [{ ...CONNECTION, heartbeat: { secretName: 'hc/main' } }];
  const findings = async (SecretString: string) => {
    secrets.on(GetSecretValueCommand).resolves({ SecretString });
    const target = await open({ ...CONFIG, connections, webhooks: [], people: { channels: [] } });
    return await checkDeliveries(target);
  };
  const heartbeat = 'heartbeat of main';
  expect(await findings('http://hc-ping.com/3f1c')).toEqual([
    {
      about: heartbeat,
      outcome: 'wrong',
      says: 'http: is not allowed',
      mend: 'put an address that it may be sent to into the secret hc/main, or allow it in heartbeat.allow',
    },
  ]);
});
describe('its topics', () => {
  const ADDRESSES = 3;

  test('are ok when every subscriber of the config is subscribed', async () => {
    expect(await checkTopics(await open())).toEqual([
      { about: 'topic timesheets', outcome: 'ok', says: '3 subscribed' },
      { about: 'topic pay-periods', outcome: 'ok', says: '2 subscribed' },
      { about: 'topic operations', outcome: 'ok', says: '1 subscribed' },
      { about: 'topic alerts', outcome: 'ok', says: `${ADDRESSES} addresses subscribed` },
    ]);
  });

  test('are wrong when a subscription was deleted', async () => {
    subscribed.set('timesheets', []);
    subscribed.set('alerts', (subscribed.get('alerts') ?? []).slice(1));
    const findings = await checkTopics(await open());
    expect(findings.filter(({ outcome }) => outcome === 'wrong')).toEqual([
      {
        about: 'topic timesheets',
        outcome: 'wrong',
        says: 'queue-payroll, webhook-system, collect-alerts not subscribed',
        mend: 'deploy the stack again',
      },
      {
        about: 'topic alerts',
        outcome: 'wrong',
        says: `1 of ${ADDRESSES} addresses not subscribed`,
        mend: expect.stringMatching(/^deploy the stack again; if that does not help, remove the address/),
      },
    ]);
  });

  test('report unconfirmed addresses, without naming them', async () => {
    const [first, ...others] = subscribed.get('alerts') ?? [];
    subscribed.set('alerts', [{ ...first, SubscriptionArn: 'PendingConfirmation' }, ...others]);
    expect((await checkTopics(await open())).at(-1)).toMatchObject({
      outcome: 'warning',
      says: `1 of ${ADDRESSES} addresses have not confirmed`,
      mend: expect.stringMatching(/^each recipient must follow the link in the mail from AWS/),
    });
  });

  test('are wrong when they were deleted', async () => {
    sns.on(ListSubscriptionsByTopicCommand).rejects(named('NotFoundException', 'Topic does not exist'));
    expect((await checkTopics(await open()))[0]).toMatchObject({
      about: 'topic timesheets',
      outcome: 'wrong',
      says: 'Topic does not exist',
      mend: 'deploy the stack again',
    });
  });
});

describe('its alarms', () => {
  const chapterOf = async (config: NotifierConfigInput) => {
    const [found] = await checkAlarms(await open(config));
    const chapter = /see ([\w-]+) in docs\/runbook\.md/.exec(found?.mend ?? '')?.[1] ?? null;
    return [found?.outcome, found?.says, chapter];
  };

  test('are heard at an address that has confirmed', async () => {
    expect(await chapterOf(CONFIG)).toEqual(['ok', 'alarms.email is notified of them', null]);
  });

  test('are heard by nobody without an address or a topic', async () => {
    const finding = ['warning', 'nobody is notified of them', 'alarms-unheard'];
    expect(await chapterOf({ ...CONFIG, alarms: {} })).toEqual(finding);
  });

  test.each([
    ['PendingConfirmation', 'alarms.email has not confirmed, so it gets none'],
    ['Deleted', 'alarms.email is not subscribed'],
  ])('are not heard at an address that is %s', async (SubscriptionArn, says) => {
    const others = subscribed.get('alerts') ?? [];
    subscribed.set(
      'alerts',
      others.map((each) =>
        each.Endpoint === 'operations@acme.example' ? { ...each, SubscriptionArn } : each,
      ),
    );
    expect(await chapterOf(CONFIG)).toEqual(['wrong', says, 'mail-unconfirmed']);
  });

  test('go to a topic of somebody else, if anybody is subscribed to that', async () => {
    const topicArn = 'arn:aws:sns:ap-southeast-2:123456789012:some-notifier-on-call';
    const config = { ...CONFIG, alarms: { topicArn } };
    const silent = 'alarms.topicArn has no confirmed subscription, so nobody is notified';
    expect(await chapterOf(config)).toEqual(['wrong', silent, 'alarms-unheard']);
    subscribed.set('on-call', [{ SubscriptionArn: 'PendingConfirmation' }]);
    expect(await chapterOf(config)).toEqual(['wrong', silent, 'alarms-unheard']);
    subscribed.set('on-call', [{ SubscriptionArn: `${topicArn}:1` }]);
    expect(await chapterOf(config)).toEqual(['ok', 'alarms.topicArn has 1 confirmed subscriptions', null]);
  });

  test('are none on one machine', async () => {
    expect(await checkAlarms({ ...(await open({ ...CONFIG, alarms: {} })), redirects: true })).toEqual([]);
  });
});

test('every chapter of the runbook for what doctor checks is where a finding leads', () => {
  const checks = listModules(['shared/operator/doctor']).map(({ text }) => text);
  for (const chapter of DOCTOR_CHAPTERS)
    expect(checks.some((text) => text.includes(`describeChapter('${chapter}')`))).toBe(true);
});

async function open(config: NotifierConfigInput = CONFIG) {
  const region = { region: 'ap-southeast-2' };
  return await openAwsTarget(parseNotifierConfig(config), {
    dynamoDb: new DynamoDBClient(region),
    sqs: new SQSClient(region),
    sns: new SNSClient(region),
    ssm: new SSMClient(region),
    secretsManager: new SecretsManagerClient(region),
  });
}

/** The value that AWS would give a reference of the template. */
function inAws(value: string): string {
  const [, path = '', attribute] = /^<([^.>]+)(?:\.(\w+))?>$/.exec(value) ?? [];
  if (path === '') return value;
  if (path.startsWith('Topics/')) return `arn:aws:sns:${ARN}:workforce-notifier-${path.slice(7)}`;
  const { QueueName } = built.at(path).properties;
  if (QueueName === undefined) return `workforce-notifier-${path.replaceAll('/', '-')}`;
  return attribute === 'Arn'
    ? `arn:aws:sqs:${ARN}:${QueueName}`
    : `https://sqs.example/123456789012/${QueueName}`;
}

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}
