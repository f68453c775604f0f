import { describe, expect, test } from 'vitest';
import type { ChatKind } from '#shared/config/schema/chat-kind.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { BatchResult, OutcomeLine, QueueMessage } from '#shared/flow/system.ts';
import { ChatDeliverer, type ChatPorts } from '#shared/people/flow/deliver-chat.ts';
import type { ChatAnswer } from '#shared/people/flow/paced-chat.ts';
import { buildTeamsPayload } from '#shared/people/layout/teams-card.ts';
import type { Message } from '#shared/people/message.ts';
import { createMemoryDeliveryStore } from '#test/support/memory-delivery-store.ts';
import { message } from '../sample-message.ts';

const START = Date.parse('2026-11-15T21:02:05.000Z');
const TAKEN: ChatAnswer = { outcome: 'taken' };
const DAY_MS = 86_400_000;

test('a Teams channel gets a card, and an entry of its own in the delivery store', async () => {
  const stage = new SlackStage([{ outcome: 'later', afterMs: 3_000, reason: 'http_429' }], 'teams');
  expect(await stage.deliver([1, 1])).toEqual({ failed: [] });
  const card = JSON.stringify(buildTeamsPayload(sample(1)));
  expect(stage.posts.map((post) => post.slice(0, 4))).toEqual(['0 s:', '3 s:']);
  expect(stage.posts[1]).toBe(`3 s: ${card}`);
  expect(await stage.deliveryStore.load('id-1', 'teams/payroll')).toMatchObject({
    outcome: 'delivered',
    attempts: 2,
  });
  expect(await stage.deliveryStore.load('id-1', 'slack/payroll')).toBeNull();
});

describe('a pause', () => {
  test('that Slack asks for is made, and then the message is posted before the next', async () => {
    const stage = new SlackStage([later(7_000)]);
    expect(await stage.deliver([1, 2])).toEqual({ failed: [] });
    expect(stage.posts).toEqual(['0 s: 1', '7 s: 1', '8 s: 2']);
    expect(stage.lines.map(({ result, due_ms }) => [result, due_ms])).toEqual([
      ['retry', 7_000],
      ['delivered', null],
      ['delivered', null],
      [undefined, undefined],
    ]);
  });

  test('of nothing is still a second', async () => {
    const stage = new SlackStage([later(0)]);
    await stage.deliver([1]);
    expect(stage.posts).toEqual(['0 s: 1', '1 s: 1']);
  });

  test('for which there is no time leaves this message and all later ones to the queue', async () => {
    const stage = new SlackStage([TAKEN, later(40_000)]);
    expect(await stage.deliver([1, 2, 3])).toEqual({ failed: ['queue-2', 'queue-3'] });
    expect(stage.posts).toEqual(['0 s: 1', '1 s: 2']);
    expect(stage.lines.slice(-2)).toEqual([
      {
        outcome: 'delivery.attempted',
        channel: 'payroll',
        messageId: 'id-2',
        attempt: 1,
        result: 'left',
        reason: 'rate_limited',
        due_ms: 40_000,
        age_ms: 6_000,
        duration_ms: 0,
      },
      {
        outcome: 'deliveries.handled',
        channel: 'payroll',
        messages: 3,
        delivered: 1,
        repeated: 0,
        refused: 0,
        blocked: 0,
        left: 2,
        duration_ms: 1_000,
      },
    ]);
  });

  test('is remembered in the next batch', async () => {
    const stage = new SlackStage([later(120_000)]);
    await stage.deliver([1]);
    expect(await stage.deliver([1])).toEqual({ failed: ['queue-1'] });
    expect(stage.posts).toEqual(['0 s: 1']);
    stage.now = START + 110_000;
    expect(await stage.deliver([1])).toEqual({ failed: [] });
    expect(stage.posts).toEqual(['0 s: 1', '120 s: 1']);
  });

  test('beyond reason is not: the queue asks again', async () => {
    const stage = new SlackStage([later(999_999_999_000)]);
    await stage.deliver([1]);
    stage.now = START + 600_000;
    expect(await stage.deliver([1])).toEqual({ failed: [] });
  });
});

