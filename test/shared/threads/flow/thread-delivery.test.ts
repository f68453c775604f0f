import { beforeEach, describe, expect, test } from 'vitest';
import type { Alert, ChannelMessage } from '#shared/alerts/alert.ts';
import { ChatDeliverer, type ChatPorts } from '#shared/alerts/flow/deliver-chat.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { BatchResult, OutcomeLine } from '#shared/flow/system.ts';
import { compose, tell } from '#test/shared/threads/sample-threads.ts';
import { crashAtEveryCall, crashable } from '#test/support/crashable.ts';
import { FakeSlackChannel } from '#test/support/fake-slack-channel.ts';
import { createMemoryDeliveryLedger } from '#test/support/memory-delivery-ledger.ts';
import { createMemoryThreadStore } from '#test/support/memory-thread-store.ts';

/** From messages in the queue of a channel to its threads in Slack. */

const START = Date.parse('2026-11-16T21:00:00.000Z');
const CLOSED = 'Weekly 9-15 Nov closed: 2 not approved (as of Mon 16 Nov 11:58)';
const REOPENED = 'Hold the pay file of Weekly 9-15 Nov: it was reopened';
const SETTLED = 'Pay 1,914.5 h for Weekly 9-15 Nov (51 people), +2 h since it closed';
const REVERTED = 'Hold back 8 h of Ana Lee, Kitchen, Thu 12 Nov: its processing was undone';
const LATE = { late: ['close'], closedPeriods: [{ id: '3_4711', calendar: 'Weekly' }] };
const close = () => tell('pay_period.closed');
const reopen = () => tell('pay_period.reopened', { minute: 5 });
const settle = () => tell('pay_period.statement', { minute: 9 });

let stage: Stage;

beforeEach(() => {
  stage = new Stage();
});

describe('what happens to a pay period', () => {
  test('goes into one thread, whose head says how it is now', async () => {
    await stage.deliver([close()]);
    expect(stage.slack.read()).toEqual([CLOSED]);
    await stage.deliver([reopen()]);
    expect(stage.slack.read()).toEqual([REOPENED, `+# ${REOPENED}`]);
    await stage.deliver([settle()]);
    expect(stage.slack.read()).toEqual([SETTLED, `+# ${REOPENED}`, `+# ${SETTLED}`]);
  });

  test('posts with a second between its calls', async () => {
    await stage.deliver([close()], [reopen()]);
    expect(stage.times).toEqual(['post 0', 'update 1', 'post 2']);
  });
});

describe('a timesheet', () => {
  test('that is reversed late is shown in the channel, and its end only in its thread', async () => {
    await stage.deliver([tell('timesheet.changed')]);
    await stage.deliver([tell('timesheet.processing_reverted', { minute: 5 })]);
    await stage.deliver([tell('timesheet.processed', { minute: 9 })]);
    expect(stage.slack.read()).toEqual([
      'Ana Lee, Kitchen, Thu 12 Nov: 7.5 to 8 h (+0.5), finish 17:00 to 17:30',
      `+# ${REVERTED}`,
      '+ Ana Lee, Kitchen, Thu 12 Nov: processed',
    ]);
  });

  test('in a digest has its head changed, and no reply', async () => {
    await stage.deliver([tell('timesheet.processing_reverted')]);
    const other = tell('timesheet.changed', { minute: 5, values: { subject: '1_7' } });
    await stage.deliver([tell('timesheet.processed', { minute: 5 }), other]);
    expect(stage.slack.read()).toEqual([
      'Ana Lee, Kitchen, Thu 12 Nov: processed again, after its pay period closed',
      expect.stringMatching(/^1 timesheet changed, 1 /),
    ]);
    expect(stage.threads.all.has('timesheet#main#1_7')).toBe(false);
  });

  test('that changes after its period closed changes the head of the period', async () => {
    await stage.deliver([close()]);
    await stage.deliver([tell('timesheet.changed', { minute: 5, data: LATE })]);
    expect(stage.slack.calls).toEqual(['post', 'post', 'update']);
    expect(stage.threads.all.get('period#main#3_4711')?.thread).toMatchObject({ isStale: false });
  });
});

