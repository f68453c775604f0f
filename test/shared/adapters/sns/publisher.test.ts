import {
  PublishBatchCommand,
  type PublishBatchCommandInput,
  SNSClient,
  SNSServiceException,
} from '@aws-sdk/client-sns';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSnsPublisher, type SnsPublisherOptions } from '#shared/adapters/sns/publisher.ts';
import type { EventTopicName } from '#shared/config/names.ts';
import { mockClient } from '#test/support/mock-client.ts';

const sns = mockClient(SNSClient);
const waits: number[] = [];
const topicArns: Record<EventTopicName, string> = {
  timesheets: 'arn:timesheets',
  clockings: 'arn:clockings',
  'pay-periods': 'arn:pay-periods',
  directory: 'arn:directory',
  operations: 'arn:operations',
};

/** What each request held: ids by their topic, in the order of sending. */
let requests: { topic: string; ids: string[] }[];
let inFlight: Set<string>;
let mostInFlight: number;
let overlaps: number;

beforeEach(() => {
  sns.reset();
  waits.length = 0;
  requests = [];
  inFlight = new Set();
  mostInFlight = 0;
  overlaps = 0;
});

afterEach(() => {
  expect(overlaps).toBe(0);
});

test('an event of a topic that is not named is not published, and the others are', async () => {
  answerWith(() => 'ok');

  const result = await publisher({ timesheets: 'arn:timesheets' }).publish([
    event('a', 'pay_period.closed'),
    event('b', 'timesheet.approved'),
  ]);

  expect(result).toEqual({ published: 1, unpublished: [0], requests: 1 });
});

describe('one event', () => {
  test('goes to the topic of its type with its attributes', async () => {
    answerWith(() => 'ok');
    const text = event('a', 'timesheet.approved', {
      data: { organisationId: '16_1', departmentId: '261_1', late: ['close'] },
    });

    const result = await publisher().publish([text]);

    expect(result).toEqual({ published: 1, unpublished: [], requests: 1 });
    expect(sns.commandCalls(PublishBatchCommand)[0]?.args[0].input).toEqual({
      TopicArn: 'arn:timesheets',
      PublishBatchRequestEntries: [
        {
          Id: '0',
          Message: text,
          MessageAttributes: {
            type: { DataType: 'String', StringValue: 'workforce.timesheet.approved' },
            connection: { DataType: 'String', StringValue: 'acme' },
            organisationId: { DataType: 'String', StringValue: '16_1' },
            departmentId: { DataType: 'String', StringValue: '261_1' },
            late: { DataType: 'String', StringValue: 'true' },
          },
        },
      ],
    });
  });

  test.each([
    ['null', { organisationId: null, departmentId: '', late: [] }, ['type', 'connection', 'late']],
    ['absent', {}, ['type', 'connection']],
  ])('without what is %s', async (_name, data, names) => {
    answerWith(() => 'ok');

    await publisher().publish([event('a', 'timesheet.changed', { data })]);

    const entry = sns.commandCalls(PublishBatchCommand)[0]?.args[0].input.PublishBatchRequestEntries?.[0];
    expect(Object.keys(entry?.MessageAttributes ?? {})).toEqual(names);
    expect(entry?.MessageAttributes?.late?.StringValue).toBe(names.includes('late') ? 'false' : undefined);
  });

  test('keeps its meaning when it holds a character that SNS refuses', async () => {
    answerWith(() => 'ok');
    const text = event('a\uffff', 'timesheet.changed');

    await publisher().publish([text]);

    const entry = sns.commandCalls(PublishBatchCommand)[0]?.args[0].input.PublishBatchRequestEntries?.[0];
    expect(entry?.Message).not.toContain('\uffff');
    expect(JSON.parse(entry?.Message ?? '')).toEqual(JSON.parse(text));
  });
});

