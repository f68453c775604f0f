import { beforeAll, describe, expect, test } from 'vitest';
import { listModules, listReachable } from '#test/support/modules.ts';
import {
  CONNECTION,
  EVERYTHING,
  permissionsOf,
  type Resource,
  type Statement,
  type Synthesized,
  synthesize,
  WITH_EVERY_OPTION,
} from './synthesized.ts';

/** Where each function is in the template. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  poll: 'Poll',
  'collect-alerts': 'People/Collect',
  'release-alerts': 'People/Release',
  'check-deliveries': 'DeliveryCheck',
  'deliver-chat': 'People/Slack-payroll',
  'deliver-webhook': 'Webhook-system',
};
const NAMES = Object.keys(FUNCTIONS);

const MODULES = listModules(['functions', 'shared']);

/** Commands whose permission has another name. A transaction needs the permissions of its parts. */
const GRANTED_AS: Readonly<Record<string, string>> = {
  PublishBatch: 'Publish',
  SendMessageBatch: 'SendMessage',
};

/** https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html */
const RECEIVING_ACTIONS = ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'];

/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html */
const JOINING_ACTIONS = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

/** What Lambda does with the role of a function. */
const BY_LAMBDA = ['ReceiveMessages', 'JoinNetwork'];

/** The same, each secret in a parameter. */
const ALL_IN_PARAMETERS: typeof EVERYTHING = JSON.parse(
  JSON.stringify({ ...EVERYTHING, connections: [CONNECTION] }).replaceAll(
    '"secretName":"',
    '"secretName":"ssm:/secrets/',
  ),
);

let built: Synthesized;
let inParameters: Synthesized;
let customerManaged: Synthesized;
let everyOption: Synthesized;

beforeAll(() => {
  everyOption = synthesize(WITH_EVERY_OPTION);
  built = synthesize(EVERYTHING);
  inParameters = synthesize(ALL_IN_PARAMETERS);
  customerManaged = synthesize({ ...EVERYTHING, encryption: 'customer-managed' });
});

describe('what is granted', () => {
  // table-access.test.ts holds what each function needs of the table.
  test.each(NAMES)('to %s, besides the table, is what its code uses', (name) => {
    const other = ({ service }: Action) => service !== 'dynamodb';
    expect(namesOf(grantedTo(name), other)).toEqual(namesOf(usedBy(name), other));
  });

  test('to all of them together is no more than all of them use', () => {
    expect(namesOf(NAMES.flatMap(grantedTo))).toEqual(namesOf(NAMES.flatMap(usedBy)));
  });
});

