import { beforeEach, describe, expect, test } from 'vitest';
import { NotifierError } from '#shared/core/errors.ts';
import type { BatchResult, OutcomeLine } from '#shared/flow/system.ts';
import { ChatDeliverer, type ChatPorts } from '#shared/people/flow/deliver-chat.ts';
import type { Message } from '#shared/people/message.ts';
import { message } from '#test/shared/people/sample-message.ts';
import { crashAtEveryCall, crashable } from '#test/support/crashable.ts';
import { FakeSlackChannel } from '#test/support/fake-slack-channel.ts';
import { createMemoryDeliveryStore } from '#test/support/memory-delivery-store.ts';
import { createMemoryThreadStore } from '#test/support/memory-thread-store.ts';

/** From messages in the queue of a channel to its threads in Slack. */

const THREAD = 'main#3_7';
const about = (heading: string, thread: string | undefined = THREAD) =>
  message({ id: heading, heading, lines: [], thread });
const CLOSED = about('Closed');
const REOPENED = about('Reopened');
const SETTLED = about('Settled');

let stage: Stage;

beforeEach(() => {
  stage = new Stage();
});

describe('what is told of a pay period', () => {
  test('goes into the thread of the first message about it', async () => {
    await stage.deliver(CLOSED, message({ id: 'other', heading: 'Other', lines: [] }), REOPENED);
    await stage.deliver(SETTLED, about('Closed, too', 'main#4_7'));
    expect(stage.slack.read()).toEqual(['Closed', '+ Reopened', '+ Settled', 'Other', 'Closed, too']);
  });

  test('begins another thread where somebody deleted the first message', async () => {
    await stage.deliver(CLOSED);
    stage.slack.delete('100.1');
    await stage.deliver(REOPENED, SETTLED);
    expect(stage.slack.read()).toEqual(['Reopened', '+ Settled']);
  });

  test.each(['restricted_action_thread_locked', 'thread_not_found', 'cannot_reply_to_message'])(
    'begins another thread where the first one takes no reply: %s',
    async (reason) => {
      await stage.deliver(CLOSED);
      stage.slack.refusals.push({ outcome: 'refused', reason });
      expect(await stage.deliver(REOPENED, SETTLED)).toEqual({ failed: [] });
      expect(stage.slack.read()).toEqual(['Closed', 'Reopened', '+ Settled']);
    },
  );
});

describe('a channel that takes nothing', () => {
  test.each(['invalid_auth', 'not_in_channel', 'channel_not_found'])(
    'any more (%s) leaves its messages to the queue, in order',
    async (reason) => {
      stage.slack.refusals.push({ outcome: 'refused', reason });
      expect(await stage.deliver(CLOSED, REOPENED)).toEqual({ failed: ['queue-1', 'queue-2'] });
      expect(await stage.deliver(CLOSED, REOPENED)).toEqual({ failed: [] });
      expect(stage.slack.read()).toEqual(['Closed', '+ Reopened']);
    },
  );

  test('of one message goes on with the next', async () => {
    stage.slack.refusals.push({ outcome: 'refused', reason: 'msg_blocks_too_long' });
    expect(await stage.deliver(CLOSED, REOPENED)).toEqual({ failed: [] });
    expect(stage.dead).toEqual(['queue-1']);
    expect(stage.slack.read()).toEqual(['Reopened']);
  });
});

describe('the store', () => {
  test('that cannot be read keeps the message in the queue', async () => {
    stage.failing.load = new NotifierError('store_failed', 'no', { retryable: true });
    expect(await stage.deliver(CLOSED)).toEqual({ failed: ['queue-1'] });
    expect(stage.slack.posts).toEqual([]);
  });

  test('that fails after a post is no reason to post again', async () => {
    stage.failing.save = new NotifierError('store_failed', 'no', { retryable: true });
    expect(await stage.deliver(CLOSED)).toEqual({ failed: [] });
    expect(stage.lines).toContainEqual({
      outcome: 'delivery.interrupted',
      channel: 'payroll',
      messageId: 'Closed',
      reason: 'store_failed',
    });
  });
});

test('after a crash at any call nothing is lost, and one message at most is posted twice', async () => {
  const crashes = await crashAtEveryCall(async (plan) => {
    stage = new Stage();
    const batch = [CLOSED, REOPENED, SETTLED];
    await stage.deliver(...batch, plan).catch(() => {});
    expect(await stage.deliver(...batch)).toEqual({ failed: [] });
    const texts = stage.slack.posts.map(({ text }) => text);
    expect(new Set(texts)).toEqual(new Set(['Closed', 'Reopened', 'Settled']));
    expect(texts.length).toBeLessThanOrEqual(4);
    return plan.crashed;
  });
  expect(crashes).toBeGreaterThanOrEqual(12);
});

type Plan = Parameters<typeof crashable>[1];

/** One channel in virtual time. */
class Stage {
  readonly slack = new FakeSlackChannel();
  readonly threads = createMemoryThreadStore();
  readonly deliveryStore = createMemoryDeliveryStore();
  readonly lines: OutcomeLine[] = [];
  readonly dead: string[] = [];
  readonly failing: { load: Error | null; save: Error | null } = { load: null, save: null };
  now = Date.parse('2026-11-16T21:00:00.000Z');

  /** The messages of a batch, in a process of its own, which dies as a plan says. */
  async deliver(...given: readonly (Message | Plan)[]): Promise<BatchResult> {
    const plan = given.find((each): each is Plan => !('heading' in each)) ?? null;
    const messages = given
      .filter((each): each is Message => 'heading' in each)
      .map((each, at) => ({ id: `queue-${at + 1}`, body: JSON.stringify(each), attributes: {} }));
    return await this.#start(plan).deliver({ messages, deadline: this.now + 58_000 });
  }

  #start(plan: Plan | null): ChatDeliverer {
    const wrap = <Port extends object>(port: Port) => (plan === null ? port : crashable(port, plan));
    const { threads, failing } = this;
    const ports: ChatPorts = {
      chat: { post: async () => ({ outcome: 'refused', reason: 'not_used' }) },
      threads: {
        bot: wrap(this.slack.bot),
        store: wrap({
          load: async (thread: string) => {
            if (failing.load !== null) throw failing.load;
            return await threads.load(thread);
          },
          save: async (...given: Parameters<typeof threads.save>) => {
            if (failing.save !== null) throw failing.save;
            await threads.save(...given);
          },
        }),
      },
      deliveryStore: wrap(this.deliveryStore),
      deadLetters: { giveUp: async ({ id }) => void this.dead.push(id) },
      clock: { now: () => this.now },
      sleep: async (milliseconds) => {
        this.now += milliseconds;
      },
      telemetry: { report: (line) => void this.lines.push(line) },
    };
    return new ChatDeliverer({ kind: 'slack', channel: 'payroll', retentionDays: 3 }, ports);
  }
}
