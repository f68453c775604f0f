import { beforeEach, describe, expect, test } from 'vitest';
import type { ChatAnswer } from '#shared/people/flow/paced-chat.ts';
import { buildTeamsPayload } from '#shared/people/layout/teams-card.ts';
import { crashAtEveryCall } from '#test/support/crashable.ts';
import { message } from '../sample-message.ts';
import { ChatStage, numbered, START } from './chat-stage.ts';

const TAKEN: ChatAnswer = { outcome: 'taken' };
const DAY_MS = 86_400_000;

const later = (afterMs: number | null, reason = 'rate_limited'): ChatAnswer => ({
  outcome: 'later',
  afterMs,
  reason,
});
const refused = (reason: string): ChatAnswer => ({ outcome: 'refused', reason });

let stage: ChatStage;

beforeEach(() => {
  stage = new ChatStage();
});

test('a Teams channel gets a card, and an entry of its own in the delivery store', async () => {
  stage = new ChatStage('teams');
  stage.answers.push(later(3_000, 'http_429'));
  const [one = message()] = numbered(1);
  expect(await stage.deliver(one, one)).toEqual({ failed: [] });
  const card = JSON.stringify(buildTeamsPayload(one));
  expect(stage.asked).toEqual([`0 s: ${card}`, `3 s: ${card}`]);
  const entry = { outcome: 'delivered', attempts: 2 };
  expect(await stage.deliveryStore.load('id-1', 'teams/payroll')).toMatchObject(entry);
  expect(await stage.deliveryStore.load('id-1', 'slack/payroll')).toBeNull();
});

describe('of the messages 1, 2 and 3', () => {
  const allLeft = { failed: ['queue-1', 'queue-2', 'queue-3'] };
  const outOfOrder = Array.from({ length: 9 }, () => later(null, 'http_500'));
  type End = { readonly failed?: readonly string[]; readonly dead?: readonly string[] };
  test.each<[string, readonly ChatAnswer[], string, End]>([
    ['all are posted, a second apart', [], '0 s: 1, 1 s: 2, 2 s: 3', {}],
    ['one waits as long as it is asked to', [later(7_000)], '0 s: 1, 7 s: 1, 8 s: 2, 9 s: 3', {}],
    ['a wait of nothing is still a second', [later(0)], '0 s: 1, 1 s: 1, 2 s: 2, 3 s: 3', {}],
    [
      'one without time for its wait is left with all later ones',
      [TAKEN, later(40_000)],
      '0 s: 1, 1 s: 2',
      { failed: ['queue-2', 'queue-3'] },
    ],
    ['a chat out of order is asked less and less', outOfOrder, '0 s: 1, 2 s: 1, 10 s: 1, 30 s: 1', allLeft],
    [
      'one that is refused is out of the way of the others',
      [TAKEN, refused('invalid_payload')],
      '0 s: 1, 1 s: 2, 2 s: 3',
      { dead: ['queue-2'] },
    ],
    ['an archived channel is not asked again', [refused('channel_is_archived')], '0 s: 1', allLeft],
    ['a channel that is gone is not', [refused('no_service')], '0 s: 1', allLeft],
    ['a channel that forbids it is not', [refused('http_403')], '0 s: 1', allLeft],
    ['a chat that answers anything else is not', [refused('answer_unexpected')], '0 s: 1', allLeft],
  ])('%s', async (_, answers, asked, { failed = [], dead = [] }) => {
    stage.answers.push(...answers);
    stage.budgetMs = answers === outOfOrder ? 900_000 : 58_000;
    expect(await stage.deliver(...numbered(1, 2, 3))).toEqual({ failed });
    expect(stage.asked.join(', ')).toBe(asked);
    expect(stage.dead).toEqual(dead);
  });

  test('each is a line in the log, and all are one', async () => {
    stage.answers.push(TAKEN, later(1_000), refused('invalid_payload'), later(40_000));
    await stage.deliver(...numbered(1, 2, 3));
    const attempt = { outcome: 'delivery.attempted', channel: 'payroll', attempt: 1, duration_ms: 0 };
    const results = stage.lines
      .slice(0, -1)
      .map(({ messageId, result, reason }) => [messageId, result, reason]);
    expect(results).toEqual([
      ['id-1', 'delivered', null],
      ['id-2', 'retry', 'rate_limited'],
      ['id-2', 'refused', 'invalid_payload'],
      ['id-3', 'left', 'rate_limited'],
    ]);
    expect(stage.lines[3]).toEqual({
      ...{ ...attempt, messageId: 'id-3', result: 'left', reason: 'rate_limited' },
      ...{ due_ms: 40_000, age_ms: 8_000 },
    });
    expect(stage.lines[4]).toEqual({
      ...{ outcome: 'deliveries.handled', channel: 'payroll', messages: 3, delivered: 1, repeated: 0 },
      ...{ refused: 1, blocked: 0, left: 1, duration_ms: 3_000 },
    });
  });
});

