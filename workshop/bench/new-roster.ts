import { readLeafItem, toLeafItem } from '#shared/adapters/dynamo/snapshot/leaf-items.ts';
import { layOutGeneration } from '#shared/core/commit/generation.ts';
import { addDays, listDates } from '#shared/core/dates.ts';
import { feedDefinition, readRow } from '#shared/core/records/feed-definition.ts';
import { EMPTY_FEED_STATE } from '#shared/core/snapshot/feed-state.ts';
import { toLeafKey } from '#shared/core/snapshot/snapshot.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { poll } from '#shared/flow/poll.ts';
import { createSeededRandom } from '#test/shared/adapters/workforce-api/virtual-time.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';
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

type LeafItems = Map<string, ReturnType<typeof toLeafItem>>;

/** Polls until a roster of `rosterSize` is published; `knownPerDate` timesheets are known on each of 50 dates. */
async function runNewRoster(rosterSize: number, knownPerDate: number): Promise<NewRosterResult> {
  const meter = new HeapMeter();
  const store = await createKnownWindow(knownPerDate, meter);
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

/** Keeps leaves as DynamoDB items, so that the heap holds parsed records only while the poll does. */
async function createKnownWindow(perDate: number, meter: HeapMeter): Promise<SnapshotStore> {
  const inner = createMemorySnapshotStore();
  const items: LeafItems = new Map();
  for (const date of KNOWN_DATES) await installDate(inner, items, { date, count: perDate });
  await installDate(inner, items, { date: ROSTER_DATE, count: 0 });
  await inner.saveFeedState({
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
  return createPackedStore(inner, items, meter);
}

async function installDate(
  inner: SnapshotStore,
  items: LeafItems,
  { date, count }: { readonly date: string; readonly count: number },
): Promise<void> {
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
  for (const leaf of plan.leaves) items.set(toLeafKey(leaf), toLeafItem(FEED, leaf));
  await inner.commit({
    feed: FEED,
    token: `install ${date}`,
    heads: [{ head: plan.head, expectedRevision: null, changedLeaves: null }],
    leaves: [],
    events: null,
    eventsExpireAt: 0,
  });
}

function createPackedStore(inner: SnapshotStore, items: LeafItems, meter: HeapMeter): SnapshotStore {
  return {
    ...inner,
    writeGeneration: async (feed, leaves) => {
      for (const leaf of leaves) items.set(toLeafKey(leaf), toLeafItem(feed, leaf));
    },
    deleteLeaves: async (_feed, refs) => {
      for (const ref of refs) items.delete(toLeafKey(ref));
    },
    commit: async (step) => {
      // DynamoDB would keep the texts of events, not the heap of the poll.
      const { events } = step;
      const emptied = events === null ? null : { ...events, chunks: events.chunks.map(() => []) };
      const outcome = await inner.commit({ ...step, leaves: [], events: emptied });
      if (outcome === 'committed')
        for (const leaf of step.leaves) items.set(toLeafKey(leaf), toLeafItem(step.feed, leaf));
      return outcome;
    },
    readLeaves: async (_feed, refs) => {
      meter.leavesRead += refs.length;
      const leaves = refs.map((ref) => {
        const { slice, generation, index } = ref;
        const item = items.get(toLeafKey(ref));
        return item === undefined
          ? { slice, generation, index, rows: [], tombstones: [] }
          : readLeafItem(item, ref);
      });
      meter.sample();
      return leaves;
    },
  };
}

const [, , rosterSize = '50000', knownPerDate = '14000'] = process.argv;
console.log(JSON.stringify(await runNewRoster(Number(rosterSize), Number(knownPerDate))));
