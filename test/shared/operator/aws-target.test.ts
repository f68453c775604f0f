import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { ListSubscriptionsByTopicCommand, SNSClient, type Subscription } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import {
  DescribeParametersCommand,
  GetParameterCommand,
  GetParametersByPathCommand,
  SSMClient,
} from '@aws-sdk/client-ssm';
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
import { showFinding } from './doctor/show-finding.ts';

/** Commands on a deployed stack, with the parameters and subscriptions of the template. */

const ARN = 'ap-southeast-2:123456789012';
const CONFIG: NotifierConfigInput = { ...EVERYTHING, connections: [CONNECTION] };
const ON_CALL = 'arn:aws:sns:ap-southeast-2:123456789012:some-notifier-on-call';
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
  const subscriptions = built.ofType('AWS::SNS::Subscription').map(({ properties }, at): Subscription => {
    const [TopicArn, Endpoint] = [inAws(String(properties.TopicArn)), inAws(String(properties.Endpoint))];
    return {
      TopicArn,
      Endpoint,
      Protocol: String(properties.Protocol),
      SubscriptionArn: `${TopicArn}:${at}`,
    };
  });
  subscribed = Map.groupBy(subscriptions, ({ TopicArn = '' }) => nameOf(TopicArn));
  sns.on(ListSubscriptionsByTopicCommand).callsFake(({ TopicArn }) => ({
    Subscriptions: subscribed.get(nameOf(TopicArn)) ?? [],
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

  test('has its secrets read by their names, those that are parameters decrypted', async () => {
    secrets.on(GetSecretValueCommand, { SecretId: 'notifier/main' }).resolves({ SecretString: 'token' });
    ssm
      .on(GetParameterCommand, { Name: '/secrets/main', WithDecryption: true })
      .resolves({ Parameter: { Type: 'SecureString', Value: 'another' } });
    const { readSecret } = await open();
    expect(await readSecret('notifier/main')({ fresh: true })).toBe('token');
    expect(await readSecret('ssm:/secrets/main')({ fresh: true })).toBe('another');
  });
});

describe('its secrets, where somebody only looks', () => {
  const check = async (secretName: string) => {
    // Of a webhook the table is asked first whether it is disabled.
    const config = { ...CONFIG, connections: [{ ...CONNECTION, secretName }], webhooks: [] };
    const target = { ...(await open(config)), onlyLooks: true };
    const sources = target.connections.map((connection) => checkSource(connection, target));
    const found = [...(await Promise.all(sources)).flat(), ...(await checkDeliveries(target))];
    expect(secrets.commandCalls(GetSecretValueCommand)).toEqual([]);
    expect(ssm.commandCalls(GetParameterCommand)).toEqual([]);
    return found.map(showFinding);
  };
  const exists = (about: string, name: string) =>
    `ok ${about}: the secret ${name} exists; npm run notifier -- doctor checks what it holds`;

  test('are found, and never read: nobody is asked with them', async () => {
    secrets.on(DescribeSecretCommand).resolves({ Name: 'there' });
    expect(await check('notifier/main')).toEqual([
      exists('source of main', 'notifier/main'),
      exists('slack payroll', 'notifier/slack/payroll'),
    ]);
  });

  test('are wrong when they are not there', async () => {
    secrets.on(DescribeSecretCommand).rejects(named('ResourceNotFoundException', 'no'));
    expect((await check('notifier/main'))[0]).toBe(
      'wrong source of main: there is no secret notifier/main; create it',
    );
  });

  test('are looked for among parameters that are encrypted', async () => {
    secrets.on(DescribeSecretCommand).resolves({ Name: 'there' });
    ssm
      .on(DescribeParametersCommand)
      .resolvesOnce({ Parameters: [{ Name: '/secrets/main' }] })
      .resolves({ Parameters: [] });
    const found = [await check('ssm:/secrets/main'), await check('ssm:/secrets/main')];
    expect(found.map(([first]) => first)).toEqual([
      exists('source of main', 'ssm:/secrets/main'),
      'wrong source of main: there is no secret ssm:/secrets/main; create it',
    ]);
    expect(ssm.commandCalls(DescribeParametersCommand)[0]?.args[0].input).toEqual({
      ParameterFilters: [
        { Key: 'Name', Option: 'Equals', Values: ['/secrets/main'] },
        { Key: 'Type', Option: 'Equals', Values: ['SecureString'] },
      ],
    });
  });
});

describe('its topics', () => {
  const check = async () => (await checkTopics(await open())).map(showFinding);
  const RESUBSCRIBE =
    'remove the address from the config, deploy, add it again and deploy; see mail-unconfirmed in docs/runbook.md';

  test('are ok when every subscriber of the config is subscribed', async () => {
    expect(await check()).toEqual([
      'ok topic timesheets: 3 subscribed',
      'ok topic pay-periods: 2 subscribed',
      'ok topic operations: 1 subscribed',
      'ok topic alerts: 3 addresses subscribed',
    ]);
  });

  test('are wrong when a subscription was deleted', async () => {
    subscribed.set('timesheets', []);
    subscribed.set('alerts', (subscribed.get('alerts') ?? []).slice(1));
    expect((await check()).filter((line) => line.startsWith('wrong'))).toEqual([
      'wrong topic timesheets: queue-payroll, webhook-system, collect-alerts not subscribed; deploy the stack again',
      `wrong topic alerts: 1 of 3 addresses not subscribed; deploy the stack again; if that does not help, ${RESUBSCRIBE}`,
    ]);
  });

  test('report unconfirmed addresses, without naming them', async () => {
    const [first, ...others] = subscribed.get('alerts') ?? [];
    subscribed.set('alerts', [{ ...first, SubscriptionArn: 'PendingConfirmation' }, ...others]);
    expect((await check()).at(-1)).toBe(
      `warning topic alerts: 1 of 3 addresses have not confirmed; each recipient must follow the link in the mail from AWS, which is valid for two days; after that, ${RESUBSCRIBE}`,
    );
  });

  test('are wrong when they were deleted', async () => {
    sns.on(ListSubscriptionsByTopicCommand).rejects(named('NotFoundException', 'Topic does not exist'));
    expect((await check())[0]).toBe('wrong topic timesheets: Topic does not exist; deploy the stack again');
  });
});

describe('its alarms', () => {
  const SILENT =
    'wrong: alarms.topicArn has no confirmed subscription, so nobody is notified: alarms-unheard';
  test.each([
    ['ok: alarms.email is notified of them', {}, {}],
    ['warning: nobody is notified of them: alarms-unheard', { alarms: {} }, {}],
    [
      'wrong: alarms.email has not confirmed, so it gets none: mail-unconfirmed',
      {},
      { alerts: ['PendingConfirmation'] },
    ],
    ['wrong: alarms.email is not subscribed: mail-unconfirmed', {}, { alerts: ['Deleted'] }],
    // A topic of somebody else.
    [SILENT, { alarms: { topicArn: ON_CALL } }, {}],
    [SILENT, { alarms: { topicArn: ON_CALL } }, { 'on-call': ['PendingConfirmation'] }],
    [
      'ok: alarms.topicArn has 1 confirmed subscriptions',
      { alarms: { topicArn: ON_CALL } },
      { 'on-call': [`${ON_CALL}:1`] },
    ],
  ])('%s', async (expected, config, states) => {
    for (const [topic, arns] of Object.entries(states)) {
      const email = { Protocol: 'email', Endpoint: 'operations@acme.example' };
      subscribed.set(
        topic,
        arns.map((SubscriptionArn) => ({ ...email, SubscriptionArn })),
      );
    }
    const [{ outcome, says, mend = '' } = { outcome: '', says: '' }, ...others] = await checkAlarms(
      await open({ ...CONFIG, ...config }),
    );
    const chapters = [...mend.matchAll(/see ([\w-]+) in docs\/runbook\.md/g)].map(([, name]) => `: ${name}`);
    expect([`${outcome}: ${says}${chapters.join('')}`, others]).toEqual([expected, []]);
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

function nameOf(topicArn: string): string {
  return topicArn.split('-notifier-').at(-1) ?? '';
}

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}
