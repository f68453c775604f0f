import {
  PublishBatchCommand,
  type PublishBatchCommandInput,
  SNSClient,
  SNSServiceException,
} from '@aws-sdk/client-sns';
import { beforeEach, describe, expect, test } from 'vitest';
import { createSnsPublisher } from '#shared/adapters/sns/publisher.ts';
import type { EventTopic } from '#shared/core/event-types.ts';
import type { PublishResult } from '#shared/flow/poll/ports.ts';
import { mockClient } from '#test/support/mock-client.ts';

const sns = mockClient(SNSClient);
/** Ids of each request, apart by spaces, in the order of sending. */
let requests: string[];
let waits: number[];
let inFlight: number;
let mostInFlight: number;

beforeEach(() => {
  sns.reset();
  [requests, waits, inFlight, mostInFlight] = [[], [], 0, 0];
});

describe('one event', () => {
  test('goes to its topic as it is, with its attributes', async () => {
    answer();
    const data = { organisationId: '16_1', departmentId: '261_1', late: ['close'] };
    const text = event('a', { data });
    expect(await publish([text])).toEqual({ published: 1, unpublished: [], refused: [] });
    expect(lastInput()).toEqual({
      TopicArn: 'arn:timesheets',
      PublishBatchRequestEntries: [
        {
          Id: '0',
          Message: text,
          MessageAttributes: {
            type: { DataType: 'String', StringValue: 'workforce.timesheet.changed' },
            connection: { DataType: 'String', StringValue: 'acme' },
            organisationId: { DataType: 'String', StringValue: '16_1' },
            departmentId: { DataType: 'String', StringValue: '261_1' },
            late: { DataType: 'String', StringValue: 'true' },
          },
        },
      ],
    });
  });

  const left = { previousOrganisationId: '16_2', previousDepartmentId: '261_2' };
  const here = { organisationId: '16_1', departmentId: '261_1', late: [] };
  const before = { departmentId: '261_2', organisationWorkedId: '16_2' };
  const same = { departmentId: '261_1', organisationWorkedId: '16_1' };
  test.each([
    ['what is not known is left out', {}, {}],
    ['null or empty is left out', { organisationId: null, departmentId: '', late: [] }, { late: 'false' }],
    ['what was left', { ...here, ...left }, { ...here, ...left, late: 'false' }],
    [
      'what was left, by the values before',
      { ...here, previous: before },
      { ...here, ...left, late: 'false' },
    ],
    ['who stayed left nothing', { ...here, previous: same }, { ...here, late: 'false' }],
  ])('has in its attributes: %s', async (_name, data, expected) => {
    answer();
    await publish([event('a', { data })]);
    const attributes = lastInput()?.PublishBatchRequestEntries?.[0]?.MessageAttributes ?? {};
    const { type, connection, ...others } = Object.fromEntries(
      Object.entries(attributes).map(([name, { StringValue }]) => [name, StringValue]),
    );
    expect(others).toEqual(expected);
  });

  test('keeps its meaning when it holds a character that SNS refuses', async () => {
    answer();
    const text = event('a\uffff');
    await publish([text]);
    const message = lastInput()?.PublishBatchRequestEntries?.[0]?.Message ?? '';
    expect(message).not.toContain('\uffff');
    expect(JSON.parse(message)).toEqual(JSON.parse(text));
  });
});