describe('a trouble', () => {
  test('has its end in its thread, and the next one has another', async () => {
    const times = [0, 1].map((day) => day * 60);
    for (const minute of times) {
      await stage.deliver([tell('source.unreachable', { minute })]);
      await stage.deliver([tell('source.recovered', { minute: minute + 26 })]);
    }
    const once = ['Settled: The timesheets can be read again', '+ The timesheets can be read again'];
    expect(stage.slack.read()).toEqual([...once, ...once]);
  });

  test('whose beginning was not told here ends in a message of its own', async () => {
    await stage.deliver([tell('source.recovered')]);
    expect(stage.slack.read()).toEqual(['The timesheets can be read again']);
    expect(stage.threads.all.size).toBe(0);
  });
});

describe('a head', () => {
  test('that somebody deleted is followed by a new thread', async () => {
    await stage.deliver([close()]);
    stage.slack.delete('100.1');
    await stage.deliver([reopen()]);
    expect(stage.slack.read()).toEqual([REOPENED]);
    await stage.deliver([settle()]);
    expect(stage.slack.read()).toEqual([SETTLED, `+# ${SETTLED}`]);
  });

  test('that was deleted when it could not be updated is followed by what Slack makes of the reply', async () => {
    await stage.deliver([close()]);
    stage.slack.delete('100.1');
    stage.slack.refusals.update.push(later('ratelimited', 30_000));
    await stage.deliver([reopen()]);
    await stage.deliver([settle()]);
    expect(stage.slack.read()).toEqual([SETTLED, `+# ${SETTLED}`]);
  });

  test.each(['cant_update_message', 'edit_window_closed', 'message_not_found'])(
    'that cannot be updated (%s) is followed by a new thread',
    async (reason) => {
      await stage.deliver([close()]);
      stage.slack.refusals.update.push({ outcome: 'refused', reason });
      await stage.deliver([reopen()]);
      expect(stage.slack.read()).toEqual([CLOSED, REOPENED]);
    },
  );

  test('whose thread takes no replies is followed by a new one, in the same delivery', async () => {
    await stage.deliver([close()]);
    stage.slack.refusals.post.push({ outcome: 'refused', reason: 'restricted_action_thread_locked' });
    expect(await stage.deliver([reopen()])).toEqual({ failed: [] });
    expect(stage.slack.read()).toEqual([REOPENED, REOPENED]);
  });

  test('that is limited holds up no reply, and is made up for after it', async () => {
    await stage.deliver([close()]);
    stage.slack.refusals.update.push(later('ratelimited', 5_000));
    expect(await stage.deliver([reopen()])).toEqual({ failed: [] });
    expect(stage.times).toEqual(['post 0', 'update 1', 'post 2', 'update 6']);
    expect(stage.slack.read()).toEqual([REOPENED, `+# ${REOPENED}`]);
  });

  test('that is limited for long is made up for with the next message of the channel', async () => {
    await stage.deliver([close()]);
    stage.slack.refusals.update.push(later('rate_limited', 90_000));
    expect(await stage.deliver([reopen()])).toEqual({ failed: [] });
    expect(stage.slack.read()).toEqual([CLOSED, `+# ${REOPENED}`]);
    stage.now += 120_000;
    await stage.deliver([tell('source.unreachable', { minute: 30 })]);
    expect(stage.slack.read()[0]).toBe(REOPENED);
  });

  test('that is limited is not tried again before its time, with other messages either', async () => {
    await stage.deliver([close()]);
    stage.slack.refusals.update.push(later('ratelimited', 90_000));
    await stage.deliver([reopen()], [settle()]);
    expect(stage.times).toEqual(['post 0', 'update 1', 'post 2', 'post 3']);
    expect(stage.slack.read()).toEqual([CLOSED, `+# ${REOPENED}`, `+# ${SETTLED}`]);
  });

  test('that was not current when the function died is updated when its message comes again', async () => {
    await stage.deliver([close()]);
    stage.slack.refusals.update.push(later('ratelimited', 90_000));
    await stage.deliver([reopen()]);
    stage.restart();
    stage.now += 120_000;
    expect(await stage.deliverAgain()).toEqual({ failed: [] });
    expect(stage.slack.read()).toEqual([REOPENED, `+# ${REOPENED}`]);
  });

  test('leaves its time to the message when there is little', async () => {
    await stage.deliver([close()]);
    stage.budgetMs = 30_000;
    await stage.deliver([reopen()]);
    expect(stage.times).toEqual(['post 0', 'post 1', 'update 2']);
    expect(stage.slack.read()).toEqual([REOPENED, `+# ${REOPENED}`]);
  });

  test('that Slack does not take as it is costs no reply', async () => {
    await stage.deliver([close()]);
    stage.slack.refusals.update.push({ outcome: 'refused', reason: 'invalid_blocks' });
    expect(await stage.deliver([reopen()])).toEqual({ failed: [] });
    expect(stage.slack.read()).toEqual([CLOSED, `+# ${REOPENED}`]);
    expect(stage.lines.find(({ outcome }) => outcome === 'head.updated')).toEqual({
      outcome: 'head.updated',
      channel: 'payroll',
      result: 'refused',
      reason: 'invalid_blocks',
      duration_ms: 0,
    });
  });
});

