import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { TOPIC_NAMES } from '#shared/config/names.ts';
import { buildArn } from '../account.ts';
import type { Aws } from '../aws.ts';
import { findQueueUrl, listQueues } from '../queues.ts';
import { readCreated } from '../references.ts';
import type { Stack } from '../stage.ts';
import { secretOf } from '../world/everything.ts';
import { assumeRole, TRUST_IN_OPERATOR } from './assume-role.ts';
import { listAttempts, listForgeries, type OutOfReach } from './attempts.ts';
import { nameKind } from './function-kind.ts';

/** By kind of function: names of what it must not reach. */
interface Targets {
  readonly partition: string;
  readonly foreignPartition: string;
  readonly secret: string;
  readonly topic: string;
  readonly queue: string;
  readonly functionName: string;
}

const TARGETS: Targets = {
  partition: 'main#timesheets',
  foreignPartition: 'main#timesheets',
  secret: secretOf('main'),
  topic: 'timesheets',
  queue: 'collect-alerts',
  functionName: 'replay-events',
};

/** What is not out of reach of every function, replaced by its neighbour. */
const TARGETS_BY_KIND: Readonly<Record<string, Partial<Targets>>> = {
  'poll-timesheets': {
    partition: 'alerts#payroll',
    foreignPartition: 'main#pay-periods',
    topic: 'pay-periods',
    secret: secretOf('slack'),
  },
  'poll-pay-periods': { partition: 'alerts#payroll', secret: secretOf('slack') },
  'poll-directory': { secret: secretOf('slack') },
  'collect-alerts': {
    partition: 'webhook#archive',
    foreignPartition: 'main#directory',
    queue: 'webhook-archive',
  },
  'deliver-chat': { partition: 'alerts#payroll', foreignPartition: 'alerts#nobody#threads' },
  'deliver-webhook': { partition: 'webhook#nobody', foreignPartition: 'webhook#nobody' },
  'replay-events': {
    partition: 'alerts#payroll',
    foreignPartition: 'main#timesheets#events#2026-11-17',
    topic: 'alerts',
    functionName: 'poll-timesheets',
  },
};

/** Every role of a stack tries what it must not do. Throws when one of them is let through. */
export async function tryIntrusions(aws: Aws, stack: Stack): Promise<string> {
  const created = [...(await readCreated(aws.api, stack.name)).values()];
  const roles = created
    .filter(({ type }) => type === 'AWS::IAM::Role')
    .map(({ physicalId }) => toRoleArn(physicalId));
  const functions = new Map(
    aws.gate.evidence.grants.map(({ caller }) => [caller.roleArn, caller.functionName]),
  );
  const { Table } = await aws.dynamoDb.send(new DescribeTableCommand({ TableName: await stack.tableName() }));
  const keyArn = Table?.SSEDescription?.KMSMasterKeyArn ?? '';
  let refused = 0;
  for (const roleArn of roles) {
    const functionName = functions.get(roleArn) ?? 'schedule';
    const targets = { ...TARGETS, ...TARGETS_BY_KIND[nameKind(functionName, [stack.name])] };
    const target: OutOfReach = {
      ...targets,
      tableName: await stack.tableName(),
      topicArn: buildArn('sns', `${stack.name}-${targets.topic}`),
      queueUrl: await findQueueUrl(aws, `${stack.name}-${targets.queue}`),
      functionName: `${stack.name}-${targets.functionName}`,
      roleArn: roles.find((each) => each !== roleArn) ?? '',
      keyArn,
    };
    const credentials = await assumeRole(aws.api, roleArn);
    await aws.gate.admit(credentials.AWS_ACCESS_KEY_ID, { functionName, roleArn, intrudes: true });
    const attempts = listAttempts({ endpoint: aws.endpoint, credentials, roleArn, target });
    for (const [name, attempt] of attempts) {
      await expectRefusal(attempt, `${functionName} (${roleArn}) was let through: ${name}`);
      refused += 1;
    }
  }
  return `${roles.length} roles, ${refused} attempts, all refused`;
}

const COLLEAGUE = 'sends-anywhere';

/** A role of somebody else in the account, who may send to all queues and publish to all topics. */
export async function tryForgeries(aws: Aws, stack: Stack): Promise<string> {
  const iam = (Action: string, more: Readonly<Record<string, string>>) =>
    aws.api.query('iam', { Action, Version: '2010-05-08', RoleName: COLLEAGUE, ...more });
  await iam('CreateRole', { AssumeRolePolicyDocument: JSON.stringify(TRUST_IN_OPERATOR) });
  const anywhere = { Effect: 'Allow', Action: ['sns:Publish', 'sqs:SendMessage'], Resource: '*' };
  const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: [anywhere] });
  await iam('PutRolePolicy', { PolicyName: 'Anywhere', PolicyDocument });
  const roleArn = buildArn('iam', `role/${COLLEAGUE}`);
  const credentials = await assumeRole(aws.api, roleArn);
  await aws.gate.admit(credentials.AWS_ACCESS_KEY_ID, { functionName: COLLEAGUE, roleArn, intrudes: true });
  const places = {
    topicArns: TOPIC_NAMES.map((name) => buildArn('sns', `${stack.name}-${name}`)),
    queueUrls: await listQueues(aws, `${stack.name}-`),
  };
  const forgeries = listForgeries(places, { endpoint: aws.endpoint, credentials });
  for (const [name, forge] of forgeries) await expectRefusal(forge, `${COLLEAGUE} was let through: ${name}`);
  return `${places.topicArns.length} topics and ${places.queueUrls.length} queues, all closed`;
}

function toRoleArn(physicalId: string): string {
  return physicalId.startsWith('arn:') ? physicalId : buildArn('iam', `role/${physicalId}`);
}

const REFUSAL = /AccessDenied|AuthorizationError|not authorized/i;

async function expectRefusal(attempt: () => Promise<unknown>, otherwise: string): Promise<void> {
  const answer = await attempt().then(
    () => 'it worked',
    (error: unknown) => String(error),
  );
  if (!REFUSAL.test(answer)) throw new Error(`${otherwise}: ${answer.slice(0, 300)}`);
}