describe('many events', () => {
  const twelve = Array.from({ length: 12 }, (_, index) => `r${index}/1`);
  test.each([
    ['none is no request', [], []],
    ['of one record go out one after another', ['a/1', 'a/2', 'b/1'], ['a/1 b/1', 'a/2']],
    ['fill requests of ten', twelve, [twelve.slice(0, 10).join(' '), 'r10/1 r11/1']],
    ['of 256 KB in one request at most', ['a/1 large', 'b/1 large', 'c/1 large'], ['a/1 b/1', 'c/1']],
  ])('%s', async (_name, ids, expected) => {
    answer();
    expect(await publish(ids.map(eventOf))).toEqual({ published: ids.length, unpublished: [], refused: [] });
    expect(requests).toEqual(expected);
  });

  test('about the watching of a feed keep one order, whatever they are about', async () => {
    answer();
    await publish(
      ['x', 'y'].map((id) => event(id, { type: 'trouble.began' })),
      'operations',
    );
    expect(requests).toEqual(['x/1', 'y/1']);
    expect(lastInput()?.TopicArn).toBe('arn:operations');
  });

  test('1,000 records with up to 3 events each take at most 0.11 requests an event, four at a time', async () => {
    answer();
    const texts = Array.from({ length: 1_000 }, (_, record) =>
      Array.from({ length: 1 + (record % 3) }, (_, index) => event(`r${record}`, { sequence: index + 1 })),
    ).flat();
    expect(await publish(texts)).toMatchObject({ published: texts.length, unpublished: [] });
    expect(requests.length / texts.length).toBeLessThanOrEqual(0.11);
    expect(mostInFlight).toBe(4);
  });
});

describe('what fails', () => {
  const texts = ['a/1', 'b/1', 'a/2', 'b/2', 'a/3'];
  const ofTopic = ['KMSAccessDenied', 'KMSDisabled', 'KMSInvalidState', 'KMSNotFound', 'AuthorizationError'];
  const ofMessage = [
    'InvalidParameter',
    'InvalidParameterValue',
    'InvalidMessageContents',
    'ValidationError',
  ];
  const behind = { unpublished: [0, 2, 4] };
  const givenUp = { unpublished: [0], refused: [0] };

  test.each<[string, string, Partial<PublishResult>, string]>([
    ['is sent again by itself', 'InternalError twice', {}, 'a/1 b/1, a/1, a/1, a/2 b/2, a/3'],
    ['is sent again when SNS says nothing of it', 'silence once', {}, 'a/1 b/1, a/1, a/2 b/2, a/3'],
    [
      ...(['for good holds back its record alone', 'InternalError always', behind] as const),
      'a/1 b/1, a/1, a/1, a/1, a/1, b/2',
    ],
    ...[...ofTopic, 'NotFound'].map((code): [string, string, Partial<PublishResult>, string] => [
      ...([`by the topic (${code}) is not repeated, and not given up`, `${code} ours`, behind] as const),
      'a/1 b/1, b/2',
    ]),
    ...ofMessage.map((code): [string, string, Partial<PublishResult>, string] => [
      ...([`by the message (${code}) is given up, and later ones go out`, `${code} ours`, givenUp] as const),
      'a/1 b/1, a/2 b/2, a/3',
    ]),
  ])('%s', async (_name, failure, expected, sent) => {
    const [code = '', how] = failure.split(' ');
    let left = how === 'once' ? 1 : how === 'twice' ? 2 : 99;
    answer((id) => {
      if (id !== 'a/1' || left === 0) return 'ok';
      left -= 1;
      return { code, isOurs: how === 'ours' };
    });
    const { unpublished = [], refused = [] } = expected;
    const published = texts.length - unpublished.length;
    expect(await publish(texts.map(eventOf))).toEqual({ published, unpublished, refused });
    expect(requests.join(', ')).toBe(sent);
  });

  test('a wait before each retry is longer, and random', async () => {
    answer(() => ({ code: 'InternalError', isOurs: false }));
    await publish([event('a')]);
    expect(waits).toEqual([50, 100, 200, 400]);
  });

  test('an event above the limit, or a text that is no event, is refused and the rest is published', async () => {
    answer();
    const mixed = [
      eventOf('a/1 huge'),
      event('a', { sequence: 2 }),
      'no JSON',
      event('c', { type: 'unheard.of' }),
    ];
    const result = await publish([...mixed, event('d')]);
    expect(result).toEqual({ published: 2, unpublished: [0, 2, 3], refused: [0, 2, 3] });
    expect(requests).toEqual(['a/2 d/1']);
  });
});

