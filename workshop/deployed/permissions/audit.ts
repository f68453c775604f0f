import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#infra/project-root.ts';
import type { Aws } from '../aws.ts';
import { CONSOLE_KIND } from './console-role.ts';
import { nameKind } from './function-kind.ts';
import type { Evidence } from './judge.ts';

/** An action that a statement of a function's role grants, and who was seen to use it. */
export interface Use {
  readonly kind: string;
  readonly statement: string;
  readonly action: string;
  /** Null when nobody uses it. */
  readonly by: string | null;
}

/** Compares what functions of these stacks did with what their roles grant. Sorted by function and statement. */
export function auditUses({ grants, verdicts }: Evidence, stackNames: readonly string[]): readonly Use[] {
  const used = new Set(
    verdicts
      .filter(({ caller }) => caller.intrudes !== true)
      .flatMap(({ caller, permission, by }) =>
        (by ?? []).map(({ name }) =>
          [nameKind(caller.functionName, stackNames), name, permission.action].join('\t'),
        ),
      ),
  );
  const granted = new Set(
    grants
      .filter(({ caller }) => caller.intrudes !== true)
      .flatMap(({ caller, statements }) =>
        statements.flatMap(({ name, effect, actions }) =>
          (effect === 'Deny' ? [] : actions).map((action) =>
            [nameKind(caller.functionName, stackNames), name, action].join('\t'),
          ),
        ),
      ),
  );
  return [...granted].sort().map((key) => {
    const [kind = '', statement = '', action = ''] = key.split('\t');
    const use = { kind, statement, action };
    // What documents say comes before what was seen, since the emulator does only some of it.
    return { ...use, by: findRare(use) ?? findByAws(use) ?? (used.has(key) ? describeUser(use) : null) };
  });
}

/** Nobody calls KMS itself. */
function describeUser({ kind, action }: Pick<Use, 'kind' | 'action'>): string {
  const user = kind === CONSOLE_KIND ? 'the console' : 'the function';
  return action.startsWith('kms:') ? `the service, for a request of ${user}` : user;
}

type Granted = Pick<Use, 'kind' | 'statement' | 'action'>;

/** Whether it was seen or not: another run may differ. */
function findRare({ kind, statement, action }: Granted): string | null {
  const rare = RARE.find(
    (each) => each.kind === kind && each.statement === statement && each.actions.includes(action),
  );
  return rare === undefined ? null : `the function, not in every run: ${rare.reason}`;
}

function findByAws({ statement, action }: Granted): string | null {
  const byAws = DONE_BY_AWS.find(
    (each) => each.action === action && (each.statement === undefined || each.statement === statement),
  );
  return byAws === undefined ? null : `[${byAws.by}](${byAws.document})`;
}

/** Throws when something was refused that should not be, or is granted and used by nobody. */
export function checkAudit(uses: readonly Use[], evidence: Evidence): string {
  const refused = evidence.verdicts.filter(({ caller, by }) => caller.intrudes !== true && by === null);
  const faults = [
    ...refused.map(
      ({ caller, permission, because }) =>
        `${caller.functionName} was refused ${permission.action} on ${permission.resource} (${JSON.stringify(permission.context)}): ${because}`,
    ),
    ...uses
      .filter(({ by }) => by === null)
      .map(({ kind, statement, action }) => `${kind} may ${action} by ${statement} and never does`),
  ];
  if (faults.length > 0) throw new Error(`${faults.length} faults\n${[...new Set(faults)].join('\n')}`);
  const seen = uses.filter(({ by }) => by?.endsWith('the function') === true).length;
  return `${uses.length} actions granted, ${seen} of them seen, the others explained`;
}

/** The table of `docs/permissions.md`. */
export function renderUses(uses: readonly Use[]): string {
  const kinds = [...Map.groupBy(uses, ({ kind }) => kind)];
  return kinds
    .map(([kind, rows]) =>
      [
        `## ${kind}`,
        '',
        '| Statement | Action | Used by |',
        '|---|---|---|',
        ...rows.map(
          ({ statement, action, by }) => `| ${describeStatement(statement)} | \`${action}\` | ${by} |`,
        ),
        '',
      ].join('\n'),
    )
    .join('\n');
}

/** A statement of the CDK has no name. */
function describeStatement(name: string): string {
  return name.includes(':') ? 'by the CDK' : `\`${name}\``;
}

interface ByAws {
  readonly action: string;
  /** Only by this statement; default: by any. */
  readonly statement?: string;
  readonly by: string;
  readonly document: string;
}

const LAMBDA_LOGS = {
  by: 'Lambda, for the log',
  document: 'https://docs.aws.amazon.com/lambda/latest/dg/lambda-intro-execution-role.html',
};
const LAMBDA_QUEUE = {
  by: 'Lambda, which reads the queue',
  document: 'https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html',
};
const DYNAMODB_KEY = {
  statement: 'UseKey',
  by: 'DynamoDB, with the key of the table',
  document: 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html',
};

const LAMBDA_NETWORK = {
  statement: 'JoinNetwork',
  by: 'Lambda, which joins the network; the code of the function is denied it',
  document: 'https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html',
};

