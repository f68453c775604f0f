import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import { layOutGeneration } from '#shared/core/commit/generation.ts';
import { addDays, listDates } from '#shared/core/dates.ts';
import { feedDefinition, readRow } from '#shared/core/records/feed-definition.ts';
import { EMPTY_FEED_STATE } from '#shared/core/snapshot/feed-state.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { poll } from '#shared/flow/poll.ts';
import { createSeededRandom } from '#test/shared/adapters/workforce-api/virtual-time.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import type { NewRosterResult } from './measures/memory.ts';
import { createBenchConnection, createBenchPublisher, createListSource, listOf } from './ports.ts';
import { sampleTimesheet } from './sample-records.ts';

const TODAY = '2026-11-16';
/** Every poll reads it; it is empty at first. */
const ROSTER_DATE = addDays(TODAY, 1);
const KNOWN_DATES = listDates({ from: addDays(TODAY, -49), to: TODAY });
const NOW = Date.parse(`${TODAY}T09:00:00Z`);
const FEED = { connection: 'bench', feed: 'timesheets' } as const;
const MAX_POLLS = 20;
const POLL_MS = 299_000;
const PAGE_SIZE = 200;

const CALLS_PER_SAMPLE = 10;

/** Most bytes of live heap beyond the start; each sample follows a garbage collection, which is slow. */
class HeapMeter {
  leavesRead = 0;
  growth = 0;
  #before = 0;
  #calls = 0;

  begin(): void {
    globalThis.gc?.();
    this.#before = process.memoryUsage().heapUsed;
  }

  sample(): void {
    this.#calls += 1;
    if (this.#calls % CALLS_PER_SAMPLE !== 1) return;
    globalThis.gc?.();
    this.growth = Math.max(this.growth, process.memoryUsage().heapUsed - this.#before);
  }
}

/** Polls until a roster of `rosterSize` is published; `knownPerDate` timesheets are known on each of 50 dates. */
async function runNewRoster(rosterSize: number, knownPerDate: number): Promise<NewRosterResult> {
  const meter = new HeapMeter();
  const dynamo = await startEmbeddedDynamo();
  const store = await createKnownWindow(dynamo, knownPerDate, meter);
  let now = NOW;
  const countOn = (date: string) =>
    date === ROSTER_DATE ? rosterSize : KNOWN_DATES.includes(date) ? knownPerDate : 0;
  meter.begin();
  const startedAt = performance.now();
  let [events, polls] = [0, 0];
  for (; polls < MAX_POLLS && events < rosterSize; polls += 1, now += 60_000) {
    const report = await poll(
      {
        feed: 'timesheets',
        request: { connection: CONNECTION, scope: 'due' },
        runId: `run${polls}`,
        deadline: now + POLL_MS,
      },
      {
        source: createListSource({
          listOf: (date) => listOf(countOn(date), (index) => buildTimesheet(date, index)),
          pageSize: PAGE_SIZE,
          now: () => now,
          wait: async () => {
            now += 1;
          },
        }),
        store,
        publisher: createBenchPublisher(() => meter.sample()),
        clock: { now: () => now },
        telemetry: { report: () => {} },
      },
    );
    events += report.counts.eventsCommitted;
  }
  await dynamo.stop();
  return {
    events,
    polls,
    leavesRead: meter.leavesRead,
    heapGrowthMb: Math.round(meter.growth / 1_048_576),
    seconds: Math.round((performance.now() - startedAt) / 1_000),
  };
}

const CONNECTION = createBenchConnection();

/** The same timesheet in every call, so that no list needs to stay in memory. */
function buildTimesheet(date: string, index: number): Record<string, unknown> {
  const place = (Date.parse(date) / 86_400_000) * 100_000 + index;
  return {
    ...sampleTimesheet(index, date, createSeededRandom(place)),
    id: `${place}_4711`,
    clockIn: null,
    clockOut: null,
    approvedHours: null,
  };
}

/** What is known is in the engine, so that the heap holds records only while the poll does. */
async function createKnownWindow(
  { client, tableName }: EmbeddedDynamo,
  perDate: number,
  meter: HeapMeter,
): Promise<SnapshotStore> {
  const store = createDynamoSnapshotStore({ client, tableName, sleep: async () => {}, random: () => 0.5 });
  for (const date of KNOWN_DATES) await installDate(store, date, perDate);
  await installDate(store, ROSTER_DATE, 0);
  await store.saveFeedState({
    feed: FEED,
    token: 'state',
    state: {
      ...EMPTY_FEED_STATE,
      revision: 1,
      baseline: { from: addDays(TODAY, -35), to: addDays(TODAY, 14), startedAt: 0, completedAt: 1 },
    },
    expectedRevision: null,
    events: null,
    eventsExpireAt: 0,
  });
  return {
    ...store,
    readLeaves: async (feed, refs) => {
      meter.leavesRead += refs.length;
      const leaves = await store.readLeaves(feed, refs);
      meter.sample();
      return leaves;
    },
  };
}

async function installDate(store: SnapshotStore, date: string, count: number): Promise<void> {
  const at = NOW - 30_000;
  const definition = feedDefinition('timesheets');
  const records = Array.from({ length: count }, (_, index) => buildTimesheet(date, index));
  const rows = records.map((record) => ({
    id: String(record.id),
    state: readRow(definition, record),
    sequence: 1,
    epoch: at,
    sent: {},
  }));
  const base = { slice: date, revision: 1, generation: '1-x', baselinedAt: at, observedAt: at, outbox: [] };
  const plan = layOutGeneration(definition, base, { rows, tombstones: [] });
  await store.writeGeneration(FEED, plan.leaves);
  await store.commit({
    feed: FEED,
    token: `install ${date}`,
    heads: [{ head: plan.head, expectedRevision: null, changedLeaves: null }],
    leaves: [],
    events: null,
    eventsExpireAt: 0,
  });
}

const [, , rosterSize = '50000', knownPerDate = '14000'] = process.argv;
console.log(JSON.stringify(await runNewRoster(Number(rosterSize), Number(knownPerDate))));
