import { expect, test } from 'vitest';
import { findGrant, listAccesses, parseRequest, type Statement } from '#workshop/deployed/permissions.ts';

const ARN = 'arn:aws:dynamodb:us-east-1:000000000000:table/state';
const TOPIC = 'arn:aws:sns:us-east-1:000000000000:t';
const key = (pk: string) => ({ pk: { S: pk }, sk: { S: 'x' } });
const ofTable = (operation: string, ...partitions: string[]) => ({
  ...{ action: `dynamodb:${operation}`, resource: ARN, partitions },
});

test.each([
  [
    'the operation of each item of a transaction',
    'TransactWriteItems',
    {
      TransactItems: [
        { Put: { TableName: 'state', Item: key('a') } },
        { Update: { TableName: 'state', Key: key('b') } },
      ],
    },
    [ofTable('PutItem', 'a'), ofTable('UpdateItem', 'b')],
  ],
  [
    'of a batch all keys that it writes',
    'BatchWriteItem',
    { RequestItems: { state: [{ PutRequest: { Item: key('a') } }, { DeleteRequest: { Key: key('b') } }] } },
    [ofTable('BatchWriteItem', 'a', 'b')],
  ],
  [
    'of a batch all keys that it reads',
    'BatchGetItem',
    { RequestItems: { state: { Keys: [key('a'), key('c')] } } },
    [ofTable('BatchGetItem', 'a', 'c')],
  ],
  [
    'of a query the partition of its condition',
    'Query',
    {
      ...{ TableName: 'state', KeyConditionExpression: 'pk = :p AND sk BETWEEN :a AND :b' },
      ExpressionAttributeValues: { ':p': { S: 'a' }, ':a': { S: '1' }, ':b': { S: '2' } },
    },
    [ofTable('Query', 'a')],
  ],
])('a request needs %s', (_, operation, input, accesses) => {
  expect(listAccesses({ service: 'dynamodb', operation, input })).toEqual(accesses);
});

test.each([
  {
    ...{ service: 'sns', headers: {}, body: `Action=PublishBatch&TopicArn=${encodeURIComponent(TOPIC)}` },
    access: { action: 'sns:Publish', resource: TOPIC },
  },
  {
    ...{ service: 'sqs', headers: { 'x-amz-target': 'AmazonSQS.SendMessageBatch' } },
    body: '{"QueueUrl":"http://127.0.0.1:1/000000000000/q"}',
    access: { action: 'sqs:SendMessage', resource: 'arn:aws:sqs:us-east-1:000000000000:q' },
  },
])('a batch of messages of $service needs what a message does', ({ service, headers, body, access }) => {
  const authorization = `AWS4-HMAC-SHA256 Credential=KEY/20261122/us-east-1/${service}/aws4_request, Signature=1`;
  const request = parseRequest({ authorization, ...headers }, body);
  expect(request?.accessKeyId).toBe('KEY');
  expect(request && listAccesses(request)).toMatchObject([access]);
});

const USE_TABLE: Statement = {
  ...{ Sid: 'UseTable', Effect: 'Allow', Action: ['dynamodb:GetItem', 'dynamodb:PutItem'], Resource: ARN },
  Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['main#state*', 'main#names'] } },
};

test.each<[string, boolean, string, readonly (string | undefined)[]]>([
  ['its action on its partition', true, 'dynamodb:PutItem', ['main#state/1']],
  ['no other action', false, 'dynamodb:DeleteItem', ['main#state']],
  ['not one partition of two', false, 'dynamodb:GetItem', ['main#names', 'main#heads']],
  ['no longer partition', false, 'dynamodb:GetItem', ['main#names#1']],
  ['no partition that it cannot see', false, 'dynamodb:GetItem', [undefined]],
])('a statement allows %s', (_, isAllowed, action, partitions) => {
  const access = { action, resource: ARN, partitions };
  expect(findGrant(access, [USE_TABLE]) === USE_TABLE).toBe(isAllowed);
  expect(findGrant({ ...access, resource: `${ARN}-2` }, [USE_TABLE])).toBeUndefined();
});

test('what nobody knows is no permission: another service, another condition', () => {
  const unknown = { ...USE_TABLE, Condition: { Bool: { 'aws:SecureTransport': 'true' } } };
  const access = { action: 'dynamodb:GetItem', resource: ARN, partitions: ['main#state'] };
  expect(() => findGrant(access, [unknown])).toThrow('Bool');
  expect(() => listAccesses({ service: 'iam', operation: 'PutRolePolicy', input: {} })).toThrow('iam:Put');
});
