import { expect, test } from 'vitest';
import { correctMotoAnswer } from '#workshop/deployed/moto.ts';

const answer = (status: number, body: string) => ({
  status,
  headers: { 'content-type': 'text', 'content-length': String(body.length) },
  body: Buffer.from(body),
});
const describeTable = (TableArn: string, CreationDateTime: number) => {
  const body = JSON.stringify({ Table: { TableArn, CreationDateTime, ItemCount: 0 } });
  const corrected = correctMotoAnswer('{"TableName":"t"}', answer(200, body));
  expect(corrected.headers['content-length']).toBeUndefined();
  return (JSON.parse(corrected.body.toString()) as { Table: { TableId: string; ItemCount: number } }).Table;
};

test('a table has an id, which another one does not have, nor the same made again', () => {
  const first = describeTable('arn:1', 100.5);
  expect(first.TableId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  expect(describeTable('arn:1', 100.5)).toEqual(first);
  expect(describeTable('arn:2', 100.5).TableId).not.toBe(first.TableId);
  expect(describeTable('arn:1', 101).TableId).not.toBe(first.TableId);
});

test('a change set that is not there is not found, and can be deleted', () => {
  const described = correctMotoAnswer(
    'Action=DescribeChangeSet',
    answer(400, '<Code>ValidationError</Code>'),
  );
  expect([described.status, described.body.toString()]).toEqual([404, '<Code>ChangeSetNotFound</Code>']);
  expect(correctMotoAnswer('Action=DeleteChangeSet', answer(500, '')).status).toBe(200);
});

test('everything else is as it was', () => {
  const others = [
    answer(200, '{"Item": {}}'),
    answer(400, '{"Table": {}}'),
    answer(400, '<Code>ValidationError</Code>'),
  ];
  for (const other of others) expect(correctMotoAnswer('Action=CreateChangeSet', other)).toBe(other);
});