describe('a channel that takes nothing', () => {
  test.each(['invalid_auth', 'not_in_channel', 'channel_not_found', 'is_archived', 'token_revoked'])(
    'any more (%s) leaves its messages to the queue, in order',
    async (reason) => {
      stage.slack.refusals.post.push({ outcome: 'refused', reason });
      expect(await stage.deliver([close()], [reopen()])).toEqual({ failed: ['queue-1', 'queue-2'] });
      expect(stage.dead).toEqual([]);
      expect(await stage.deliverAgain()).toEqual({ failed: [] });
      expect(stage.slack.read()).toEqual([REOPENED, `+# ${REOPENED}`]);
    },
  );

  test('of one message goes on with the next', async () => {
    stage.slack.refusals.post.push({ outcome: 'refused', reason: 'msg_blocks_too_long' });
    expect(await stage.deliver([close()], [reopen()])).toEqual({ failed: [] });
    expect(stage.dead).toEqual(['queue-1']);
    expect(stage.slack.read()).toEqual([REOPENED]);
  });
});

describe('the store', () => {
  test('that cannot be read keeps the message in the queue', async () => {
    stage.failing.load = new NotifierError('store_failed', 'no', { retryable: true });
    expect(await stage.deliver([close()])).toEqual({ failed: ['queue-1'] });
    expect(stage.slack.posts).toEqual([]);
  });

  test('with a thread that no version can read posts all the same', async () => {
    stage.failing.load = new NotifierError('store_item_unreadable', 'no');
    expect(await stage.deliver([close()])).toEqual({ failed: [] });
    expect(stage.slack.read()).toEqual([CLOSED]);
  });

  test('that fails after a post is no reason to post again', async () => {
    stage.failing.save = new NotifierError('store_failed', 'no', { retryable: true });
    expect(await stage.deliver([close()])).toEqual({ failed: [] });
    expect(stage.lines).toContainEqual(
      expect.objectContaining({ outcome: 'delivery.interrupted', reason: 'store_failed' }),
    );
  });

  test('that another run wrote to keeps the message in the queue, and then has it once', async () => {
    await stage.deliver([close()]);
    const { save } = stage.threads;
    let isFirst = true;
    stage.threads.save = async (...given) => {
      if (!isFirst) return await save(...given);
      isFirst = false;
      return 'conflict';
    };
    expect(await stage.deliver([reopen()])).toEqual({ failed: ['queue-1'] });
    expect(await stage.deliverAgain()).toEqual({ failed: [] });
    expect(stage.slack.read()).toEqual([REOPENED, `+# ${REOPENED}`]);
  });
});