test('a pause is remembered in the next batch, unless it is beyond reason', async () => {
  stage.answers.push(later(120_000));
  await stage.deliver(...numbered(1));
  expect(await stage.deliver(...numbered(1))).toEqual({ failed: ['queue-1'] });
  expect(stage.asked).toEqual(['0 s: 1']);
  stage.now = START + 110_000;
  expect(await stage.deliver(...numbered(1))).toEqual({ failed: [] });
  expect(stage.asked).toEqual(['0 s: 1', '120 s: 1']);
  stage.answers.push(later(999_999_999_000));
  await stage.deliver(...numbered(2));
  stage.now += 600_000;
  expect(await stage.deliver(...numbered(2))).toEqual({ failed: [] });
});

describe('a message', () => {
  test.each([
    'no JSON',
    '{}',
    JSON.stringify({ ...message(), id: 7 }),
    JSON.stringify({ ...message(), timeZone: 'Mars/Base' }),
    JSON.stringify({ ...message(), at: 1e300 }),
  ])(
    '%# that is not one of this product goes to the dead letters alone, and none of it is logged',
    async (body) => {
      expect(await stage.deliver({ id: 'queue-x', body, attributes: {} }, ...numbered(2))).toEqual({
        failed: [],
      });
      expect(stage.dead).toEqual(['queue-x']);
      expect(stage.asked).toEqual(['0 s: 2']);
      expect(stage.lines[0]).toEqual({
        ...{ outcome: 'delivery.refused', channel: 'payroll', queueMessageId: 'queue-x' },
        reason: 'message_invalid',
      });
    },
  );

  test('is remembered as delivered to this channel, at least as long as it can come back', async () => {
    const entry = { eventId: 'id-1', destination: 'slack/payroll', at: START, attempts: 1, detail: null };
    for (const other of [
      { ...entry, destination: 'slack/other', outcome: 'delivered' as const },
      { ...entry, outcome: 'failed' as const },
    ])
      await stage.deliveryStore.save(other, START);
    for (const _ of [1, 2]) expect(await stage.deliver(...numbered(1))).toEqual({ failed: [] });
    expect(stage.asked).toEqual(['0 s: 1']);
    expect(await stage.deliveryStore.load('id-1', 'slack/payroll')).toEqual({
      ...entry,
      outcome: 'delivered',
    });
    expect(stage.expiry).toEqual([START + 14 * DAY_MS]);
  });

  test('for which there is no time is not begun', async () => {
    stage.budgetMs = 21_999;
    expect(await stage.deliver(...numbered(1))).toEqual({ failed: ['queue-1'] });
    stage.budgetMs = 22_000;
    expect(await stage.deliver(...numbered(1))).toEqual({ failed: [] });
  });
});

describe('a failure of this product', () => {
  test.each([
    // Before the post it leaves this message and all later ones to the queue.
    ['load', [], []],
    // After the post it is no reason to post again.
    ['save', ['0 s: 1', '1 s: 2'], []],
    ['giveUp', ['0 s: 1'], [refused('invalid_payload')]],
  ] as const)('at %s', async (failing, asked, answers) => {
    stage.failing = failing;
    stage.answers.push(...answers);
    const failed = failing === 'save' ? [] : ['queue-1', 'queue-2'];
    expect(await stage.deliver(...numbered(1, 2))).toEqual({ failed });
    expect(stage.asked).toEqual(asked);
    expect(stage.lines).toContainEqual({
      ...{ outcome: 'delivery.interrupted', channel: 'payroll', messageId: 'id-1', reason: 'store_failed' },
    });
  });

  test('that is a bug is reported by its name and place, without its message', async () => {
    stage.answers.push(new TypeError('a secret'));
    expect(await stage.deliver(...numbered(1))).toEqual({ failed: ['queue-1'] });
    expect(stage.lines[0]?.reason).toMatch(/^TypeError at .*deliver-chat\.test/);
    expect(JSON.stringify(stage.lines)).not.toContain('a secret');
  });
});

