import { PublishBatchCommand, type PublishBatchInput, SNSClient } from '@aws-sdk/client-sns';
import { mockClient } from 'aws-sdk-client-mock';
import { createSnsPublisher } from '#shared/adapters/sns/publisher.ts';
import { buildBatch } from '#shared/core/commit/commit-plan.ts';
import type { EventPublisher, SnapshotStore } from '#shared/flow/poll/ports.ts';
import { poll } from '#shared/flow/poll.ts';
import {
  createSeededRandom,
  createVirtualTime,
  type VirtualTime,
} from '#test/shared/adapters/workforce-api/virtual-time.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';
import { startBenchMachine } from '../bench-machine.ts';
import { median } from '../cpu.ts';
import { createBenchConnection, createBenchPublisher, createListSource } from '../ports.ts';
import { buildCountRow, type Row, ratio } from '../row.ts';
import { sampleTimesheet } from '../sample-records.ts';

const SEED = 9;
const RECORDS = 1_000;

/** Requests to SNS per event, and bytes of an event, for 1,000 approvals. */
export async function measurePublishing(): Promise<Row[]> {
  const texts = await publishApprovals();
  const requests = await countRequests(texts);
  const bytes = median(texts.map((text) => Buffer.byteLength(text)));
  return [
    {
      topic: 'publishing',
      metric: 'SNS requests per event',
      baseline: 'one Publish per event',
      baselineValue: '1',
      ours: (requests / texts.length).toFixed(2),
      ratio: ratio(requests, texts.length),
      seed: SEED,
      goal: { value: requests / texts.length, atMost: 0.1 },
      count: requests / texts.length,
    },
    {
      topic: 'publishing',
      metric: 'bytes of an event, median',
      baseline: 'the source record as JSON',
      baselineValue: String(
        Buffer.byteLength(JSON.stringify(sampleTimesheet(0, '2026-11-16', createSeededRandom(SEED)))),
      ),
      ours: String(bytes),
      ratio: '',
      seed: SEED,
      count: bytes,
      goal: { value: bytes, atMost: 1_400 },
    },
  ];
}

/** Texts of the published events. */
async function publishApprovals(): Promise<string[]> {
  const machine = await startBenchMachine(0);
  const random = createSeededRandom(SEED);
  const records = Array.from({ length: RECORDS }, (_, index) => ({
    ...sampleTimesheet(index, '2026-11-16', random),
    approvedHours: null,
  }));
  await machine.poll(() => records);
  machine.published.length = 0;
  await machine.poll(() =>
    records.map((record) => ({ ...record, approvedHours: '2026-11-16T13:00:00.000Z' })),
  );
  await machine.stop();
  return machine.published;
}

/** Requests of the real publisher to an SNS that accepts everything. */
async function countRequests(texts: readonly string[]): Promise<number> {
  const publisher = createAcceptedPublisher({ take: async () => {}, sleep: async () => {} });
  const { requests } = await publisher.publish(texts);
  return requests;
}

interface AcceptingSns {
  /** Gets the number of events of each request, and answers when it is done. */
  readonly take: (events: number) => Promise<void>;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** The real publisher and an SNS that accepts everything. */
function createAcceptedPublisher({ take, sleep }: AcceptingSns): EventPublisher {
  const sns = mockClient(SNSClient);
  sns.on(PublishBatchCommand).callsFake(async ({ PublishBatchRequestEntries = [] }: PublishBatchInput) => {
    await take(PublishBatchRequestEntries.length);
    return { Successful: PublishBatchRequestEntries.map(({ Id }) => ({ Id, MessageId: Id })) };
  });
  const topicArns = { timesheets: 't', clockings: 'c', 'pay-periods': 'p', operations: 'o' };
  return createSnsPublisher({
    client: new SNSClient({ region: 'local' }),
    topicArns,
    sleep,
    random: () => 0.5,
  });
}

const BACKLOG_SEED = 10;
const BATCHES = 10_000;
const BACKLOG_RECORDS = 5_000;
const SNS_MS = 25;
const TABLE_MS = 10;
/** To read, publish and clear a batch. */
const IN_TURN_MS = TABLE_MS + SNS_MS + TABLE_MS;
const MINUTE_MS = 60_000;
const POLL_MS = 299_000;
/** Polls after which the measure gives up. */
const MAX_POLLS = 60;
const DATE = '2026-11-16';
const FEED = { connection: 'bench', feed: 'timesheets' } as const;
const CONNECTION = createBenchConnection({ window: { backDays: 0, forwardDays: 0 } });

/** The real flow publishes what an outage of the topics left in the outbox. Times are virtual. */
export async function measureBacklog(): Promise<Row[]> {
  const ours = await drain();
  const count = (metric: string, value: number, mine: number) =>
    buildCountRow({
      topic: 'backlog',
      metric: `${BATCHES.toLocaleString('en')} waiting batches of one event: ${metric}`,
      baseline: 'read, publish and clear one after the other',
      value,
      ours: mine,
      seed: BACKLOG_SEED,
    });
  return [
    count('seconds until nothing waits', (BATCHES * IN_TURN_MS) / 1_000, ours.seconds),
    count('events sent', BATCHES, ours.sent),
    count('requests to SNS', BATCHES, ours.requests),
    count('batches left after 60 polls', 0, ours.left),
  ];
}

async function drain(): Promise<{ seconds: number; sent: number; requests: number; left: number }> {
  const time = createVirtualTime(Date.parse(`${DATE}T08:00:00Z`));
  const store = createMemorySnapshotStore();
  await fillOutbox(store, time);
  const counted = { sent: 0, requests: 0 };
  const begun = time.now();
  let left = BATCHES;
  let drainedAt = begun;
  for (let polls = 0; polls < MAX_POLLS && left > 0; polls += 1) {
    const run = { deadline: time.now() + POLL_MS, time };
    const order = {
      store: createSlowStore(store, run),
      publisher: createSlowPublisher(run, counted),
      time,
    };
    const polling = pollOnce({ ...order, name: `drain${polls}` });
    let endedAt: number | null = null;
    const noteEnd = () => {
      endedAt = time.now();
    };
    polling.then(noteEnd, (cause: unknown) => {
      if (!(cause instanceof Killed)) throw cause;
    });
    await time.run(time.sleep(run.deadline - time.now()));
    drainedAt = endedAt ?? run.deadline;
    left = await countWaitingBatches(store);
    const nextMinute = Math.ceil((drainedAt + 1) / MINUTE_MS) * MINUTE_MS;
    await time.run(time.sleep(nextMinute - time.now()));
  }
  return { seconds: (drainedAt - begun) / 1_000, ...counted, left };
}

/** Commits during an outage: each changed the one date and left one event. */
async function fillOutbox(store: SnapshotStore, time: VirtualTime): Promise<void> {
  const sample = await pollSampleEvent(store, time);
  const [head] = await store.loadHeads(FEED, DATE);
  if (head === undefined) throw new Error(`the first poll left no head of ${DATE}`);
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const next = { ...head, revision: head.revision + batch + 1 };
    const subject = `${1_000_000 + (batch % BACKLOG_RECORDS)}_4711`;
    const text = JSON.stringify({ ...sample, id: `event-${batch}`, subject });
    await store.commit({
      feed: FEED,
      token: `batch${batch}`,
      heads: [{ head: next, expectedRevision: next.revision - 1, changedLeaves: [] }],
      leaves: [],
      events: buildBatch([text], { now: time.now() + batch, head: next }),
      eventsExpireAt: time.now() + 90 * 1_440 * MINUTE_MS,
    });
  }
}

