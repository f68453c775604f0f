import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#infra/project-root.ts';
import type { Aws } from '../aws.ts';
import { nameKind } from './function-kind.ts';
import type { Evidence } from './judge.ts';

/** `rare`: not in every run. `aws`: what a service does with the role, which is not seen here. */
type Used = 'seen' | 'rare' | 'aws';

/** An action that a statement of a function's role grants. */
export interface Use {
  readonly kind: string;
  readonly statement: string;
  readonly action: string;
  /** Null when nobody uses it. */
  readonly used: Used | null;
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
    return { ...use, used: explainUse(use) ?? (used.has(key) ? 'seen' : null) };
  });
}

type Granted = Pick<Use, 'kind' | 'statement' | 'action'>;

function explainUse(use: Granted): Used | null {
  if (RARE.some(({ kind, ...grant }) => kind === use.kind && isOf(use, grant))) return 'rare';
  return DONE_BY_AWS.some((grant) => isOf(use, grant)) ? 'aws' : null;
}

function isOf(use: Granted, { statement, actions }: Grant): boolean {
  return (statement === undefined || statement === use.statement) && actions.includes(use.action);
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
      .filter(({ used }) => used === null)
      .map(({ kind, statement, action }) => `${kind} may ${action} by ${statement} and never does`),
  ];
  if (faults.length > 0) throw new Error(`${faults.length} faults\n${[...new Set(faults)].join('\n')}`);
  const seen = uses.filter(({ used }) => used === 'seen').length;
  return `${uses.length} actions granted, ${seen} of them seen, the others explained`;
}

/** The table of `docs/security.md`: a row a function, a line a statement. */
export function renderUses(uses: readonly Use[]): string {
  const rows = [...Map.groupBy(uses, ({ kind }) => kind)].map(([kind, granted]) => {
    const own = granted.filter(({ used }) => used !== 'aws');
    const byAws = granted.filter(({ used }) => used === 'aws');
    return `| \`${kind}\` | ${renderStatements(own)} | ${renderStatements(byAws)} |`;
  });
  return ['| Role | Used by itself | Used by AWS |', '|---|---|---|', ...rows, ''].join('\n');
}

function renderStatements(uses: readonly Use[]): string {
  return [...Map.groupBy(uses, ({ statement }) => describeStatement(statement))]
    .map(([statement, granted]) => `${statement}: ${granted.map(({ action }) => action).join(' ')}`)
    .join('<br>');
}

/** A statement of the CDK has no name. */
function describeStatement(name: string): string {
  return name.includes(':') ? 'by the CDK' : `\`${name}\``;
}

/** Actions that a statement grants. */
interface Grant {
  /** Default: any. */
  readonly statement?: string;
  readonly actions: readonly string[];
}

/** What AWS does with a function's role. `docs/security.md` links what says so. */
const DONE_BY_AWS: readonly Grant[] = [
  {
    statement: 'JoinNetwork',
    actions: [
      'ec2:CreateNetworkInterface',
      'ec2:DescribeNetworkInterfaces',
      'ec2:DescribeSubnets',
      'ec2:DeleteNetworkInterface',
      'ec2:AssignPrivateIpAddresses',
      'ec2:UnassignPrivateIpAddresses',
    ],
  },
  { actions: ['logs:CreateLogStream', 'logs:PutLogEvents', 'sqs:ReceiveMessage', 'sqs:DeleteMessage'] },
  { statement: 'ReceiveMessages', actions: ['sqs:GetQueueAttributes'] },
  { statement: 'UseKeyOfOwnQueue', actions: ['kms:Decrypt'] },
  { statement: 'UseKeyOfTable', actions: ['kms:Decrypt'] },
  // For a request that failed.
  { statement: 'sqs:SendMessage', actions: ['sqs:SendMessage'] },
  {
    statement: 'UseKey',
    actions: [
      'kms:Decrypt',
      'kms:DescribeKey',
      'kms:Encrypt',
      'kms:GenerateDataKey',
      'kms:GenerateDataKeyWithoutPlaintext',
      'kms:ReEncryptFrom',
      'kms:ReEncryptTo',
    ],
  },
];

interface GrantOfKind extends Grant {
  readonly kind: string;
}

const USE_KEY = ['kms:Decrypt', 'kms:GenerateDataKey'];

/** What a function may do, and does not do in every run. */
const RARE: readonly GrantOfKind[] = [
  // The secrets of the run have no key of their own.
  ...['poll', 'deliver-chat', 'deliver-webhook'].map((kind) => ({
    kind,
    statement: 'DecryptSecrets',
    actions: ['kms:Decrypt'],
  })),
  { kind: 'deliver-chat', statement: 'DecryptParameters', actions: ['kms:Decrypt'] },
  // Neither Slack nor Teams refuses a message of the run for good.
  { kind: 'deliver-chat', statement: 'SendMessages', actions: ['sqs:SendMessage'] },
  { kind: 'deliver-chat', statement: 'UseKeyOfQueues', actions: USE_KEY },
  // The connections of the run have no heartbeat, whose poll reads its state once more.
  { kind: 'poll', statement: 'UseTable', actions: ['dynamodb:GetItem'] },
  // Only buckets that became empty are deleted, and dates that left the window months ago.
  { kind: 'poll', statement: 'UseTable', actions: ['dynamodb:DeleteItem'] },
  // No poll of the run is followed by another one, which would come in between.
  { kind: 'poll', statement: 'SendMessages', actions: ['sqs:SendMessage'] },
  { kind: 'poll', statement: 'UseKeyOfQueues', actions: USE_KEY },
  // Only events that were published half an hour to an hour ago are looked up.
  { kind: 'check-deliveries', statement: 'ReadDeliveries', actions: ['dynamodb:BatchGetItem'] },
  // The address of a webhook that was disabled does not change in the run.
  { kind: 'deliver-webhook', statement: 'Note', actions: ['dynamodb:DeleteItem'] },
];

const FILE = join('docs', 'security.md');
const BEGIN = '<!-- permissions: begin -->';
const END = '<!-- permissions: end -->';

interface PermissionsToReport {
  readonly stackNames: readonly string[];
  /** Every scenario was run: nothing else may be granted. */
  readonly isWhole: boolean;
}

/**
 * Compares what the functions of these stacks did since the run began with what their roles grant, and writes the table
 * of `docs/security.md`. Throws on a difference, and when the document was another. A run that left scenarios out
 * leaves the document alone.
 */
export function reportPermissions({ gate }: Aws, { stackNames, isWhole }: PermissionsToReport): string {
  const uses = auditUses(gate.evidence, stackNames);
  const path = join(PROJECT_ROOT, FILE);
  const before = readFileSync(path, 'utf8');
  const [head = '', tail = ''] = [before.split(BEGIN)[0], before.split(END)[1]];
  const after = `${head}${BEGIN}\n\n${renderUses(uses)}\n${END}${tail}`;
  const isSame = !isWhole || after === before;
  if (!isSame) writeFileSync(path, after);
  const said = checkAudit(uses, gate.evidence);
  if (!isSame) throw new Error(`${FILE} was another; it is written anew, to be looked at and committed`);
  return said;
}
