import { expect, test } from 'vitest';
import { decide, type Permission, parsePolicy } from '#workshop/deployed/permissions/policy.ts';

const ROLE = 'arn:aws:iam::123456789012:role/poller';
const TABLE = 'arn:aws:dynamodb:us-east-1:123456789012:table/state';
const TOPIC = 'arn:aws:sns:us-east-1:123456789012:stack-timesheets';
const KEY = 'arn:aws:kms:us-east-1:123456789012:key/1';

const USE_TABLE = {
  Sid: 'UseTable',
  Effect: 'Allow',
  Action: ['dynamodb:GetItem', 'dynamodb:PutItem'],
  Resource: TABLE,
  Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['main#timesheets*', 'main#names'] } },
};
const PUBLISH = { Sid: 'Publish', Effect: 'Allow', Action: 'sns:Publish', Resource: [TOPIC] };
const ONLY_OURS = {
  Sid: 'OnlyOurs',
  Effect: 'Deny',
  Principal: { AWS: '*' },
  Action: 'sns:Publish',
  Resource: TOPIC,
  Condition: { ArnNotEquals: { 'aws:PrincipalArn': [ROLE, `${ROLE}-2`] } },
};

function touch(action: string, ...partitionKeys: string[]): Permission {
  return { action, resource: TABLE, context: { 'dynamodb:leadingkeys': partitionKeys } };
}

function allows(
  ofRole: unknown[],
  permission: Permission,
  { ofResource = [], roleArn = ROLE }: { ofResource?: unknown[]; roleArn?: string } = {},
): boolean {
  const parse = (statements: unknown[]) => parsePolicy(JSON.stringify({ Statement: statements }));
  return decide(permission, { roleArn, ofRole: parse(ofRole), ofResource: parse(ofResource) }).allowed;
}

test('what no statement allows is refused', () => {
  expect(allows([USE_TABLE], touch('dynamodb:PutItem', 'main#timesheets'))).toBe(true);
  expect(allows([USE_TABLE], touch('dynamodb:DeleteItem', 'main#timesheets'))).toBe(false);
  expect(allows([], touch('dynamodb:PutItem', 'main#timesheets'))).toBe(false);
  const elsewhere = { ...touch('dynamodb:PutItem', 'main#timesheets'), resource: `${TABLE}-2` };
  expect(allows([USE_TABLE], elsewhere)).toBe(false);
});

test('every key of a request must match one of the patterns', () => {
  expect(allows([USE_TABLE], touch('dynamodb:GetItem', 'main#names', 'main#timesheets#2026-03-05'))).toBe(
    true,
  );
  expect(allows([USE_TABLE], touch('dynamodb:GetItem', 'main#names', 'main#pay-periods'))).toBe(false);
  expect(allows([USE_TABLE], touch('dynamodb:GetItem', 'main#names#1'))).toBe(false);
});

test('a denial in the policy of the resource wins', () => {
  const publish = { action: 'sns:Publish', resource: TOPIC, context: {} };
  expect(allows([PUBLISH], publish, { ofResource: [ONLY_OURS] })).toBe(true);
  expect(allows([PUBLISH], publish, { ofResource: [ONLY_OURS], roleArn: `${ROLE}-2` })).toBe(true);
  expect(allows([PUBLISH], publish, { ofResource: [ONLY_OURS], roleArn: `${ROLE}-3` })).toBe(false);
});

test('a key is reached through the service that the condition names', () => {
  const useKey = {
    Effect: 'Allow',
    Action: 'kms:Decrypt',
    Resource: KEY,
    Condition: { StringEquals: { 'kms:ViaService': ['sqs.us-east-1.amazonaws.com'] } },
  };
  const decrypt = (service: string) => ({
    action: 'kms:Decrypt',
    resource: KEY,
    context: { 'kms:viaservice': [`${service}.us-east-1.amazonaws.com`] },
  });
  expect(allows([useKey], decrypt('sqs'))).toBe(true);
  expect(allows([useKey], decrypt('sns'))).toBe(false);
  expect(allows([useKey], { ...decrypt('sqs'), context: {} })).toBe(false);
});

test('a wildcard of a resource stays in its part of the ARN', () => {
  const secret = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:main';
  const read = {
    Effect: 'Allow',
    Action: 'secretsmanager:Get*',
    Resource: `${secret}-??????`,
  };
  const get = (resource: string) => ({ action: 'secretsmanager:GetSecretValue', resource, context: {} });
  expect(allows([read], get(`${secret}-AbCdEf`))).toBe(true);
  expect(allows([read], get(`${secret}-2-AbCdEf`))).toBe(false);
  expect(
    allows([{ ...read, Resource: 'arn:aws:*:us-east-1:123456789012:secret:main-AbCdEf' }], get(secret)),
  ).toBe(false);
});

test('what it does not know is no guess', () => {
  const parse = (statement: unknown) => () => parsePolicy(JSON.stringify({ Statement: statement }));
  expect(parse({ Effect: 'Allow', NotAction: 's3:*', Resource: '*' })).toThrow('NotAction');
  const unknown = { ...PUBLISH, Condition: { NumericLessThan: { 'aws:MultiFactorAuthAge': '1' } } };
  expect(() => allows([unknown], { action: 'sns:Publish', resource: TOPIC, context: {} })).toThrow(
    'NumericLessThan',
  );
});