/** A real event, of a timesheet that appeared after the first scan. */
async function pollSampleEvent(store: SnapshotStore, time: VirtualTime): Promise<Record<string, unknown>> {
  const texts: string[] = [];
  const publisher = createBenchPublisher((list) => texts.push(...list));
  for (const records of [1, 2]) {
    const polling = pollOnce({ store, publisher, time, name: `first${records}`, records });
    await time.run(Promise.all([polling, time.sleep(POLL_MS)]));
  }
  const event = texts.map((text) => JSON.parse(text) as Record<string, unknown>).at(-1);
  if (event === undefined) throw new Error('a new timesheet made no event');
  return event;
}

async function pollOnce(order: {
  readonly store: SnapshotStore;
  readonly publisher: EventPublisher;
  readonly time: VirtualTime;
  readonly name: string;
  readonly records?: number;
}): Promise<void> {
  const { store, publisher, time, name, records = 2 } = order;
  const random = createSeededRandom(BACKLOG_SEED);
  const list = Array.from({ length: records }, (_, index) => sampleTimesheet(index, DATE, random));
  await poll(
    {
      feed: FEED.feed,
      request: { connection: CONNECTION, scope: 'due' },
      runId: name,
      deadline: time.now() + POLL_MS,
    },
    {
      source: createListSource({ listOf: () => list, pageSize: 200, now: time.now }),
      store,
      publisher,
      clock: time,
      telemetry: { report: () => {} },
    },
  );
}

/** One run of the function, which is killed at its deadline whatever it is doing. */
interface FunctionRun {
  readonly time: VirtualTime;
  readonly deadline: number;
}

class Killed extends Error {}

async function spend({ time, deadline }: FunctionRun, milliseconds: number): Promise<void> {
  await time.sleep(milliseconds);
  if (time.now() >= deadline) throw new Killed('the function has reached its deadline');
}

/** Delays the operations that publish the outbox. A killed run can no longer use the store. */
function createSlowStore(store: SnapshotStore, run: FunctionRun): SnapshotStore {
  const slow = new Set<string>(['readEvents', 'readEventBatches', 'clearOutbox']);
  const methods = Object.entries(store).map(([name, method]: [string, (...given: never[]) => unknown]) => {
    const runSlowly = async (...given: never[]) => {
      await spend(run, slow.has(name) ? TABLE_MS : 0);
      return await method(...given);
    };
    return [name, runSlowly];
  });
  return Object.fromEntries(methods) as SnapshotStore;
}

/** Each request takes `SNS_MS`. */
function createSlowPublisher(run: FunctionRun, counted: { sent: number; requests: number }): EventPublisher {
  return createAcceptedPublisher({
    take: async (events) => {
      counted.requests += 1;
      counted.sent += events;
      await spend(run, SNS_MS);
    },
    sleep: (milliseconds) => spend(run, milliseconds),
  });
}

async function countWaitingBatches(store: SnapshotStore): Promise<number> {
  const heads = await store.loadHeads(FEED, '');
  return heads.reduce((sum, { outbox }) => sum + outbox.length, 0);
}
