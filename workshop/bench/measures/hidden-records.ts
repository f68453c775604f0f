import { poll } from '#shared/flow/poll.ts';
import { createSeededRandom, createVirtualTime } from '#test/shared/adapters/workforce-api/virtual-time.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';
import { createBenchConnection, createBenchPublisher, createListSource } from '../ports.ts';
import { buildCountRow, type Row } from '../row.ts';
import { sampleTimesheet } from '../sample-records.ts';

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
  const time = createVirtualTime(START);
  const hidden = new Set<string>();
  const source = createListSource({
    listOf: (date) =>
      date === DATE ? [...records.values()].filter(({ id }) => !hidden.has(String(id))) : [],
    find: (id) => records.get(id),
    pageSize: RECORDS,
    now: time.now,
    wait: () => time.sleep(REQUEST_MS),
  });
  const store = createMemorySnapshotStore();
  let removals = 0;
  const connection = createBenchConnection();
  const publisher = createBenchPublisher((texts) => {
    removals += texts.filter((text) => text.includes('workforce.timesheet.removed')).length;
  });
  for (let minute = 0; minute <= MINUTES; minute += 1) {
    const at = START + minute * MINUTE_MS;
    await time.run(time.sleep(at - time.now()));
    const polling = poll(
      {
        feed: 'timesheets',
        request: { connection, scope: 'due' },
        runId: `run${minute}`,
        deadline: at + 299_000,
      },
      { source, store, publisher, clock: time, telemetry: { report: () => {} } },
    );
    await time.run(polling);
    if (minute > 0) continue;
    for (const id of ids.slice(0, HIDDEN)) hidden.add(id);
    for (const id of ids.slice(HIDDEN + 100, HIDDEN + 100 + DELETED)) records.delete(id);
  }
  return { lookUps: source.sent.lookUps, removals };
}
