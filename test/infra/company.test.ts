import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test, vi } from 'vitest';
import { NotifierStack } from '#infra/notifier-stack.ts';
import { SEVERITY_WORDS } from '#shared/config/alarms.ts';
import { CONFIGS, readTemplate, type Statement, synthesize } from './synthesized.ts';

/** What a company puts around the stack: docs/in-your-company.md and its example. */

interface Part {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
}

describe('the example of an app', async () => {
  const app = await importExample();
  const stacks = app.node.children.filter((child) => child instanceof Stack);
  const partsOf = (name: string, type: string) => {
    const stack = app.node.findChild(name) as Stack;
    const { Resources } =
      stack instanceof NotifierStack ? readTemplate(stack) : Template.fromStack(stack).toJSON();
    return (Object.values(Resources) as Part[]).filter(({ Type }) => Type === type);
  };
  const textsOf = (type: string) =>
    partsOf('workforce-notifier', type).map(({ Properties }) => JSON.stringify(Properties));

  test('is two stages, each in its account and region, and who is on call', () => {
    expect(stacks.map(({ stackName, account, region }) => [stackName, account, region])).toEqual([
      ['workforce-notifier-test', '111122223333', 'ap-southeast-2'],
      ['workforce-notifier', '444455556666', 'ap-southeast-2'],
      ['on-call', '444455556666', 'ap-southeast-2'],
    ]);
  });

  test('has its tag, boundary and key on every part that takes them, and a budget of what has the tag', () => {
    for (const type of ['DynamoDB::Table', 'Lambda::Function', 'SNS::Topic', 'SQS::Queue', 'IAM::Role'])
      for (const text of textsOf(`AWS::${type}`)) expect(text).toContain('"Value":"4711"');
    const roles = textsOf('AWS::IAM::Role');
    for (const text of roles) expect(text).toMatch(/"PermissionsBoundary":.*developer-boundary/);
    const decrypting = roles.filter((text) => text.includes('key/1234abcd'));
    expect(decrypting).toHaveLength(textsOf('AWS::Lambda::Function').length);
    expect(textsOf('AWS::Budgets::Budget')).toEqual([expect.stringContaining('user:costCentre$4711')]);
  });

  test('lets another account subscribe to one topic, which denies it to all others', () => {
    const statements = partsOf('workforce-notifier', 'AWS::SNS::TopicPolicy').flatMap(
      ({ Properties }) => (Properties.PolicyDocument as { Statement: Statement[] }).Statement,
    );
    const about = statements.filter((each) => JSON.stringify(each).includes('210987654321'));
    expect(about.map(({ Effect, Action }) => [Effect, Action])).toEqual([
      ['Deny', 'sns:Subscribe'],
      ['Allow', 'sns:Subscribe'],
    ]);
    expect(JSON.stringify(about[0]?.Condition)).toContain('210987654321:*');
  });

  test('wakes somebody for critical alarms, and mails warnings', () => {
    const subscriptions = partsOf('on-call', 'AWS::SNS::Subscription').map(({ Properties }) => Properties);
    const filtered = (protocol: string, words: string) => ({
      Protocol: protocol,
      FilterPolicyScope: 'MessageBody',
      FilterPolicy: { AlarmDescription: [{ prefix: words }] },
    });
    expect(subscriptions).toMatchObject([
      filtered('https', SEVERITY_WORDS.critical),
      filtered('email', SEVERITY_WORDS.warning),
    ]);
    expect(partsOf('on-call', 'AWS::Events::Rule').map(({ Properties }) => Properties)).toMatchObject([
      {
        EventPattern: { detail: { configuration: { description: [{ prefix: SEVERITY_WORDS.critical }] } } },
        Targets: [{ Arn: expect.stringContaining('response-plan') }],
      },
    ]);
  });

  test('is applied by Terraform from the template that the synthesis published, with the rights that it needs', () => {
    const terraform = readFileSync('examples/in-your-company/notifier.tf', 'utf8');
    const { directory } = app.synth();
    const { artifacts } = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'));
    expect(terraform).toContain('artifacts["workforce-notifier"].properties.stackTemplateAssetObjectUrl');
    expect(artifacts['workforce-notifier'].properties.stackTemplateAssetObjectUrl).toMatch(
      /^s3:\/\/cdk-hnb659fds-assets-444455556666-ap-southeast-2\/[0-9a-f]{64}\.json$/,
    );
    // Roles with names of their own would need more.
    expect(terraform).toContain('capabilities = ["CAPABILITY_IAM"]');
    expect(textsOf('AWS::IAM::Role').filter((text) => text.includes('"RoleName"'))).toEqual([]);
    const { Outputs } = Template.fromStack(app.node.findChild('workforce-notifier') as Stack).toJSON();
    const [, output = ''] = /outputs\["(\w+)"\]/.exec(terraform) ?? [];
    expect(Object.keys(Outputs)).toContain(output);
  });
});

describe('a key that exists', () => {
  const keyArn = 'arn:aws:kms:eu-west-1:444455556666:key/1234abcd';
  const alertsKeyArn = 'arn:aws:kms:eu-west-1:444455556666:key/5678efab';

  test('takes the place of the one that a stack would make, everywhere', () => {
    const own = synthesize(CONFIGS['own-key']).resources.filter(({ type }) => !type.startsWith('AWS::KMS::'));
    const named = synthesize({ ...CONFIGS['own-key'], encryption: { keyArn, alertsKeyArn } });
    const expected = JSON.stringify(own)
      .replaceAll(/<Encryption\/Key(\.Arn)?>/g, keyArn)
      .replaceAll(/<Encryption\/AlertTopicKey(\.Arn)?>/g, alertsKeyArn);
    expect(named.resources).toEqual(JSON.parse(expected));
  });

  test('needs in its policy what the document says, which is what our own key has', () => {
    const { KeyPolicy } = synthesize(CONFIGS['own-key']).at('Encryption/Key').properties;
    const [, ...ours] = (KeyPolicy as { Statement: object[] }).Statement;
    expect(ours.length).toBe(2);
    const document = readFileSync('docs/in-your-company.md', 'utf8');
    const [, text = ''] = /<!-- the key's policy -->\n```json\n([^`]+)```/.exec(document) ?? [];
    const said = text.replaceAll('444455556666', '<account>').replaceAll('ap-southeast-2', '<region>');
    expect(ours.map(plain)).toEqual((JSON.parse(said) as object[]).map(plain));
  });
});

/** A statement with what the deployment fills in written as in the document. */
function plain(statement: object): unknown {
  const values = { Partition: 'aws', URLSuffix: 'amazonaws.com', Region: '<region>', AccountId: '<account>' };
  const text = JSON.stringify(statement);
  return JSON.parse(
    Object.entries(values).reduce((said, [name, value]) => said.replaceAll(`<AWS::${name}>`, value), text),
  );
}

/** The app of the example, without its bundles. */
async function importExample(): Promise<App> {
  vi.stubEnv('CDK_CONTEXT_JSON', JSON.stringify({ 'aws:cdk:bundling-stacks': [] }));
  const { app } = await import('../../examples/in-your-company/app.ts');
  vi.unstubAllEnvs();
  return app;
}