test('after a crash at any call nothing is lost, one message at most is posted twice, and the heads are right', async () => {
  let twice = 0;
  const crashes = await crashAtEveryCall(async (plan) => {
    stage = new Stage();
    const batches = [
      [close()],
      [reopen()],
      [tell('timesheet.changed', { minute: 6, data: LATE })],
      [settle()],
    ];
    stage.crashes = plan;
    await stage.deliver(...batches).catch(() => {});
    stage.crashes = null;
    expect(await stage.deliverAgain()).toEqual({ failed: [] });
    const texts = stage.slack.posts.map(({ text }) => text);
    const replies = stage.slack.posts.filter(({ threadTs }) => threadTs !== null).map(({ text }) => text);
    expect(new Set(replies)).toEqual(new Set([REOPENED, SETTLED]));
    const heads = stage.slack.posts.filter(({ threadTs }) => threadTs === null);
    const [thread] = [...stage.threads.all.values()].filter(({ thread }) =>
      thread.topic.startsWith('period'),
    );
    expect(heads.find(({ ts }) => ts === thread?.thread.ts)?.text).toBe(SETTLED);
    expect(texts.length - 4).toBeLessThanOrEqual(1);
    if (texts.length > 4) twice += 1;
    expect([...stage.threads.all.values()].filter(({ thread }) => thread.isStale)).toEqual([]);
    return plan.crashed;
  });
  expect(crashes).toBeGreaterThanOrEqual(40);
  // A crash between a post and both its notes.
  expect(twice).toBeGreaterThan(0);
  expect(twice).toBeLessThanOrEqual(12);
});

function later(reason: string, afterMs: number | null) {
  return { outcome: 'later', afterMs, reason } as const;
}

type Plan = Parameters<typeof crashable>[1];

/** One channel in virtual time. */
class Stage {
  readonly slack = new FakeSlackChannel();
  readonly threads = createMemoryThreadStore();
  readonly ledger = createMemoryDeliveryLedger();
  readonly lines: OutcomeLine[] = [];
  readonly dead: string[] = [];
  readonly times: string[] = [];
  readonly failing: { load: Error | null; save: Error | null } = { load: null, save: null };
  now = START;
  budgetMs = 58_000;
  /** When the function dies; null when it does not. */
  crashes: Plan | null = null;
  #last: readonly ChannelMessage[] = [];
  #deliverer: ChatDeliverer | null = null;

  /** Another process of the function has the next batch. */
  restart(): void {
    this.#deliverer = null;
  }

  /** Delivers the messages of a batch, each given by its alerts. */
  async deliver(...messages: readonly (readonly Alert[])[]): Promise<BatchResult> {
    this.#last = messages.flatMap((alerts) => compose(...alerts));
    return await this.deliverAgain();
  }

  /** The queue has the last batch again. After a crash another process has it. */
  async deliverAgain(): Promise<BatchResult> {
    if (this.crashes !== null || this.#deliverer === null) this.#deliverer = this.#start();
    const messages = this.#last.map((message, at) => ({
      id: `queue-${at + 1}`,
      body: JSON.stringify(message),
      attributes: {},
    }));
    const deliverer = this.#deliverer;
    if (this.crashes !== null) this.#deliverer = null;
    return await deliverer.deliver({ messages, deadline: this.now + this.budgetMs });
  }

  #start(): ChatDeliverer {
    const wrap = <Port extends object>(port: Port) =>
      this.crashes === null ? port : crashable(port, this.crashes);
    const { bot } = this.slack;
    const note = (call: string) => void this.times.push(`${call} ${(this.now - START) / 1_000}`);
    const ports: ChatPorts = {
      chat: { post: async () => ({ outcome: 'refused', reason: 'not_used' }) },
      threads: {
        bot: wrap({
          post: async (...given: Parameters<typeof bot.post>) => {
            note('post');
            return await bot.post(...given);
          },
          update: async (...given: Parameters<typeof bot.update>) => {
            note('update');
            return await bot.update(...given);
          },
        }),
        store: wrap({
          load: async (topic: string) => {
            if (this.failing.load !== null) throw this.failing.load;
            return await this.threads.load(topic);
          },
          save: async (...given: Parameters<typeof this.threads.save>) => {
            if (this.failing.save !== null) throw this.failing.save;
            return await this.threads.save(...given);
          },
        }),
      },
      ledger: wrap(this.ledger),
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