/** What AWS does with a function's role. Nobody does it here. */
const DONE_BY_AWS: readonly ByAws[] = [
  ...[
    'CreateNetworkInterface',
    'DescribeNetworkInterfaces',
    'DescribeSubnets',
    'DeleteNetworkInterface',
    'AssignPrivateIpAddresses',
    'UnassignPrivateIpAddresses',
  ].map((name): ByAws => ({ ...LAMBDA_NETWORK, action: `ec2:${name}` })),
  { ...LAMBDA_LOGS, action: 'logs:CreateLogStream' },
  { ...LAMBDA_LOGS, action: 'logs:PutLogEvents' },
  { ...LAMBDA_QUEUE, action: 'sqs:ReceiveMessage' },
  { ...LAMBDA_QUEUE, action: 'sqs:DeleteMessage' },
  { ...LAMBDA_QUEUE, action: 'sqs:GetQueueAttributes', statement: 'ReceiveMessages' },
  { ...LAMBDA_QUEUE, action: 'kms:Decrypt', statement: 'UseKeyOfOwnQueue' },
  { ...DYNAMODB_KEY, action: 'kms:Decrypt', statement: 'UseKeyOfTable' },
  {
    action: 'sqs:SendMessage',
    statement: 'sqs:SendMessage',
    by: 'Lambda, for a request that failed',
    document: 'https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html',
  },
  ...[
    'Decrypt',
    'DescribeKey',
    'Encrypt',
    'GenerateDataKey',
    'GenerateDataKeyWithoutPlaintext',
    'ReEncryptFrom',
    'ReEncryptTo',
  ].map((name): ByAws => ({ ...DYNAMODB_KEY, action: `kms:${name}` })),
];

interface Rare {
  readonly kind: string;
  readonly statement: string;
  readonly actions: readonly string[];
  readonly reason: string;
}

const OWN_KEY = {
  statement: 'DecryptSecrets',
  actions: ['kms:Decrypt'],
  reason: 'the secrets of the run have no key of their own',
};
const PROCESSING = 'the rules of the run do not ask whether a pay period is processed';
const GIVEN_UP = 'neither Slack nor Teams refuses a message of the run for good';
const ALONE = 'the polls of the run have no follow-ups, which would come in between';

/** What a function may do, and does not do in every run. */
const RARE: readonly Rare[] = [
  ...['poll-timesheets', 'poll-pay-periods', 'poll-directory', 'deliver-chat', 'deliver-webhook'].map(
    (kind): Rare => ({ ...OWN_KEY, kind }),
  ),
  { ...OWN_KEY, kind: 'deliver-chat', statement: 'DecryptParameters' },
  {
    kind: 'collect-alerts',
    statement: 'ReadTable',
    actions: ['dynamodb:GetItem', 'dynamodb:Query'],
    reason: PROCESSING,
  },
  { kind: 'collect-alerts', statement: 'UseTable', actions: ['dynamodb:UpdateItem'], reason: PROCESSING },
  {
    kind: 'collect-alerts',
    statement: 'UseTable',
    actions: ['dynamodb:GetItem'],
    reason:
      'only an alert that is there already is looked up, and what a timesheet came to that is processed again',
  },
  { kind: 'deliver-chat', statement: 'SendMessages', actions: ['sqs:SendMessage'], reason: GIVEN_UP },
  {
    kind: 'deliver-chat',
    statement: 'UseKeyOfQueues',
    actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
    reason: GIVEN_UP,
  },
  ...['poll-timesheets', 'poll-pay-periods'].map(
    (kind): Rare => ({
      kind,
      statement: 'UseTable',
      actions: ['dynamodb:GetItem'],
      reason:
        'only a poll beside which another one saved the state of its feed reads it again, and watermarks are read',
    }),
  ),
  { kind: 'poll-timesheets', statement: 'ReadStates', actions: ['dynamodb:GetItem'], reason: ALONE },
  { kind: 'poll-timesheets', statement: 'SendMessages', actions: ['sqs:SendMessage'], reason: ALONE },
  {
    kind: 'poll-timesheets',
    statement: 'UseKeyOfQueues',
    actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
    reason: ALONE,
  },
  {
    kind: 'check-deliveries',
    statement: 'ReadDeliveries',
    actions: ['dynamodb:BatchGetItem'],
    reason: 'only events that were published half an hour to an hour ago are looked up',
  },
  {
    kind: 'deliver-webhook',
    statement: 'Note',
    actions: ['dynamodb:DeleteItem'],
    reason: 'the address of a webhook that was disabled does not change in the run',
  },
];

const FILE = join('docs', 'permissions.md');
const BEGIN = '<!-- permissions: begin -->';
const END = '<!-- permissions: end -->';

interface PermissionsToReport {
  readonly stackNames: readonly string[];
  /** Every scenario was run: nothing else may be granted. */
  readonly isWhole: boolean;
}

/**
 * Compares what the functions of these stacks did since the run began with what their roles grant, and writes the table
 * of `docs/permissions.md`. Throws on a difference, and when the document was another. A run that left scenarios out
 * has some of its lines.
 */
export function reportPermissions({ gate }: Aws, { stackNames, isWhole }: PermissionsToReport): string {
  const uses = auditUses(gate.evidence, stackNames);
  const path = join(PROJECT_ROOT, FILE);
  const before = readFileSync(path, 'utf8');
  const [head = '', tail = ''] = [before.split(BEGIN)[0], before.split(END)[1]];
  const after = `${head}${BEGIN}\n\n${renderUses(uses)}\n${END}${tail}`;
  const isSame = isWhole ? after === before : hasLines(before, after.split('\n'));
  if (!isSame) writeFileSync(path, after);
  const said = checkAudit(uses, gate.evidence);
  if (!isSame) throw new Error(`${FILE} was another; it is written anew, to be looked at and committed`);
  return said;
}

/** Whether a text has these lines in their order, among others. */
function hasLines(text: string, wanted: readonly string[]): boolean {
  const lines = text.split('\n');
  let next = 0;
  return wanted.every((line) => {
    next = lines.indexOf(line, next) + 1;
    return next > 0;
  });
}