describe('Slack out of order', () => {
  test('is asked again three times, further and further apart, however much time there is', async () => {
    const stage = new SlackStage(Array.from({ length: 9 }, () => later(null, 'http_500')));
    stage.budgetMs = 900_000;
    expect(await stage.deliver([1, 2])).toEqual({ failed: ['queue-1', 'queue-2'] });
    expect(stage.posts).toEqual(['0 s: 1', '2 s: 1', '10 s: 1', '30 s: 1']);
  });
});

describe('a refusal', () => {
  test('of one message takes it out of the way of the others', async () => {
    const stage = new SlackStage([TAKEN, refused('invalid_payload')]);
    expect(await stage.deliver([1, 2, 3])).toEqual({ failed: [] });
    expect(stage.dead).toEqual(['queue-2']);
    expect(stage.posts).toEqual(['0 s: 1', '1 s: 2', '2 s: 3']);
    expect(stage.lines[1]).toMatchObject({ result: 'refused', reason: 'invalid_payload' });
  });

  test('of a message that the dead letters do not take leaves it and all later ones to the queue', async () => {
    const stage = new SlackStage([refused('invalid_payload')]);
    stage.failing = 'giveUp';
    expect(await stage.deliver([1, 2])).toEqual({ failed: ['queue-1', 'queue-2'] });
    expect(stage.posts).toEqual(['0 s: 1']);
  });

  test.each(['channel_is_archived', 'no_service', 'http_403', 'answer_unexpected'])(
    'because of the channel (%s) is not asked for again with the next',
    async (reason) => {
      const stage = new SlackStage([refused(reason)]);
      expect(await stage.deliver([1, 2])).toEqual({ failed: ['queue-1', 'queue-2'] });
      expect(stage.posts).toEqual(['0 s: 1']);
      expect(stage.dead).toEqual([]);
      expect(stage.lines).toMatchObject([
        { result: 'blocked', reason },
        { blocked: 1, left: 1 },
      ]);
    },
  );
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
      const stage = new SlackStage();
      const strange = { id: 'queue-x', body, attributes: {} };
      expect(await stage.deliver([strange, 2])).toEqual({ failed: [] });
      expect(stage.dead).toEqual(['queue-x']);
      expect(stage.posts).toEqual(['0 s: 2']);
      expect(stage.lines[0]).toEqual({
        outcome: 'delivery.refused',
        channel: 'payroll',
        queueMessageId: 'queue-x',
        reason: 'message_invalid',
      });
    },
  );

  test('is remembered as delivered, at least as long as it can come back', async () => {
    const stage = new SlackStage();
    await stage.deliver([1]);
    expect(stage.deliveryStore.all()).toEqual([
      {
        eventId: 'id-1',
        destination: 'slack/payroll',
        outcome: 'delivered',
        at: START,
        attempts: 1,
        detail: null,
      },
    ]);
    expect(stage.expiry).toEqual([START + 14 * DAY_MS]);
    expect(await stage.deliver([1])).toEqual({ failed: [] });
    expect(stage.posts).toHaveLength(1);
  });

  test('that only another channel got is posted', async () => {
    const stage = new SlackStage();
    const elsewhere = { eventId: 'id-1', destination: 'slack/other', at: START, attempts: 1, detail: null };
    await stage.deliveryStore.save({ ...elsewhere, outcome: 'delivered' }, START);
    await stage.deliveryStore.save({ ...elsewhere, destination: 'slack/payroll', outcome: 'failed' }, START);
    await stage.deliver([1]);
    expect(stage.posts).toEqual(['0 s: 1']);
  });

  test('for which there is no time is not begun', async () => {
    const stage = new SlackStage();
    stage.budgetMs = 21_999;
    expect(await stage.deliver([1])).toEqual({ failed: ['queue-1'] });
    stage.budgetMs = 22_000;
    expect(await stage.deliver([1])).toEqual({ failed: [] });
  });
});

