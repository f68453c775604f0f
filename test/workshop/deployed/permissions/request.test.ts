import { expect, test } from 'vitest';
import { listNeeds, parseRequest } from '#workshop/deployed/permissions/request.ts';

const TABLE = 'arn:aws:dynamodb:us-east-1:123456789012:table/state';

interface Sent {
  readonly target?: string;
  readonly body?: string;
  readonly path?: string;
}

function send(service: string, { target, body = '{}', path = '/' }: Sent) {
  const authorization = `AWS4-HMAC-SHA256 Credential=KEY/20261122/us-east-1/${service}/aws4_request, SignedHeaders=host, Signature=1`;
  const headers = { authorization, ...(target === undefined ? {} : { 'x-amz-target': target }) };
  const method = path.endsWith('configuration') ? 'PUT' : 'POST';
  const request = parseRequest({ method, path, headers, body });
  if (request === null) throw new Error('not parsed');
  expect(request.accessKeyId).toBe('KEY');
  return listNeeds(request);
}

const key = (pk: string) => ({ pk: { S: pk }, sk: { S: 'x' } });

test('a transaction needs the operation of each of its items', () => {
  const TransactItems = [
    { Put: { TableName: 'state', Item: key('a') } },
    { Update: { TableName: 'state', Key: key('b') } },
    { ConditionCheck: { TableName: 'state', Key: key('c') } },
  ];
  expect(
    send('dynamodb', {
      target: 'DynamoDB_20120810.TransactWriteItems',
      body: JSON.stringify({ TransactItems }),
    }),
  ).toEqual([
    { action: 'dynamodb:PutItem', resource: TABLE, partitionKeys: ['a'] },
    { action: 'dynamodb:UpdateItem', resource: TABLE, partitionKeys: ['b'] },
    { action: 'dynamodb:ConditionCheckItem', resource: TABLE, partitionKeys: ['c'] },
  ]);
});

test('a batch needs itself, with all of its keys', () => {
  const write = {
    RequestItems: { state: [{ PutRequest: { Item: key('a') } }, { DeleteRequest: { Key: key('b') } }] },
  };
  expect(
    send('dynamodb', { target: 'DynamoDB_20120810.BatchWriteItem', body: JSON.stringify(write) }),
  ).toEqual([{ action: 'dynamodb:BatchWriteItem', resource: TABLE, partitionKeys: ['a', 'b'] }]);
  const read = { RequestItems: { state: { Keys: [key('a'), key('c')] } } };
  expect(send('dynamodb', { target: 'DynamoDB_20120810.BatchGetItem', body: JSON.stringify(read) })).toEqual([
    { action: 'dynamodb:BatchGetItem', resource: TABLE, partitionKeys: ['a', 'c'] },
  ]);
});

test('a query touches the partition of its key condition', () => {
  const query = {
    TableName: 'state',
    KeyConditionExpression: '#p = :p AND #s BETWEEN :a AND :b',
    ExpressionAttributeNames: { '#p': 'pk', '#s': 'sk' },
    ExpressionAttributeValues: { ':p': { S: 'a' }, ':a': { S: '1' }, ':b': { S: '2' } },
  };
  expect(send('dynamodb', { target: 'DynamoDB_20120810.Query', body: JSON.stringify(query) })).toEqual([
    { action: 'dynamodb:Query', resource: TABLE, partitionKeys: ['a'] },
  ]);
});

test('a batch of messages needs what a message needs', () => {
  const topic = 'arn:aws:sns:us-east-1:123456789012:t';
  const batch = new URLSearchParams({ Action: 'PublishBatch', TopicArn: topic }).toString();
  expect(send('sns', { body: batch })).toEqual([{ action: 'sns:Publish', resource: topic }]);
  const body = JSON.stringify({ QueueUrl: 'http://127.0.0.1:1/210987654321/q' });
  expect(send('sqs', { target: 'AmazonSQS.SendMessageBatch', body })).toEqual([
    { action: 'sqs:SendMessage', resource: 'arn:aws:sqs:us-east-1:210987654321:q' },
  ]);
});

test('a change of a function is known by its path', () => {
  expect(send('lambda', { path: '/2015-03-31/functions/f/configuration' })).toEqual([
    {
      action: 'lambda:UpdateFunctionConfiguration',
      resource: 'arn:aws:lambda:us-east-1:123456789012:function:f',
    },
  ]);
});
