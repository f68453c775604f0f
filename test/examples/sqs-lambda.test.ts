import { CreateTableCommand, GetItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseEvent } from 'workforce-change-notifier';
import { comparePositions } from '#shared/core/events/event-order.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { exampleEvent, exampleEvents } from '#test/support/example-event.ts';
import { createHandler } from '../../examples/sqs-lambda/keep-timesheets.ts';
import { createTimesheetTable, type TimesheetTable } from '../../examples/sqs-lambda/timesheet-table.ts';

const KEY = '/connections/main/timesheets/101550_1';
/** A timesheet's events, in order. */
const LIFE = exampleEvents()
  .filter(({ type }) => type.startsWith('workforce.timesheet.') && !type.includes('_missing'))
  .sort(comparePositions)
  .map((event) => JSON.stringify(event));

let dynamo: EmbeddedDynamo;
let table: TimesheetTable;
let tables = 0;

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
});
afterAll(() => dynamo.stop());
beforeEach(async () => {
  tables += 1;
  table = createTimesheetTable(dynamo.client, await createTable(`timesheets-${tables}`));
});

describe('the example of a Lambda that reads a queue', () => {
  it('keeps the state of a record', async () => {
    expect(await createHandler(table)(batch(LIFE.slice(0, 6)))).toEqual({ batchItemFailures: [] });
    const { revision, state } = await table.load(KEY);
    expect([revision, state?.sequence, state?.current?.approvedHours]).toEqual([
      6,
      6,
      '2026-11-12T05:15:08.000Z',
    ]);
  });

  it('keeps the same state when events are repeated and out of order', async () => {
    const texts = [...LIFE.toReversed(), ...LIFE];
    expect(await createHandler(table)(batch(texts))).toEqual({ batchItemFailures: [] });
    expect((await table.load(KEY)).state).toMatchObject({ sequence: 15, removed: true, missing: [] });
  });

  it('fails only the message that is not an event', async () => {
    const answer = await createHandler(table)(batch([LIFE[0] ?? '', 'no event', LIFE[1] ?? '']));
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'message-1' }] });
    expect((await table.load(KEY)).state?.sequence).toBe(2);
  });

  it('acknowledges unknown types, other records and examples', async () => {
    const later = (LIFE[0] ?? '').replaceAll('timesheet.created', 'timesheet.teleported');
    const other = JSON.stringify(exampleEvent('workforce.pay_period.closed'));
    const example = JSON.stringify({ ...JSON.parse(LIFE[0] ?? ''), id: 'example-1' });
    expect(parseEvent(later).outcome).toBe('unknown_type');
    expect(await createHandler(table)(batch([later, other, example]))).toEqual({ batchItemFailures: [] });
    expect((await dynamo.client.send(new ScanCommand({ TableName: `timesheets-${tables}` }))).Items).toEqual(
      [],
    );
  });

  it('fails a message when another Lambda wrote the record meanwhile', async () => {
    const [first = '', second = ''] = LIFE;
    const overtaken: TimesheetTable = {
      async load(key) {
        const known = await table.load(key);
        if (known.revision === 0) await createHandler(table)(batch([first]));
        return known;
      },
      save: table.save,
    };
    const answer = await createHandler(overtaken)(batch([second]));
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'message-0' }] });
    expect(await createHandler(overtaken)(batch([second]))).toEqual({ batchItemFailures: [] });
    expect((await table.load(KEY)).state?.sequence).toBe(2);
  });

  it('fails messages when the table does not answer', async () => {
    const broken: TimesheetTable = { load: () => Promise.reject(new Error('throttled')), save: table.save };
    const answer = await createHandler(broken)(batch(LIFE.slice(0, 2)));
    expect(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)).toEqual([
      'message-0',
      'message-1',
    ]);
  });

  it('is what AWS calls', async () => {
    vi.stubEnv('TABLE_NAME', `timesheets-${tables}`);
    vi.stubEnv('AWS_REGION', 'local');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', await endpoint());
    const { handler } = await import('../../examples/sqs-lambda/handler.ts');
    expect(await handler(batch(LIFE.slice(0, 1)))).toEqual({ batchItemFailures: [] });
    vi.unstubAllEnvs();
    const key = { key: { S: KEY } };
    const { Item } = await dynamo.client.send(
      new GetItemCommand({ TableName: `timesheets-${tables}`, Key: key, ConsistentRead: true }),
    );
    expect(Item?.revision).toEqual({ N: '1' });
  });
});

async function createTable(name: string): Promise<string> {
  await dynamo.client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'key', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'key', KeyType: 'HASH' }],
    }),
  );
  return name;
}

async function endpoint(): Promise<string> {
  const { protocol, hostname, port } = (await dynamo.client.config.endpoint?.()) ?? {};
  return `${protocol}//${hostname}:${port}`;
}

function batch(texts: readonly string[]): SQSEvent {
  const Records = texts.map((body, index) => ({
    messageId: `message-${index}`,
    receiptHandle: 'r',
    body,
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: '0',
      SenderId: 's',
      ApproximateFirstReceiveTimestamp: '0',
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:ap-southeast-2:123456789012:timesheets',
    awsRegion: 'ap-southeast-2',
  }));
  return { Records };
}