describe('what a bot tells of a pay period', () => {
  const about = (heading: string, thread = 'main#3_7') =>
    message({ id: heading, heading, lines: [], thread });
  const [closed, reopened, settled] = [about('Closed'), about('Reopened'), about('Settled')];

  beforeEach(() => {
    stage = new ChatStage('bot');
  });

  test('goes into the thread of the first message about it', async () => {
    await stage.deliver(closed, message({ id: 'other', heading: 'Other', lines: [] }), reopened);
    await stage.deliver(settled, about('Closed, too', 'main#4_7'));
    expect(stage.read()).toEqual(['Closed', '+ Reopened', '+ Settled', 'Other', 'Closed, too']);
  });

  test('begins another thread where somebody deleted the first message', async () => {
    await stage.deliver(closed);
    stage.delete('100.1');
    await stage.deliver(reopened, settled);
    expect(stage.read()).toEqual(['Reopened', '+ Settled']);
  });

  test.each(['restricted_action_thread_locked', 'thread_not_found', 'cannot_reply_to_message'])(
    'begins another thread where the first one takes no reply: %s',
    async (reason) => {
      await stage.deliver(closed);
      stage.answers.push(refused(reason));
      expect(await stage.deliver(reopened, settled)).toEqual({ failed: [] });
      expect(stage.read()).toEqual(['Closed', 'Reopened', '+ Settled']);
    },
  );

  test.each(['invalid_auth', 'not_in_channel', 'channel_not_found'])(
    'waits in order in the queue while the channel takes nothing: %s',
    async (reason) => {
      stage.answers.push(refused(reason));
      expect(await stage.deliver(closed, reopened)).toEqual({ failed: ['queue-1', 'queue-2'] });
      expect(await stage.deliver(closed, reopened)).toEqual({ failed: [] });
      expect(stage.read()).toEqual(['Closed', '+ Reopened']);
    },
  );

  test('goes on with the next where one message is refused', async () => {
    stage.answers.push(refused('msg_blocks_too_long'));
    expect(await stage.deliver(closed, reopened)).toEqual({ failed: [] });
    expect([stage.dead, stage.read()]).toEqual([['queue-1'], ['Reopened']]);
  });

  test.each([
    // Where its thread begins is not known.
    ['loadThread', ['queue-1'], []],
    // It is posted, and not again.
    ['saveThread', [], ['Closed']],
  ] as const)('is left or done where the store fails: %s', async (failing, failed, posted) => {
    stage.failing = failing;
    expect(await stage.deliver(closed)).toEqual({ failed });
    expect(stage.read()).toEqual(posted);
    const interrupted = { outcome: 'delivery.interrupted', channel: 'payroll', messageId: 'Closed' };
    expect(stage.lines).toContainEqual({ ...interrupted, reason: 'store_failed' });
  });

  test('after a crash at any call is whole, and one message at most is posted twice', async () => {
    const crashes = await crashAtEveryCall(async (plan) => {
      stage = new ChatStage('bot');
      const batch = [closed, reopened, settled];
      stage.plan = plan;
      await stage.deliver(...batch).catch(() => {});
      stage.plan = { crashesAt: 0, when: 'before', calls: 0, crashed: false };
      expect(await stage.deliver(...batch)).toEqual({ failed: [] });
      const texts = stage.posts.map(({ text }) => text);
      expect(new Set(texts)).toEqual(new Set(['Closed', 'Reopened', 'Settled']));
      expect(texts.length).toBeLessThanOrEqual(4);
      return plan.crashed;
    });
    expect(crashes).toBeGreaterThanOrEqual(12);
  });
});