describe('every role', () => {
  test('has one inline policy, without a wildcard except the suffix of secrets', () => {
    const paths = NAMES.map((name) => `${FUNCTIONS[name]}/Role`);
    const scheduled = ['Poll', 'People/Release', 'DeliveryCheck'];
    for (const { ofType } of [built, customerManaged, everyOption]) {
      const roles = ofType('AWS::IAM::Role');
      expect(roles.map(({ path }) => path).sort()).toEqual(
        [...paths, ...scheduled.map((path) => `${path}/Schedules/Role`)].sort(),
      );
      expect(ofType('AWS::IAM::Policy')).toEqual([]);
      for (const role of roles) expectNarrow(role);
    }
  });

  test('of a function in a network: Lambda manages network interfaces with it, the code of the function cannot', () => {
    const inside = everyOption
      .ofType('AWS::Lambda::Function')
      .filter(({ properties }) => properties.VpcConfig !== undefined);
    expect(inside.length).toBeGreaterThanOrEqual(3);
    for (const { path, properties } of inside) {
      const statements = permissionsOf(everyOption.at(path.replace(/Function$/, 'Role')));
      const [allowed, denied] = ['JoinNetwork', 'CodeLeavesNetworkAlone'].map((sid) =>
        statements.find(({ Sid }) => Sid === sid),
      );
      expect(allowed?.Action).toEqual(JOINING_ACTIONS);
      expect(denied).toEqual({
        Sid: 'CodeLeavesNetworkAlone',
        Effect: 'Deny',
        Action: [...JOINING_ACTIONS, 'ec2:DetachNetworkInterface'].sort(),
        Resource: '*',
        Condition: {
          ArnEquals: {
            'lambda:SourceFunctionArn': `arn:<AWS::Partition>:lambda:<AWS::Region>:<AWS::AccountId>:function:${properties.FunctionName}`,
          },
        },
      });
    }
    const others = everyOption.ofType('AWS::IAM::Role').filter((role) => !/ec2:/.test(JSON.stringify(role)));
    expect(others.length + inside.length).toBe(everyOption.ofType('AWS::IAM::Role').length);
  });

  test('reads only its own secrets', () => {
    const secret = (name: string) =>
      `arn:<AWS::Partition>:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:${name}-??????`;
    const read = NAMES.map((name) => [name, statement(name, 'ReadSecrets')?.Resource]);
    expect(Object.fromEntries(read)).toEqual({
      poll: secret('notifier/main'),
      'collect-alerts': undefined,
      'release-alerts': undefined,
      'deliver-chat': secret('notifier/slack/payroll'),
      'deliver-webhook': secret('notifier/webhooks/system'),
      'check-deliveries': undefined,
    });
  });

  test('reads only its own parameters, where they hold the secrets', () => {
    for (const name of NAMES) {
      expect(statement(name, 'ReadSecrets', inParameters)).toBeUndefined();
      const secret = statement(name, 'ReadSecrets')?.Resource;
      const [, own] = /:secret:(.*)-\?{6}$/.exec(String(secret)) ?? [];
      expect(statement(name, 'ReadParameters', inParameters)).toEqual(
        own === undefined
          ? undefined
          : {
              Sid: 'ReadParameters',
              Effect: 'Allow',
              Action: 'ssm:GetParameter',
              Resource: `arn:<AWS::Partition>:ssm:<AWS::Region>:<AWS::AccountId>:parameter/secrets/${own}`,
            },
      );
    }
  });

  test('sends only to its queues, also when they have a customer-managed key', () => {
    const queuesOf = (name: string) => statement(name, 'SendMessages')?.Resource;
    for (const name of ['collect-alerts', 'release-alerts'])
      expect(queuesOf(name)).toBe('<People/Slack-payroll/Queue.Arn>');
    expect(queuesOf('deliver-webhook')).toEqual([
      '<Webhook-system/DeadLetters.Arn>',
      '<Webhook-system/Queue.Arn>',
    ]);
    for (const name of ['collect-alerts', 'release-alerts', 'deliver-webhook']) {
      expect(statement(name, 'UseKeyOfQueues', customerManaged)).toMatchObject({
        Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
        Resource: '<Encryption/Key.Arn>',
        Condition: { StringEquals: { 'kms:ViaService': ['sqs.<AWS::Region>.<AWS::URLSuffix>'] } },
      });
    }
  });

  test('reaches a customer-managed key through SNS only when it publishes', () => {
    const publishing = (sid: string) =>
      NAMES.filter((name) => statement(name, sid, customerManaged) !== undefined);
    expect(publishing('UseKeyOfTopics')).toEqual(publishing('PublishEvents'));
    expect(publishing('UseKeyOfAlerts')).toEqual(publishing('TellPeople'));
    expect(publishing('TellPeople')).toEqual(['collect-alerts', 'release-alerts']);
    for (const name of NAMES) {
      const keys = permissionsOf(roleOf(name, customerManaged)).filter(({ Condition }) =>
        JSON.stringify(Condition ?? {}).includes('sns.<AWS::Region>'),
      );
      const expected = ['PublishEvents', 'TellPeople'].filter((sid) => statement(name, sid) !== undefined);
      expect(keys).toHaveLength(expected.length);
    }
    expect(statement('release-alerts', 'UseKeyOfAlerts', customerManaged)?.Resource).toBe(
      '<Encryption/AlertTopicKey.Arn>',
    );
  });

  test('of a function with a queue, and no other, decrypts messages with a customer-managed key', () => {
    const findReaders = (sid: string) =>
      NAMES.filter((name) => statement(name, sid, customerManaged) !== undefined);
    expect(findReaders('UseKeyOfOwnQueue')).toEqual([
      'poll',
      'collect-alerts',
      'deliver-chat',
      'deliver-webhook',
    ]);
    expect(findReaders('ReceiveMessages')).toEqual(findReaders('UseKeyOfOwnQueue'));
    for (const name of findReaders('UseKeyOfOwnQueue')) {
      expect(statement(name, 'UseKeyOfOwnQueue', customerManaged)).toMatchObject({
        Action: 'kms:Decrypt',
        Resource: '<Encryption/Key.Arn>',
        Condition: { StringEquals: { 'kms:ViaService': ['sqs.<AWS::Region>.<AWS::URLSuffix>'] } },
      });
      expect(statement(name, 'ReceiveMessages')?.Action).toEqual(RECEIVING_ACTIONS);
    }
  });
});

