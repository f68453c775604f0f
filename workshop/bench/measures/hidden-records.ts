import { walkPages } from '#shared/core/fetch/pages.ts';
import type { SourceApi } from '#shared/flow/poll/ports.ts';
import { poll } from '#shared/flow/poll.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';
import { createBenchConnection } from '../bench-connection.ts';
import { VirtualTime } from '../fortnight/flow/virtual-time.ts';
import { buildListPage } from '../list-page.ts';
import { buildCountRow, type Row } from '../row.ts';
import { createSeededRandom, sampleTimesheet } from '../sample-records.ts';

const SEED = 7;
const DATE = '2026-11-16';
const RECORDS = 1_000;
const HIDDEN = 400;
const DELETED = 30;
const MINUTES = 180;
const MINUTE_MS = 60_000;
const REQUEST_MS = 50;
const START = Date.parse(`${DATE}T08:00:00Z`);

/** Requests by id in three hours, with 400 records that only the list leaves out and 30 deleted ones. */
export async function measureHiddenRecords(): Promise<Row[]> {
  const { lookUps, removals } = await runThreeHours();
  return [
    buildCountRow({
      topic: 'hidden',
      metric: `requests by id in 3 hours, ${HIDDEN} records hidden from the list`,
      baseline: 'every absent record requested in every poll',
      value: countBaselineLookUps(),
      ours: lookUps,
      seed: SEED,
    }),
    buildCountRow({
      topic: 'hidden',
      metric: `deleted records among them that were not published, of ${DELETED}`,
      baseline: 'the same',
      value: 0,
      ours: DELETED - removals,
      seed: SEED,
    }),
  ];
}

/** The baseline: every poll requests each absent record until the source answers that it is gone. */
function countBaselineLookUps(): number {
  const absent = new Set(Array.from({ length: HIDDEN + DELETED }, (_, index) => index));
  let lookUps = 0;
  for (let minute = 0; minute < MINUTES; minute += 1) {
    for (const record of absent) {
      lookUps += 1;
      if (record >= HIDDEN) absent.delete(record);
    }
  }
  return lookUps;
}

async function runThreeHours(): Promise<{ lookUps: number; removals: number }> {
  const random = createSeededRandom(SEED);
  const records = new Map(
    Array.from({ length: RECORDS }, (_, index) => {
      const record = sampleTimesheet(index, DATE, random);
      return [String(record.id), record] as const;
    }),
  );
  const ids = [...records.keys()];
  const time = new VirtualTime(START);
  const hidden = new Set<string>();
  const requests = { pages: 0, lookUps: 0 };
  const source = createSource({ records, hidden, requests, time });
  const store = createMemorySnapshotStore();
  let removals = 0;
  const connection = createBenchConnection();
  const publisher = {
    publish: async (texts: readonly string[]) => {
      removals += texts.filter((text) => text.includes('workforce.timesheet.removed')).length;
      return { published: texts.length, unpublished: [], requests: 1 };
    },
  };
  for (let minute = 0; minute <= MINUTES; minute += 1) {
    const at = START + minute * MINUTE_MS;
    await time.runUntil(at);
    const polling = poll(
      {
        feed: 'timesheets',
        request: { connection, scope: 'due' },
        runId: `run${minute}`,
        deadline: at + 299_000,
      },
      { source, store, publisher, clock: { now: () => time.now() }, telemetry: { report: () => {} } },
    );
    await time.runUntil(at + MINUTE_MS - 1);
    await polling;
    if (minute > 0) continue;
    for (const id of ids.slice(0, HIDDEN)) hidden.add(id);
    for (const id of ids.slice(HIDDEN + 100, HIDDEN + 100 + DELETED)) records.delete(id);
  }
  return { lookUps: requests.lookUps, removals };
}

function createSource(world: {
  readonly records: ReadonlyMap<string, Record<string, unknown>>;
  readonly hidden: ReadonlySet<string>;
  readonly requests: { pages: number; lookUps: number };
  readonly time: VirtualTime;
}): SourceApi {
  const { records, hidden, requests, time } = world;
  const answer = async <Contents extends object>(contents: () => Contents) => {
    const requestedAt = time.now();
    await time.sleep(REQUEST_MS);
    return { ...contents(), requestedAt, receivedAt: time.now() };
  };
  return {
    counts: () => ({ requests: requests.pages + requests.lookUps, throttled: 0 }),
    lookUp: async (_feed, id) => {
      requests.lookUps += 1;
      const { record, ...times } = await answer(() => ({ record: records.get(id) }));
      return record === undefined ? { outcome: 'gone', ...times } : { outcome: 'found', record, ...times };
    },
    pages: (_feed, range) =>
      walkPages(() => {
        requests.pages += 1;
        const holdsDate = range !== null && range.from <= DATE && DATE <= range.to;
        return answer(() => {
          const listed = holdsDate ? [...records.values()].filter(({ id }) => !hidden.has(String(id))) : [];
          return buildListPage([listed], { page: 1, pageSize: RECORDS });
        });
      }),
  };
}
