import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test, vi } from 'vitest';
import { NotifierStack, WorkforceNotifier, type WorkforceNotifierProps } from '#infra/notifier-stack.ts';
import { SEVERITY_WORDS } from '#shared/config/alarms.ts';
import { toPartsPrefix } from '#shared/config/part-names.ts';
import {
  CONNECTION,
  EVERYTHING,
  permissionsOf,
  readTemplate,
  type Statement,
  synthesize,
} from './synthesized.ts';

const CONFIG = { ...EVERYTHING, connections: [CONNECTION] };

describe('the name of the stack', () => {
  test.each([
    ['workforce-notifier', 'workforce-notifier'],
    ['Prod-Notifier', 'prod-notifier-9c2a39'],
    ['the-workforce-notifier-of-acme-in-production', 'the-workforce-notifier-o-ffffff'],
    ['aws-notifier', 'n-aws-notifier-ffffff'],
  ])('%s: parts begin with %s', (stackName, prefix) => {
    const shape = new RegExp(`^${prefix.replace(/-[0-9a-f]{6}$/, '-[0-9a-f]{6}')}$`);
    expect(toPartsPrefix(stackName)).toMatch(shape);
    expect(toPartsPrefix(stackName)).toMatch(/^[a-z][a-z0-9-]{0,30}$/);
  });

  test('two stacks whose names differ in capitals have parts of different names', () => {
    expect(toPartsPrefix('Notifier')).not.toBe(toPartsPrefix('NOTIFIER'));
  });

  test('a construct in a stack as everybody names it finds place for the names of all parts', () => {
    const stack = new Stack(new App({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Prod-Notifier');
    new WorkforceNotifier(stack, 'Notifier', { config: CONFIG });
    const prefix = toPartsPrefix('Prod-Notifier');
    const template = Template.fromStack(stack);
    const all = Object.values(readTemplate(stack).Resources) as {
      Type: string;
      Properties?: Record<string, unknown>;
    }[];
    for (const [type, member] of [
      ['AWS::Lambda::Function', 'FunctionName'],
      ['AWS::SNS::Topic', 'TopicName'],
      ['AWS::SQS::Queue', 'QueueName'],
      ['AWS::CloudWatch::Alarm', 'AlarmName'],
    ] as const) {
      const names = all.flatMap(({ Type, Properties = {} }) => (Type === type ? [Properties[member]] : []));
      expect(names.length).toBeGreaterThan(3);
      expect(names.filter((name) => !String(name).startsWith(`${prefix}-`))).toEqual([]);
    }
    template.hasResourceProperties('AWS::SSM::Parameter', { Name: `/${prefix}/table/name` });
  });
});

describe('the example of an app', async () => {
  const app = await importExample();
  const stacks = app.node.children.filter((child) => child instanceof NotifierStack);
  const [, production] = stacks as [NotifierStack, NotifierStack];
  const resources = Object.values(readTemplate(production).Resources) as {
    Type: string;
    Properties: Record<string, unknown>;
  }[];
  const ofType = (type: string) => resources.filter(({ Type }) => Type === type);

  test('is two stacks, each in its account and region', () => {
    expect(stacks.map(({ stackName, account, region }) => [stackName, account, region])).toEqual([
      ['workforce-notifier-test', '111122223333', 'ap-southeast-2'],
      ['workforce-notifier', '444455556666', 'ap-southeast-2'],
    ]);
  });

  test('has its tag on every part that takes tags', () => {
    const tagged = resources.filter(({ Properties }) =>
      JSON.stringify(Properties?.Tags ?? '').includes('4711'),
    );
    const types = new Set(tagged.map(({ Type }) => Type));
    for (const type of ['DynamoDB::Table', 'Lambda::Function', 'SNS::Topic', 'SQS::Queue', 'IAM::Role'])
      expect(types).toContain(`AWS::${type}`);
  });

  test('has its boundary and the key of its secrets on every role of a function', () => {
    const roles = ofType('AWS::IAM::Role');
    expect(roles.length).toBeGreaterThan(5);
    for (const { Properties } of roles)
      expect(JSON.stringify(Properties.PermissionsBoundary)).toContain('developer-boundary');
    const decrypting = roles.filter(({ Properties }) => JSON.stringify(Properties).includes('key/1234abcd'));
    expect(decrypting).toHaveLength(ofType('AWS::Lambda::Function').length);
  });

  test('lets another account subscribe to one topic, which denies it to all others', () => {
    const statements = ofType('AWS::SNS::TopicPolicy').flatMap(
      ({ Properties }) => (Properties.PolicyDocument as { Statement: Statement[] }).Statement,
    );
    const about = statements.filter((each) => JSON.stringify(each).includes('210987654321'));
    expect(about.map(({ Effect, Action }) => [Effect, Action])).toEqual([
      ['Deny', 'sns:Subscribe'],
      ['Allow', 'sns:Subscribe'],
    ]);
    expect(JSON.stringify(about[0]?.Condition)).toContain('210987654321:*');
  });
});

describe('what a company puts beside it', async () => {
  const app = await importExample();
  const ofStack = (name: string) => {
    const { Resources } = Template.fromStack(app.node.findChild(name) as Stack).toJSON();
    const resources = Object.values(Resources) as { Type: string; Properties: never }[];
    return (type: string) =>
      resources.filter(({ Type }) => Type === type).map(({ Properties }) => Properties);
  };

  test('a budget of what has the tag of the stack', () => {
    expect(ofStack('workforce-notifier')('AWS::Budgets::Budget')).toMatchObject([
      { Budget: { CostFilters: { TagKeyValue: ['user:costCentre$4711'] } } },
    ]);
  });

  test('critical alarms wake somebody, and warnings are a mail', () => {
    const subscriptions = ofStack('on-call')('AWS::SNS::Subscription') as {
      Protocol: string;
      FilterPolicy: { AlarmDescription: [{ prefix: string }] };
    }[];
    const prefixes = subscriptions.map(({ Protocol, FilterPolicy }) => [
      Protocol,
      FilterPolicy.AlarmDescription[0].prefix,
    ]);
    expect(prefixes).toEqual([
      ['https', SEVERITY_WORDS.critical],
      ['email', SEVERITY_WORDS.warning],
    ]);
    for (const each of subscriptions) expect(each).toMatchObject({ FilterPolicyScope: 'MessageBody' });
    const [rule] = ofStack('on-call')('AWS::Events::Rule');
    expect(rule).toMatchObject({
      EventPattern: { detail: { configuration: { description: [{ prefix: SEVERITY_WORDS.critical }] } } },
      Targets: [{ Arn: expect.stringContaining('response-plan') }],
    });
    expect(ofStack('on-call')('AWS::SNS::Topic')).toMatchObject([{ TopicName: 'on-call' }]);
  });

  test('Terraform applies the template that the synthesis published, with the rights that it needs', () => {
    const terraform = readFileSync('examples/in-your-company/notifier.tf', 'utf8');
    const { directory } = app.synth();
    const { artifacts } = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'));
    const { stackTemplateAssetObjectUrl } = artifacts['workforce-notifier'].properties;
    expect(terraform).toContain('artifacts["workforce-notifier"].properties.stackTemplateAssetObjectUrl');
    expect(stackTemplateAssetObjectUrl).toMatch(
      /^s3:\/\/cdk-hnb659fds-assets-444455556666-ap-southeast-2\/[0-9a-f]{64}\.json$/,
    );
    const roles = ofStack('workforce-notifier')('AWS::IAM::Role') as { RoleName?: string }[];
    expect(roles.filter(({ RoleName }) => RoleName !== undefined)).toEqual([]);
    expect(terraform).toContain('capabilities = ["CAPABILITY_IAM"]');
    const { Outputs } = Template.fromStack(app.node.findChild('workforce-notifier') as Stack).toJSON();
    const [, output = ''] = /outputs\["(\w+)"\]/.exec(terraform) ?? [];
    expect(Object.keys(Outputs)).toContain(output);
  });
});

describe('what an account asks for', () => {
  const resourcesOf = (more: object) => synthesize({ ...CONFIG, ...more }).resources;

  test('the functions that call out are in its network, and no other', () => {
    const network = {
      subnetIds: ['subnet-0a1b2c3d', 'subnet-0c2d'],
      securityGroupIds: ['sg-0e3f4a5b'],
    };
    const functions = resourcesOf({ network }).filter(({ type }) => type === 'AWS::Lambda::Function');
    const inside = functions.filter(({ properties }) => properties.VpcConfig !== undefined);
    expect(inside.map(({ properties }) => properties.VpcConfig)).toEqual(
      inside.map(() => ({ SubnetIds: network.subnetIds, SecurityGroupIds: network.securityGroupIds })),
    );
    expect(inside.map(({ properties }) => properties.FunctionName).sort()).toEqual([
      'workforce-notifier-poll',
      'workforce-notifier-slack-payroll',
      'workforce-notifier-webhook-system',
    ]);
    expect(functions.length).toBeGreaterThan(inside.length);
  });

  describe('a key that exists', () => {
    const keyArn = 'arn:aws:kms:eu-west-1:444455556666:key/1234abcd';
    const alertsKeyArn = 'arn:aws:kms:eu-west-1:444455556666:key/5678efab';
    const KEYS = {
      'AWS::DynamoDB::Table': 'SSESpecification',
      'AWS::SNS::Topic': 'KmsMasterKeyId',
      'AWS::SQS::Queue': 'KmsMasterKeyId',
      'AWS::Logs::LogGroup': 'KmsKeyId',
    } as const;
    /** The parts with a key, each with the key. */
    const keysBy = (encryption: WorkforceNotifierProps['encryption']) => {
      const { ofType } = synthesize({ ...CONFIG, ...EVERYTHING, encryption });
      const found = Object.entries(KEYS).flatMap(([type, member]) =>
        ofType(type).flatMap(({ path, properties }) => {
          const [key] = /<[^>]+>|arn:[^"]+/.exec(JSON.stringify(properties[member] ?? '')) ?? [];
          return key === undefined ? [] : [[path, key] as const];
        }),
      );
      return { keys: Object.fromEntries(found), made: ofType('AWS::KMS::Key').length };
    };

    test.each([
      ['another one', alertsKeyArn],
      ['none', undefined],
    ])('encrypts what one of the stack would, the topic for people has %s, and none is made', (_, alerts) => {
      const own = keysBy('customer-managed');
      expect([own.made, Object.keys(own.keys).length > 20]).toEqual([2, true]);
      const expected = Object.entries(own.keys).flatMap(([path, key]) => {
        const ofPart = key.startsWith('<Encryption/AlertTopicKey') ? alerts : keyArn;
        return ofPart === undefined ? [] : [[path, ofPart]];
      });
      const encryption = alerts === undefined ? { keyArn } : { keyArn, alertsKeyArn: alerts };
      expect(keysBy(encryption)).toEqual({ keys: Object.fromEntries(expected), made: 0 });
    });

    test('may be used by every role that may use one of the stack', () => {
      const allowing = (encryption: 'customer-managed' | { keyArn: string; alertsKeyArn: string }) => {
        const { resources } = synthesize({ ...CONFIG, ...EVERYTHING, encryption });
        const roles = resources.filter(({ type }) => type === 'AWS::IAM::Role');
        return roles.flatMap((role) =>
          permissionsOf(role)
            .filter(({ Sid }) => String(Sid).startsWith('UseKey'))
            .map(({ Sid, Action, Condition }) => [role.path, Sid, Action, Condition]),
        );
      };
      const own = allowing('customer-managed');
      expect(own.length).toBeGreaterThan(10);
      expect(allowing({ keyArn, alertsKeyArn })).toEqual(own);
    });

    test('needs in its policy what the document says, which is what our own key has', () => {
      const { ofType } = synthesize({ ...CONFIG, encryption: 'customer-managed' });
      const keys = ofType('AWS::KMS::Key').filter(({ path }) => path === 'Encryption/Key');
      const [[, ...ours] = []] = keys.map(
        ({ properties }) => (properties.KeyPolicy as { Statement: object[] }).Statement,
      );
      expect(ours.length).toBe(2);
      const [, text = ''] =
        /<!-- the key's policy -->\n```json\n([^`]+)```/.exec(
          readFileSync('docs/in-your-company.md', 'utf8'),
        ) ?? [];
      const said = text.replaceAll('444455556666', '<account>').replaceAll('ap-southeast-2', '<region>');
      expect(ours.map(plain)).toEqual((JSON.parse(said) as object[]).map(plain));
    });
  });

  test('without them the template has none of it', () => {
    const text = JSON.stringify(resourcesOf({}));
    expect(text).not.toMatch(/VpcConfig|PermissionsBoundary|JoinNetwork/);
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