interface Action {
  readonly service: string;
  readonly name: string;
}

/** Actions of the statements with an id, wherever its secrets are. Those without one let Lambda write logs, and others are for Lambda. */
function grantedTo(name: string): Action[] {
  return [built, inParameters, everyOption]
    .flatMap((each) => permissionsOf(roleOf(name, each)))
    .filter(({ Sid, Effect }) => Effect === 'Allow' && Sid !== undefined && !BY_LAMBDA.includes(Sid))
    .flatMap(({ Action: actions }) => actions)
    .map((action) => {
      const [service = '', granted = ''] = action.split(':');
      return { service, name: granted };
    });
}

/** Commands in all modules that a function runs. */
function usedBy(name: string): Action[] {
  const modules = listReachable(MODULES, [`functions/${name}.ts`]);
  expect(modules.length).toBeGreaterThan(15);
  return modules.flatMap(({ text }) => {
    const commands = [...text.matchAll(/\bnew (\w+)Command\(/g)].map(([, command = '']) => command);
    const inTransactions = [...text.matchAll(/\b(Put|Update|Delete|ConditionCheck): \{/g)].map(
      ([, part]) => `${part}Item`,
    );
    return [
      ...commands
        .filter((command) => command !== 'TransactWriteItems')
        .map((command) => ({ service: serviceOf(command, text), name: GRANTED_AS[command] ?? command })),
      ...inTransactions.map((name) => ({ service: 'dynamodb', name })),
    ];
  });
}

/** The service whose client a module imports a command from. */
function serviceOf(command: string, text: string): string {
  const imports = text.matchAll(/import \{([^}]*)\} from '@aws-sdk\/client-([\w-]+)'/g);
  const [, , client = ''] = [...imports].find(([, names = '']) => names.includes(`${command}Command`)) ?? [];
  return client.replaceAll('-', '');
}

function namesOf(actions: readonly Action[], wanted: (action: Action) => boolean = () => true): string[] {
  return [...new Set(actions.filter(wanted).map(({ service, name }) => `${service}:${name}`))].sort();
}

function expectNarrow(role: Resource): void {
  expect(role.properties).not.toHaveProperty('ManagedPolicyArns');
  const statements = permissionsOf(role);
  expect(statements.length).toBeGreaterThan(1);
  const named = statements.filter(({ Action }) => !/"ec2:/.test(JSON.stringify(Action)));
  for (const text of named.flatMap(({ Action: actions, Resource: on }) => [actions, on].flat())) {
    expect(text.replace(/:secret:[^?*]+-\?{6}$/, '')).not.toMatch(/[*?]/);
  }
}

function statement(name: string, sid: string, from: Synthesized = built): Statement | undefined {
  return permissionsOf(roleOf(name, from)).find(({ Sid }) => Sid === sid);
}

function roleOf(name: string, { at }: Synthesized): Resource {
  return at(`${FUNCTIONS[name]}/Role`);
}