describe('many events', () => {
  test('none at all is no request', async () => {
    expect(await publisher().publish([])).toEqual({ published: 0, unpublished: [], requests: 0 });
  });

  test('1,000 records with up to 3 events each take at most 0.11 requests per event', async () => {
    answerWith(() => 'ok');
    const texts = Array.from({ length: 1_000 }, (_, record) =>
      ['timesheet.changed', 'timesheet.clocked_in', 'timesheet.approved']
        .slice(0, 1 + (record % 3))
        .map((type, index) => event(`r${record}`, type, { sequence: index + 1 })),
    ).flat();

    const result = await publisher().publish(texts);

    expect(result).toMatchObject({ published: texts.length, unpublished: [] });
    expect(result.requests / texts.length).toBeLessThanOrEqual(0.11);
    expect(mostInFlight).toBe(4);
  });

  test('events of a record go out one after another, also over topics', async () => {
    answerWith(() => 'ok');
    const types = ['timesheet.created', 'timesheet.clocked_in', 'timesheet.approved'];
    const texts = types.map((type, index) => event('a', type, { sequence: index + 1 }));

    const result = await publisher().publish([...texts, event('b', 'timesheet.created')]);

    expect(result).toEqual({ published: 4, unpublished: [], requests: 3 });
    expect(requests).toEqual([
      { topic: 'timesheets', ids: ['a/1', 'b/1'] },
      { topic: 'clockings', ids: ['a/2'] },
      { topic: 'timesheets', ids: ['a/3'] },
    ]);
  });

  test('operational events of a feed keep one order, whatever they are about', async () => {
    answerWith(() => 'ok');
    const texts = ['x', 'y'].map((id, index) => event(id, 'trouble.began', { sequence: index + 1 }));

    await publisher().publish(texts);

    expect(requests.map(({ ids }) => ids)).toEqual([['x/1'], ['y/2']]);
  });

  test('no request is larger than 256 KB, and large events share requests with small ones', async () => {
    answerWith(() => 'ok');
    const large = (id: string) => event(id, 'timesheet.changed', { data: { current: 'ü'.repeat(60_000) } });
    const texts = [large('a'), large('b'), large('c'), event('d', 'timesheet.changed')];

    const result = await publisher().publish(texts);

    expect(result).toMatchObject({ published: 4, requests: 2 });
    expect(requests.map(({ ids }) => ids)).toEqual([['a/1', 'b/1', 'd/1'], ['c/1']]);
  });
});

describe('partial failures', () => {
  test('only what failed is sent again, after a wait', async () => {
    let failures = 2;
    answerWith((id) => {
      if (id !== 'b/1' || failures === 0) return 'ok';
      failures -= 1;
      return 'failed';
    });

    const result = await publisher().publish(['a', 'b', 'c'].map((id) => event(id, 'timesheet.changed')));

    expect(result).toEqual({ published: 3, unpublished: [], requests: 3 });
    expect(requests.map(({ ids }) => ids)).toEqual([['a/1', 'b/1', 'c/1'], ['b/1'], ['b/1']]);
    expect(waits).toEqual([50, 100]);
  });

  test('an entry that SNS says nothing of is sent again', async () => {
    let silent = true;
    answerWith(() => {
      const answer = silent ? 'nothing' : 'ok';
      silent = false;
      return answer;
    });

    expect(await publisher().publish([event('a', 'timesheet.changed')])).toMatchObject({
      published: 1,
      requests: 2,
    });
  });

  test('an event that fails for good holds back its record alone', async () => {
    answerWith((id) => (id === 'a/1' ? 'failed' : 'ok'));
    const texts = [
      event('a', 'timesheet.changed'),
      event('b', 'timesheet.changed'),
      event('a', 'timesheet.clocked_in', { sequence: 2 }),
      event('b', 'timesheet.clocked_in', { sequence: 2 }),
      event('a', 'timesheet.approved', { sequence: 3 }),
    ];

    const result = await publisher().publish(texts);

    expect(result).toMatchObject({ published: 2, unpublished: [0, 2, 4] });
    expect(requests.flatMap(({ ids }) => ids).filter((id) => id === 'a/1')).toHaveLength(5);
    expect(requests.flatMap(({ ids }) => ids)).not.toContain('a/2');
  });

  test('our own fault is not repeated', async () => {
    answerWith((id) => (id === 'a/1' ? 'sender fault' : 'ok'));

    const result = await publisher().publish([
      event('a', 'timesheet.changed'),
      event('b', 'timesheet.changed'),
    ]);

    expect(result).toEqual({ published: 1, unpublished: [0], requests: 1 });
  });

  test.each(['InvalidParameter', 'InvalidParameterValue', 'InvalidMessageContents', 'ValidationError'])(
    'a message refused with %s is refused for good, and the later ones of its record go out',
    async (code) => {
      answerWith((id) => (id === 'a/1' ? `sender fault ${code}` : 'ok'));

      const result = await publisher().publish([
        event('a', 'timesheet.changed'),
        event('a', 'timesheet.approved', { sequence: 2 }),
      ]);

      expect(result).toEqual({ published: 1, unpublished: [0], refused: [0], requests: 2 });
    },
  );

  test.each([
    'KMSAccessDenied',
    'KMSDisabled',
    'KMSInvalidState',
    'KMSNotFound',
    'AuthorizationError',
    'NotFound',
  ])('%s lies in the topic: nothing is given up, and the later ones of the record wait', async (code) => {
    answerWith((id) => (id === 'a/1' ? `sender fault ${code}` : 'ok'));

    const result = await publisher().publish([
      event('a', 'timesheet.changed'),
      event('a', 'timesheet.approved', { sequence: 2 }),
    ]);

    expect(result).toEqual({ published: 0, unpublished: [0, 1], requests: 1 });
  });

  test('an event above the limit, or a text that is no event, is refused and the rest is published', async () => {
    answerWith(() => 'ok');
    const texts = [
      event('a', 'timesheet.changed', { data: { current: 'x'.repeat(270_000) } }),
      event('a', 'timesheet.approved', { sequence: 2 }),
      'no JSON',
      event('c', 'unheard.of'),
      event('d', 'timesheet.changed'),
    ];

    expect(await publisher().publish(texts)).toEqual({
      published: 2,
      unpublished: [0, 2, 3],
      refused: [0, 2, 3],
      requests: 1,
    });
  });
});

