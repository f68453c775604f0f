import { type MessageAttributeValue, PublishBatchCommand, SNSClient } from '@aws-sdk/client-sns';
import { beforeEach, expect, test } from 'vitest';
import { createSnsPublisher } from '#shared/adapters/sns/publisher.ts';
import { mockClient } from '#test/support/mock-client.ts';

const sns = mockClient(SNSClient);

beforeEach(() => {
  sns.reset();
  sns.on(PublishBatchCommand).resolves({ Successful: [{ Id: '0', MessageId: 'm', SequenceNumber: '' }] });
});

test.each([
  [{ previousDepartmentId: '261_2', previousOrganisationId: '16_2' }],
  [{ previous: { departmentId: '261_2', organisationWorkedId: '16_2' } }],
])('an event about leaving (%j) has what was left in attributes of their own', async (left) => {
  const data = { organisationId: '16_1', departmentId: '261_1', late: [], ...left };
  const attributes = await attributesOf('timesheet.changed', data);
  expect(attributes).toMatchObject({
    organisationId: { StringValue: '16_1' },
    departmentId: { StringValue: '261_1' },
    previousOrganisationId: { DataType: 'String', StringValue: '16_2' },
    previousDepartmentId: { DataType: 'String', StringValue: '261_2' },
  });
});

test('an event about staying has no attributes of leaving', async () => {
  const previous = { departmentId: '261_1', organisationWorkedId: '16_1' };
  const data = { organisationId: '16_1', departmentId: '261_1', late: [], previous };
  const attributes = await attributesOf('timesheet.removed', data);
  expect(Object.keys(attributes).sort()).toEqual([
    'connection',
    'departmentId',
    'late',
    'organisationId',
    'type',
  ]);
});

/** Attributes with which an event is published. */
async function attributesOf(type: string, data: object): Promise<Record<string, MessageAttributeValue>> {
  const text = JSON.stringify({
    id: 'a/1',
    source: '/connections/acme/timesheets',
    type: `workforce.${type}`,
    subject: 'a',
    connection: 'acme',
    sequence: 1,
    data,
  });
  const client = new SNSClient({ region: 'local' });
  const options = {
    client,
    topicArns: { timesheets: 'arn:timesheets' },
    sleep: async () => {},
    random: () => 0.5,
  };
  await createSnsPublisher(options).publish([text]);
  const [entry] = sns.commandCalls(PublishBatchCommand)[0]?.args[0].input.PublishBatchRequestEntries ?? [];
  return entry?.MessageAttributes ?? {};
}