describe('a failure of this product', () => {
  test('before the post leaves this message and all later ones to the queue', async () => {
    const stage = new SlackStage();
    stage.failing = 'load';
    expect(await stage.deliver([1, 2])).toEqual({ failed: ['queue-1', 'queue-2'] });
    expect(stage.posts).toEqual([]);
    expect(stage.lines[0]).toEqual({
      outcome: 'delivery.interrupted',
      channel: 'payroll',
      messageId: 'id-1',
      reason: 'store_failed',
    });
  });

  test('after the post is no reason to post again', async () => {
    const stage = new SlackStage();
    stage.failing = 'save';
    expect(await stage.deliver([1, 2])).toEqual({ failed: [] });
    expect(stage.posts).toEqual(['0 s: 1', '1 s: 2']);
    expect(stage.lines[1]).toMatchObject({ outcome: 'delivery.interrupted', reason: 'store_failed' });
  });

  test('and is a bug is reported by its name and place, without its message', async () => {
    const stage = new SlackStage([new TypeError('a secret')]);
    expect(await stage.deliver([1])).toEqual({ failed: ['queue-1'] });
    expect(stage.lines[0]).toMatchObject({
      reason: expect.stringMatching(/^TypeError at .*deliver-chat\.test/),
    });
    expect(JSON.stringify(stage.lines)).not.toContain('a secret');
  });
});

function later(afterMs: number | null, reason = 'rate_limited'): ChatAnswer {
  return { outcome: 'later', afterMs, reason };
}

function refused(reason: string): ChatAnswer {
  return { outcome: 'refused', reason };
}

/** One channel in virtual time; a timer rings a millisecond early. What tests change is public. */
class SlackStage {
  readonly posts: string[] = [];
  readonly lines: OutcomeLine[] = [];
  readonly deliveryStore = createMemoryDeliveryStore();
  readonly expiry: number[] = [];
  now = START;
  budgetMs = 58_000;
  /** Ids of messages that were given up. */
  readonly dead: string[] = [];
  failing: 'load' | 'save' | 'giveUp' | null = null;
  readonly #answers: (ChatAnswer | Error)[];
  readonly #delivery: ChatDeliverer;

  constructor(answers: readonly (ChatAnswer | Error)[] = [], kind: ChatKind = 'slack') {
    this.#answers = [...answers];
    this.#delivery = new ChatDeliverer({ kind, channel: 'payroll', retentionDays: 3 }, this.#ports());
  }

  async deliver(given: readonly (number | QueueMessage)[]): Promise<BatchResult> {
    const messages = given.map((each) => (typeof each === 'number' ? queued(each) : each));
    return await this.#delivery.deliver({ messages, deadline: this.now + this.budgetMs });
  }

  #ports(): ChatPorts {
    return {
      chat: {
        post: async (payload) => {
          const { text = JSON.stringify(payload) } = payload as { text?: string };
          this.posts.push(`${(this.now - START) / 1_000} s: ${text}`);
          const answer = this.#answers.shift() ?? TAKEN;
          if (answer instanceof Error) throw answer;
          return answer;
        },
      },
      deliveryStore: {
        load: async (...key) => {
          this.#failAt('load');
          return await this.deliveryStore.load(...key);
        },
        save: async (delivery, expiresAt) => {
          this.#failAt('save');
          this.expiry.push(expiresAt);
          await this.deliveryStore.save(delivery, expiresAt);
        },
      },
      deadLetters: {
        giveUp: async ({ id }) => {
          this.#failAt('giveUp');
          this.dead.push(id);
        },
      },
      clock: { now: () => this.now },
      sleep: async (milliseconds) => {
        this.now += Math.max(1, milliseconds - 1);
      },
      telemetry: { report: (line) => void this.lines.push(line) },
    };
  }

  #failAt(call: 'load' | 'save' | 'giveUp'): void {
    if (this.failing === call) throw new NotifierError('store_failed', 'no', { retryable: true });
  }
}

function sample(number: number): Message {
  return message({ id: `id-${number}`, heading: String(number), lines: [], at: START - 5_000 });
}

function queued(number: number): QueueMessage {
  return { id: `queue-${number}`, body: JSON.stringify(sample(number)), attributes: {} };
}