describe('whole requests that fail', () => {
  test('a request that got lost is sent again', async () => {
    sns
      .on(PublishBatchCommand)
      .rejectsOnce(new Error('socket hang up'))
      .callsFake(answering(() => 'ok'));

    const result = await publisher().publish([event('a', 'timesheet.changed')]);

    expect(result).toEqual({ published: 1, unpublished: [], requests: 2 });
    expect(waits).toEqual([50]);
  });

  test('a topic that does not exist gets one request; other topics get their events', async () => {
    sns.on(PublishBatchCommand).callsFake((input: PublishBatchCommandInput) => {
      if (input.TopicArn === 'arn:clockings') throw serviceError('NotFoundException');
      return answering(() => 'ok')(input);
    });
    const texts = Array.from({ length: 25 }, (_, index) => [
      event(`c${index}`, 'timesheet.clocked_in'),
      event(`t${index}`, 'timesheet.changed'),
    ]).flat();

    const result = await publisher().publish(texts);

    expect(result.published).toBe(25);
    expect(result.unpublished).toEqual(Array.from({ length: 25 }, (_, index) => index * 2));
    expect(result.requests).toBeLessThanOrEqual(6);
    expect(waits).toEqual([]);
  });

  test('SNS down: nothing is published, nothing is thrown, and not every event costs a request', async () => {
    sns.on(PublishBatchCommand).rejects(new Error('connect ECONNREFUSED'));
    const texts = Array.from({ length: 1_000 }, (_, index) => event(`r${index}`, 'timesheet.changed'));

    const result = await publisher().publish(texts);

    expect(result.published).toBe(0);
    expect(result.unpublished).toEqual(texts.map((_, position) => position));
    expect(result.requests).toBeLessThanOrEqual(20);
  });

  test('throttling is waited out', async () => {
    sns
      .on(PublishBatchCommand)
      .rejectsOnce(serviceError('ThrottledException'))
      .callsFake(answering(() => 'ok'));

    expect(await publisher().publish([event('a', 'timesheet.changed')])).toMatchObject({
      published: 1,
      requests: 2,
    });
  });
});

type Verdict = 'ok' | 'failed' | 'nothing' | `sender fault${string}`;

function answerWith(judge: (id: string) => Verdict): void {
  sns.on(PublishBatchCommand).callsFake(answering(judge));
}

/** Answers each request a little later, and records whether a record has two events on their way. */
function answering(judge: (id: string) => Verdict) {
  return async ({ TopicArn, PublishBatchRequestEntries = [] }: PublishBatchCommandInput) => {
    const entries = PublishBatchRequestEntries.map(({ Id, Message }) => ({ Id, ...idsOf(Message) }));
    const records = entries.map(({ record }) => record);
    if (new Set([...records, ...inFlight]).size < records.length + inFlight.size) overlaps += 1;
    for (const record of records) inFlight.add(record);
    requests.push({ topic: String(TopicArn).slice('arn:'.length), ids: entries.map(({ id }) => id) });
    mostInFlight = Math.max(mostInFlight, Math.ceil(inFlight.size / 10));
    await new Promise((resolve) => setImmediate(resolve));
    for (const record of records) inFlight.delete(record);
    const judged = entries.map(({ Id, id }) => ({ Id, verdict: judge(id) }));
    return {
      Successful: judged.filter(({ verdict }) => verdict === 'ok').map(({ Id }) => ({ Id })),
      Failed: judged
        .filter(({ verdict }) => verdict === 'failed' || verdict.startsWith('sender fault'))
        .map(({ Id, verdict }) => ({
          Id,
          Code: verdict.split(' ')[2] ?? 'InternalError',
          SenderFault: verdict.startsWith('sender fault'),
        })),
    };
  };
}

function idsOf(message: string | undefined): { id: string; record: string } {
  const { id, subject } = JSON.parse(message ?? '{}');
  return { id, record: subject };
}

function serviceError(name: string): Error {
  return new SNSServiceException({ name, $fault: 'client', $metadata: {} });
}

function publisher(arns: SnsPublisherOptions['topicArns'] = topicArns) {
  return createSnsPublisher({
    client: new SNSClient({ region: 'local' }),
    topicArns: arns,
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
    },
    random: () => 0.5,
  });
}

function event(
  record: string,
  type: string,
  { sequence = 1, data = {} }: { sequence?: number; data?: object } = {},
): string {
  return JSON.stringify({
    specversion: '1.0',
    id: `${record}/${sequence}`,
    source: '/connections/acme/timesheets',
    type: `workforce.${type}`,
    subject: record,
    connection: 'acme',
    sequence,
    data,
  });
}
