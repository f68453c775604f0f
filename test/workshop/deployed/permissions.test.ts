import { describe, expect, test } from 'vitest';
import { findGrant, listAccesses, parseRequest, type Statement } from '#workshop/deployed/permissions.ts';

const ARN = 'arn:aws:dynamodb:us-east-1:000000000000:table/state';
const key = (pk: string) => ({ pk: { S: pk }, sk: { S: 'x' } });
const ofTable = (operation: string, input: object) =>
  listAccesses({ service: 'dynamodb', operation, input: input as Readonly<Record<string, unknown>> });

describe('a request needs', () => {
  test('in a transaction the operation of each of its items', () => {
    const TransactItems = [
      { Put: { TableName: 'state', Item: key('a') } },
      { Update: { TableName: 'state', Key: key('b') } },
      { ConditionCheck: { TableName: 'state', Key: key('c') } },
    ];
    expect(ofTable('TransactWriteItems', { TransactItems })).toEqual([
      { action: 'dynamodb:PutItem', resource: ARN, partitions: ['a'] },
      { action: 'dynamodb:UpdateItem', resource: ARN, partitions: ['b'] },
      { action: 'dynamodb:ConditionCheckItem', resource: ARN, partitions: ['c'] },
    ]);
  });

  test('in a batch itself, with all of its keys', () => {
    const writes = [{ PutRequest: { Item: key('a') } }, { DeleteRequest: { Key: key('b') } }];
    expect(ofTable('BatchWriteItem', { RequestItems: { state: writes } })).toEqual([
      { action: 'dynamodb:BatchWriteItem', resource: ARN, partitions: ['a', 'b'] },
    ]);
    const reads = { Keys: [key('a'), key('c')] };
    expect(ofTable('BatchGetItem', { RequestItems: { state: reads } })).toEqual([
      { action: 'dynamodb:BatchGetItem', resource: ARN, partitions: ['a', 'c'] },
    ]);
  });

  test('in a query the partition of its key condition, and about the table none', () => {
    const query = {
      TableName: 'state',
      KeyConditionExpression: 'pk = :p AND sk BETWEEN :a AND :b',
      ExpressionAttributeValues: { ':p': { S: 'a' }, ':a': { S: '1' }, ':b': { S: '2' } },
    };
    expect(ofTable('Query', query)).toEqual([{ action: 'dynamodb:Query', resource: ARN, partitions: ['a'] }]);
    expect(ofTable('DescribeTable', { TableName: 'state' })).toEqual([
      { action: 'dynamodb:DescribeTable', resource: ARN, partitions: null },
    ]);
  });

  test('for a batch of messages what a message needs, of both protocols', () => {
    const TopicArn = 'arn:aws:sns:us-east-1:000000000000:t';
    const body = new URLSearchParams({ Action: 'PublishBatch', TopicArn }).toString();
    expect(send('sns', { body })).toMatchObject([{ action: 'sns:Publish', resource: TopicArn }]);
    const QueueUrl = 'http://127.0.0.1:1/000000000000/q';
    const target = 'AmazonSQS.SendMessageBatch';
    expect(send('sqs', { target, body: JSON.stringify({ QueueUrl }) })).toMatchObject([
      { action: 'sqs:SendMessage', resource: 'arn:aws:sqs:us-east-1:000000000000:q' },
    ]);
  });

  test('of a service that no function uses, what nobody knows', () => {
    expect(() => send('iam', { body: 'Action=PutRolePolicy' })).toThrow('iam:PutRolePolicy');
  });
});

describe('a statement allows', () => {
  const USE_TABLE: Statement = {
    Sid: 'UseTable',
    Effect: 'Allow',
    Action: ['dynamodb:GetItem', 'dynamodb:PutItem'],
    Resource: ARN,
    Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['main#state*', 'main#names'] } },
  };
  const allows = (statement: Statement, action: string, ...partitions: (string | undefined)[]) =>
    findGrant({ action, resource: ARN, partitions }, [statement]) === statement;

  test('its actions on its resource', () => {
    expect(allows(USE_TABLE, 'dynamodb:PutItem', 'main#state')).toBe(true);
    expect(allows(USE_TABLE, 'dynamodb:DeleteItem', 'main#state')).toBe(false);
    expect(allows({ ...USE_TABLE, Resource: `${ARN}-2` }, 'dynamodb:PutItem', 'main#state')).toBe(false);
    expect(allows({ ...USE_TABLE, Effect: 'Deny' }, 'dynamodb:PutItem', 'main#state')).toBe(false);
  });

  test('keys that all match one of its patterns', () => {
    expect(allows(USE_TABLE, 'dynamodb:GetItem', 'main#names', 'main#state#2')).toBe(true);
    expect(allows(USE_TABLE, 'dynamodb:GetItem', 'main#names', 'main#heads')).toBe(false);
    expect(allows(USE_TABLE, 'dynamodb:GetItem', 'main#names#1')).toBe(false);
    expect(allows(USE_TABLE, 'dynamodb:GetItem', undefined)).toBe(false);
  });

  test('a secret by its name, whose last characters no request has', () => {
    const arn = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:main';
    const read = { Effect: 'Allow', Action: 'secretsmanager:GetSecretValue', Resource: `${arn}-??????` };
    const find = (SecretId: string) =>
      listAccesses({ service: 'secretsmanager', operation: 'GetSecretValue', input: { SecretId } }).map(
        (access) => findGrant(access, [read]),
      );
    expect(find('main')).toEqual([read]);
    expect(find('main-2')).toEqual([undefined]);
  });

  test('nothing by a condition that it does not know', () => {
    const unknown = { ...USE_TABLE, Condition: { Bool: { 'aws:SecureTransport': 'true' } } };
    expect(() => allows(unknown, 'dynamodb:GetItem', 'main#state')).toThrow('Bool');
  });
});

function send(service: string, { target, body }: { readonly target?: string; readonly body: string }) {
  const authorization = `AWS4-HMAC-SHA256 Credential=KEY/20261122/us-east-1/${service}/aws4_request, Signature=1`;
  const headers = { authorization, ...(target === undefined ? {} : { 'x-amz-target': target }) };
  const request = parseRequest(headers, body);
  if (request === null) throw new Error('not parsed');
  expect(request.accessKeyId).toBe('KEY');
  return listAccesses(request);
}