describe('a whole request that fails', () => {
  const many = Array.from({ length: 1_000 }, (_, index) => event(`r${index}`));
  const down = { published: 0, unpublished: [...many.keys()], refused: [] };

  test.each([
    ['got lost', new Error('socket hang up')],
    ['was throttled', serviceError('ThrottledException')],
  ])('and %s is sent again', async (_name, error) => {
    sns.on(PublishBatchCommand).rejectsOnce(error).callsFake(answering());
    expect(await publish([event('a')])).toMatchObject({ published: 1, unpublished: [] });
    expect(waits).toEqual([50]);
  });

  test.each([
    ['SNS is down: a few requests', new Error('connect ECONNREFUSED'), 20],
    ['the topic does not exist: at once', serviceError('NotFoundException'), 4],
    ['the permission is missing: at once', serviceError('AuthorizationErrorException'), 4],
  ])('for good is the last one: %s, and nothing is thrown', async (_name, error, most) => {
    sns.on(PublishBatchCommand).rejects(error);
    expect(await publish(many)).toEqual(down);
    expect(sns.commandCalls(PublishBatchCommand).length).toBeLessThanOrEqual(most);
  });

  test('a topic without an ARN gets none', async () => {
    expect(await publish(many, 'directory')).toEqual(down);
    expect(sns.commandCalls(PublishBatchCommand)).toEqual([]);
  });
});

type Verdict = 'ok' | { readonly code: string; readonly isOurs: boolean };

function answer(judge?: (id: string) => Verdict): void {
  sns.on(PublishBatchCommand).callsFake(answering(judge));
}

function answering(judge: (id: string) => Verdict = () => 'ok') {
  return async ({ PublishBatchRequestEntries = [] }: PublishBatchCommandInput) => {
    const entries = PublishBatchRequestEntries.map(({ Id, Message = '' }) => ({
      Id,
      id: JSON.parse(Message).id,
    }));
    requests.push(entries.map(({ id }) => id).join(' '));
    inFlight += 1;
    mostInFlight = Math.max(mostInFlight, inFlight);
    await new Promise((resolve) => setImmediate(resolve));
    inFlight -= 1;
    const judged = entries.map(({ Id, id }) => ({ Id, verdict: judge(id) }));
    return {
      Successful: judged.filter(({ verdict }) => verdict === 'ok').map(({ Id }) => ({ Id })),
      Failed: judged.flatMap(({ Id, verdict }) =>
        verdict === 'ok' || verdict.code === 'silence'
          ? []
          : [{ Id, Code: verdict.code, SenderFault: verdict.isOurs }],
      ),
    };
  };
}

function lastInput(): PublishBatchCommandInput | undefined {
  return sns.commandCalls(PublishBatchCommand).at(-1)?.args[0].input;
}

function serviceError(name: string): Error {
  return new SNSServiceException({ name, $fault: 'client', $metadata: {} });
}

async function publish(texts: readonly string[], topic: EventTopic = 'timesheets'): Promise<PublishResult> {
  const publisher = createSnsPublisher({
    client: new SNSClient({ region: 'local' }),
    topicArns: { timesheets: 'arn:timesheets', operations: 'arn:operations' },
    sleep: async (milliseconds) => void waits.push(milliseconds),
    random: () => 0.5,
  });
  return await publisher.publish(topic, texts);
}

/** `a/2 large`: the second event of record a, of 120 KB; `huge`: of 270 KB. */
function eventOf(name: string): string {
  const [id = '', size] = name.split(' ');
  const [record = '', sequence] = id.split('/');
  const characters = size === 'huge' ? 135_000 : size === 'large' ? 60_000 : 0;
  return event(record, { sequence: Number(sequence), data: { current: 'ü'.repeat(characters) } });
}

interface EventParts {
  readonly type?: string;
  readonly sequence?: number;
  readonly data?: object;
}

function event(
  record: string,
  { type = 'timesheet.changed', sequence = 1, data = {} }: EventParts = {},
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
