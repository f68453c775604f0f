import { describe, expect, test } from 'vitest';
import { listModules, listReachable } from '#test/support/modules.ts';
import { CONFIGS, permissionsOf, type Resource, type Statement, synthesize } from './synthesized.ts';

/** What every role keeps to. Which secrets, queues and keys are its own is in the golden templates. */

/** Where each function is in the templates. Between them they read secrets of both kinds. */
const FUNCTIONS: Readonly<Record<string, readonly string[]>> = {
  poll: ['Poll'],
  'collect-alerts': ['People/Collect'],
  'release-alerts': ['People/Release'],
  'check-deliveries': ['DeliveryCheck'],
  'deliver-chat': ['People/Slack-payroll', 'People/Teams-board'],
  'deliver-webhook': ['Webhook-system', 'Webhook-paused'],
};
const NAMES = Object.keys(FUNCTIONS);

const MODULES = listModules(['functions', 'shared']);

/** Commands whose permission has another name. A transaction needs the permissions of its parts. */
const GRANTED_AS: Readonly<Record<string, string>> = {
  PublishBatch: 'Publish',
  SendMessageBatch: 'SendMessage',
};

/** What Lambda does with the role of a function. */
const BY_LAMBDA = ['ReceiveMessages', 'JoinNetwork'];

const everything = synthesize(CONFIGS.everything);
const ownKey = synthesize(CONFIGS['own-key']);

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

test('every role is that of one function or of its schedules, with one inline policy without a wildcard', () => {
  for (const { ofType } of [everything, ownKey]) {
    const roles = ofType('AWS::IAM::Role');
    const functions = ofType('AWS::Lambda::Function').map(({ path }) => path.replace(/Function$/, 'Role'));
    const schedules = ofType('AWS::Scheduler::ScheduleGroup').map(({ path }) =>
      path.replace(/Group$/, 'Role'),
    );
    expect(roles.map(({ path }) => path).sort()).toEqual([...functions, ...schedules].sort());
    expect(ofType('AWS::IAM::Policy')).toEqual([]);
    for (const role of roles) expectNarrow(role);
  }
});

test('the code of a function in a network can do nothing of what Lambda does there with its role', () => {
  const inside = everything
    .ofType('AWS::Lambda::Function')
    .filter(({ properties }) => properties.VpcConfig !== undefined);
  expect(inside.length).toBeGreaterThanOrEqual(3);
  for (const { path, properties } of inside) {
    const statements = permissionsOf(everything.at(path.replace(/Function$/, 'Role')));
    const [allowed, denied] = ['JoinNetwork', 'CodeLeavesNetworkAlone'].map((sid) =>
      statements.find(({ Sid }) => Sid === sid),
    );
    expect(denied?.Action).toEqual(expect.arrayContaining(allowed?.Action as string[]));
    expect(denied).toMatchObject({ Effect: 'Deny', Resource: '*' });
    expect(JSON.stringify(denied?.Condition)).toContain(`:function:${properties.FunctionName}"`);
  }
});

interface Action {
  readonly service: string;
  readonly name: string;
}

/** Actions of the statements with an id, wherever its secrets are. Those without one let Lambda write logs, and others are for Lambda. */
function grantedTo(name: string): Action[] {
  const roles = (FUNCTIONS[name] ?? []).map((path) => everything.at(`${path}/Role`));
  return roles
    .flatMap(permissionsOf)
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

/** But for the suffix of secrets, and for network interfaces, which are those of everybody. */
function expectNarrow(role: Resource): void {
  expect(role.properties).not.toHaveProperty('ManagedPolicyArns');
  const statements = permissionsOf(role);
  expect(statements.length).toBeGreaterThan(1);
  const named = statements.filter(({ Action }: Statement) => !/"ec2:/.test(JSON.stringify(Action)));
  for (const text of named.flatMap(({ Action: actions, Resource: on }) => [actions, on].flat())) {
    expect(text.replace(/:secret:[^?*]+-\?{6}$/, '')).not.toMatch(/[*?]/);
  }
}
