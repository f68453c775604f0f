import { PublishBatchCommand, type PublishBatchCommandInput, SNSClient } from '@aws-sdk/client-sns';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSnsPublisher } from '#shared/adapters/sns/publisher.ts';
import { publishOutbox } from '#shared/flow/poll/commit-and-publish.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { eventText, Outbox } from '#test/shared/flow/poll/outbox.ts';
import { mockClient } from '#test/support/mock-client.ts';

const SNS_MS = 25;
const TABLE_MS = 10;
const BATCHES = 10_000;

const sns = mockClient(SNSClient);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  sns.reset();
});

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test('10,000 waiting batches drain as fast as SNS takes full requests, and not batch after batch', async () => {
  const outbox = new Outbox();
  await outbox.commit(...Array.from({ length: BATCHES }, (_, n) => [eventText(`r${n % 5_000}`, 1 + n)]));
  const requests = { sns: 0, reads: 0, clears: 0 };
  sns
    .on(PublishBatchCommand)
    .callsFake(async ({ PublishBatchRequestEntries = [] }: PublishBatchCommandInput) => {
      requests.sns += 1;
      await pause(SNS_MS);
      return { Successful: PublishBatchRequestEntries.map(({ Id }) => ({ Id })), Failed: [] };
    });
  const { store } = outbox;
  const slow: SnapshotStore = {
    ...store,
    async readEventBatches(feed, pointers) {
      requests.reads += Math.ceil(pointers.length / 100);
      await pause(TABLE_MS);
      const texts = await Promise.all(pointers.map((pointer) => store.readEvents(feed, pointer)));
      return new Map(pointers.map((pointer, index) => [pointer, texts[index] ?? null]));
    },
    async clearOutbox(feed, entries) {
      requests.clears += 1;
      await pause(TABLE_MS);
      await store.clearOutbox(feed, entries);
    },
  };
  const publisher = createSnsPublisher({
    client: new SNSClient({ region: 'local' }),
    topicArns: { timesheets: 'arn:timesheets' },
    sleep: async (milliseconds) => void (await pause(milliseconds)),
    random: () => 0.5,
  });

  const began = Date.now();
  const drained = publishOutbox(await outbox.entries(), outbox.feed, { store: slow, publisher });
  await vi.runAllTimersAsync();
  const outcome = await drained;
  const seconds = (Date.now() - began) / 1000;

  expect(outcome).toMatchObject({ published: BATCHES, waiting: 0 });
  expect(requests).toEqual({ sns: 1_000, reads: 103, clears: 103 });
  expect(seconds).toBeLessThan(10);
});
