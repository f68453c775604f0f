import { expect, test } from 'vitest';
import { createSeenEvents } from '#local/run/output/seen-events.ts';
import { describeUndelivered } from '#local/run/run.ts';
import type { Machine } from '#local/run/session/machine.ts';
import { openRecipients } from '#local/run/session/recipients.ts';

const MINUTE_MS = 60_000;
const never = new AbortController().signal;

test('a drain waits for the last message as long as messages are delivered', async () => {
  const { recipients, queue, time } = fakeMachine({ messages: 5_000, perSecond: 7 });

  expect(await recipients.drain(never)).toBe(true);

  expect(queue.messages).toBe(0);
  expect(time.now()).toBeGreaterThan(11 * MINUTE_MS);
});

test('half a minute without a delivery ends it, and the rest is reported', async () => {
  const { recipients, queue, time } = fakeMachine({ messages: 1_690, perSecond: 100, stuckAt: 690 });

  expect(await recipients.drain(never)).toBe(false);

  expect(time.now()).toBeGreaterThanOrEqual(10_000 + 30_000);
  expect(time.now()).toBeLessThan(10_000 + 35_000);
  expect(recipients.undelivered()).toEqual([{ queueName: 'webhook-payroll', messages: queue.messages }]);
  expect(describeUndelivered(recipients.undelivered(), '.data')).toBe(
    '690 messages were not delivered (690 in webhook-payroll); they are kept in .data and sent by the next run',
  );
});

test('messages that only return and are received again are no progress', async () => {
  const { recipients, time } = fakeMachine({ messages: 100, perSecond: 10, stuckAt: 50, comeBack: 20 });

  expect(await recipients.drain(never)).toBe(false);
  expect(time.now()).toBeLessThan(MINUTE_MS);
});

test('alerts are released once all are collected, not before', async () => {
  const { recipients, released } = fakeMachine({ messages: 3, perSecond: 100 });

  await recipients.drain(never);

  expect(released).toEqual([0]);
});

test('a stop request ends it at once', async () => {
  const { recipients, time } = fakeMachine({ messages: 10, perSecond: 0 });

  expect(await recipients.drain(AbortSignal.abort())).toBe(false);
  expect(time.now()).toBe(0);
});

interface FakeQueue {
  readonly messages: number;
  readonly perSecond: number;
  /** From this time on nothing is delivered. */
  readonly stuckAt?: number;
  /** Messages that return when it is stuck, and are in flight again a second later. */
  readonly comeBack?: number;
}

/** A machine with one queue in virtual time. */
function fakeMachine({ messages, perSecond, stuckAt = 0, comeBack = 0 }: FakeQueue) {
  let milliseconds = 0;
  const released: number[] = [];
  const queue = {
    get messages() {
      const left = Math.max(stuckAt, Math.ceil(messages - (perSecond * milliseconds) / 1_000));
      return left > stuckAt ? left : left + (Math.floor(milliseconds / 1_000) % 2) * comeBack;
    },
  };
  const time = {
    now: () => milliseconds,
    pause: async (pause: number) => {
      milliseconds += pause;
    },
  };
  const backlog = () =>
    queue.messages === 0 ? [] : [{ queueName: 'webhook-payroll', messages: queue.messages }];
  const aws = { deployment: { functions: [] }, idle: () => queue.messages === 0, backlog };
  const polling = { functionName: 'poll' };
  const machine = { aws, polling, mails: [], attempts: null, tellsPeople: true } as unknown as Machine;
  const jobs = { releaseAll: async () => void released.push(queue.messages) };
  return {
    recipients: openRecipients({ machine, jobs, events: createSeenEvents(), show: async () => {}, time }),
    queue,
    time,
    released,
  };
}
