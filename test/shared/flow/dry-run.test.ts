import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type RunningSource, startSource } from '#local/source/server.ts';
import { createWorkforceApi } from '#shared/adapters/workforce-api/api.ts';
import { createRateLimiter } from '#shared/adapters/workforce-api/rate-limiter.ts';
import { createSourceApi } from '#shared/adapters/workforce-api/source-api.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { dryRun } from '#shared/flow/dry-run.ts';
import type { EventPublisher, SnapshotStore, SourceApi } from '#shared/flow/poll/ports.ts';
import { poll } from '#shared/flow/poll.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';
import { createReadOnlyStore } from '#test/support/read-only-store.ts';

const MORNING = Date.parse('2026-03-04T22:00:00Z');
const TODAY = '2026-03-05';
const TIME_LIMIT_MS = 60_000;

let source: RunningSource;
let store: SnapshotStore;
let now: number;
let published: string[];

beforeAll(async () => {
  source = await startSource({ startsAt: MORNING, timeZone: 'Pacific/Auckland', speed: 0 });
});

afterAll(async () => {
  await source.close();
});

beforeEach(() => {
  store = createMemorySnapshotStore();
  now = MORNING;
  published = [];
});

test('what a dry run returns is what the next poll publishes, byte for byte', async () => {
  await realPoll();
  published = [];
  create();
  const then = now + 60_000;

  now = then;
  const dry = await runDry('timesheets');
  now = then;
  const again = await runDry('timesheets');
  now = then;
  await realPoll();

  expect(dry.events.length).toBeGreaterThan(0);
  expect(dry.events).toEqual(published.map((text) => ({ text, committed: false })));
  expect(again.events).toEqual(dry.events);
  expect(dry.report).toMatchObject({ outcome: 'complete', counts: { changes: 1, eventsPublished: 1 } });
});

test('a first scan would install the baseline, and installs nothing', async () => {
  const { events, report } = await runDry('pay-periods');

  expect(events.map(({ text }) => JSON.parse(text).type)).toEqual(['workforce.baseline.completed']);
  expect(report.baselined).toBe(true);
  expect(await store.loadFeedState({ connection: 'main', feed: 'pay-periods' })).toBeNull();
});

test('events that an earlier poll committed and could not publish come first, marked as committed', async () => {
  await realPoll();
  create();
  now += 60_000;
  await realPoll({
    publish: async (texts) => ({ published: 0, unpublished: [...texts.keys()], requests: 1 }),
  });
  create();
  now += 60_000;

  const { events } = await runDry('timesheets');

  expect(events.map(({ committed }) => committed)).toEqual([true, false]);
});

test('while a poll runs a dry run scans all the same', async () => {
  await realPoll();
  const lease = { owner: 'poll', now, expiresAt: now + TIME_LIMIT_MS, takeOver: false };
  await store.acquireLease({ connection: 'main', feed: 'timesheets' }, lease);

  expect((await runDry('timesheets')).report.outcome).toBe('complete');
});

test('a dry run that a real poll disturbs is repeated', async () => {
  await realPoll();
  create();
  now += 60_000;
  let looks = 0;
  const torn: SnapshotStore = {
    ...store,
    readLeaves: async (feed, refs) => {
      looks += 1;
      // Between its reading of heads and of leaves.
      if (looks === 1) await realPoll();
      return store.readLeaves(feed, refs);
    },
  };

  const { report, events } = await runDry('timesheets', torn);

  expect(report).toMatchObject({ outcome: 'complete', counts: { conflicts: 0, changes: 0 } });
  expect(events).toEqual([]);
  expect(looks).toBeGreaterThan(0);
});

test('a dry run that is torn every time says so', async () => {
  await realPoll();
  create();
  now += 60_000;
  const torn: SnapshotStore = {
    ...store,
    readLeaves: async (feed, refs) =>
      (await store.readLeaves(feed, refs)).map((leaf) => ({ ...leaf, rows: leaf.rows.slice(1) })),
  };

  const { report } = await runDry('timesheets', torn);

  expect(report).toMatchObject({
    outcome: 'incomplete',
    reasons: ['another poll committed first; the next one scans again'],
  });
});

/** A dry run on a store whose every write is an error. */
async function runDry(feed: FeedName, from: SnapshotStore = store) {
  return dryRun(order(feed), {
    source: client(),
    clock: { now: () => now },
    store: createReadOnlyStore(from),
  });
}

async function realPoll(publisher: EventPublisher = taking()) {
  return poll(order('timesheets'), {
    source: client(),
    clock: { now: () => now },
    store,
    publisher,
    telemetry: { report: () => {} },
  });
}

function taking(): EventPublisher {
  return {
    publish: async (texts) => {
      published.push(...texts);
      return { published: texts.length, unpublished: [], requests: 1 };
    },
  };
}

function order(feed: FeedName) {
  return {
    feed,
    request: { connection: connection(), scope: 'window' as const },
    runId: 'run-1',
    deadline: now + TIME_LIMIT_MS,
  };
}

function connection() {
  return connectionSchema.parse({
    name: 'main',
    baseUrl: source.baseUrl,
    timeZone: 'Pacific/Auckland',
    secretName: 'notifier/main',
    window: { backDays: 1, forwardDays: 1 },
  });
}

function client(): SourceApi {
  const { baseUrl, requests } = connection();
  const api = createWorkforceApi({
    baseUrl,
    requests,
    credential: {
      secretName: 'notifier/main',
      token: async () => source.token,
      renew: async () => source.token,
    },
    rateLimiter: createRateLimiter({ maxPerSecond: 1_000, now: () => now, sleep: pass, random: () => 0 }),
    now: () => now,
    deadline: () => now + TIME_LIMIT_MS,
  });
  return createSourceApi(api, { pageSize: requests.pageSize, now: () => now });
}

/** Waiting takes no time but that of the test: where the clock stood still, a turn would never come. */
async function pass(milliseconds: number): Promise<void> {
  now += milliseconds;
}

function create(): void {
  const outcome = source.company.apply({ change: 'create', date: TODAY });
  if (outcome.outcome !== 'done') throw new Error(`the company created nothing: ${JSON.stringify(outcome)}`);
}
