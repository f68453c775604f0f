import { readFileSync } from 'node:fs';
import * as dynamodb from '@aws-sdk/client-dynamodb';
import * as lambda from '@aws-sdk/client-lambda';
import * as secretsmanager from '@aws-sdk/client-secrets-manager';
import * as sqs from '@aws-sdk/client-sqs';
import * as ssm from '@aws-sdk/client-ssm';
import { expect, test } from 'vitest';
import { TABLE } from '#shared/config/table.ts';
import { synthesize } from '../infra/synthesized.ts';
import { DOCUMENTS } from './documents.ts';

/** Services of the AWS CLI whose SDK is installed here. The commands of a service have the same names. */
const SERVICES: Readonly<Record<string, object>> = { dynamodb, lambda, secretsmanager, sqs, ssm };
const TEXT = DOCUMENTS.map((document) => readFileSync(document, 'utf8')).join('\n');
const AWS_COMMANDS = [...TEXT.matchAll(/\baws (?<service>[a-z]+) (?<command>[a-z]+(?:-[a-z]+)+)/g)].map(
  ({ groups }) => [groups?.service ?? '', groups?.command ?? ''] as const,
);

test('commands of the AWS CLI in documents exist', () => {
  const known = AWS_COMMANDS.filter(([service]) => service in SERVICES);
  const unknown = known.filter(([service, command]) => !(toClass(command) in (SERVICES[service] ?? {})));
  expect(unknown).toEqual([]);
  expect(known.length).toBeGreaterThan(12);
});

test('a restored table gets the settings of the one that the stack makes', () => {
  expect(TEXT).toContain(`--time-to-live-specification Enabled=true,AttributeName=${TABLE.timeToLive}`);
  const [table] = synthesize().ofType('AWS::DynamoDB::Table');
  expect(table?.properties).toMatchObject({
    TimeToLiveSpecification: { AttributeName: TABLE.timeToLive, Enabled: true },
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    DeletionProtectionEnabled: true,
  });
});

test('the parameters of the stack that documents name exist', () => {
  const named = new Set(
    [...TEXT.matchAll(/\/workforce-notifier\/(?:table|topics)\/[\w/-]+/g)].map(([path]) => path),
  );
  const made = synthesize({ stackName: 'workforce-notifier' })
    .ofType('AWS::SSM::Parameter')
    .map(({ properties }) => properties.Name);
  expect([...named].filter((name) => !made.includes(name))).toEqual([]);
  expect(named.size).toBeGreaterThanOrEqual(2);
});

/** `update-time-to-live` as `UpdateTimeToLiveCommand`. Waiters are functions. */
function toClass(command: string): string {
  const words = command.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Command`;
}
