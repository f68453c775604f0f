import { createSeededRandom } from '#test/shared/adapters/workforce-api/virtual-time.ts';
import { type Detector, nangoLike, onePerTimesheet } from '../baselines/detectors.ts';
import { createPageReader } from '../baselines/fetch-page.ts';
import { createDynamoStore, splitIntoChunks } from '../baselines/store.ts';
import { measureCpu, median } from '../cpu.ts';
import { DATE, type PageMachine, startPageMachine } from '../page-machine.ts';
import { type Row, ratio } from '../row.ts';
import { sampleTimesheet } from '../sample-records.ts';

const SEED = 5;
const PAGE_SIZE = 200;
const ROUNDS = 9;

/** Timesheets on a date, of which every n-th is approved in each round. */
interface Scene {
  readonly name: string;
  readonly records: number;
  readonly every: number;
}

const APPROVALS: Scene = { name: '1,000 approvals on a date of 1,000', records: 1_000, every: 1 };
const SCENES: readonly Scene[] = [
  APPROVALS,
  // A leaf holds about 16 timesheets: nearly every leaf is read, compared and written.
  { name: '200 approvals among 3,200, one per leaf', records: 3_200, every: 16 },
];

const DETECTORS: readonly (readonly [string, Detector])[] = [
  ['one item per timesheet: state, event and outbox', onePerTimesheet],
  ['Nango-like: whole records into a cache', nangoLike],
];

/** CPU from the bytes of changed pages to committed events, including the DynamoDB client. */
export async function measureChangeCost(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const scene of SCENES) {
    const machine = await startPageMachine(PAGE_SIZE);
    try {
      rows.push(...(await measureScene(scene, machine)));
    } finally {
      await machine.stop();
    }
  }
  return rows;
}

async function measureScene(scene: Scene, machine: PageMachine): Promise<Row[]> {
  const { pages } = machine;
  const versions = createVersions(scene);
  const changes = scene.records / scene.every;
  const rounds = (poll: () => Promise<number>) => measureRounds(scene, pages, poll);
  const ours = await rounds(async () => (await machine.poll()).counts.eventsCommitted);
  const row = (baseline: string, value: number): Row => ({
    topic: 'cpu',
    metric: `CPU per event, from the socket to the commit, ${scene.name}`,
    baseline,
    baselineValue: `${value.toFixed(0)} us`,
    ours: `${ours.toFixed(0)} us`,
    ratio: ratio(ours, value),
    seed: SEED,
  });
  const texts = await pages.serve(splitIntoChunks(versions(0), PAGE_SIZE));
  const parse = await rounds(() => {
    for (const text of texts) JSON.parse(text);
    return Promise.resolve(changes);
  });
  const rows = [row('JSON.parse of the same pages', parse)];
  for (const [name, detector] of DETECTORS)
    rows.push(row(name, await measureDetector(scene, machine, detector)));
  return rows;
}

/** CPU of the first baseline for an event, in microseconds, where all timesheets of a date change. */
export async function measureOnePerTimesheet(): Promise<number> {
  const machine = await startPageMachine(PAGE_SIZE);
  try {
    return await measureDetector(APPROVALS, machine, onePerTimesheet);
  } finally {
    await machine.stop();
  }
}

async function measureDetector(
  scene: Scene,
  { pages, dynamo }: PageMachine,
  detector: Detector,
): Promise<number> {
  const reader = createPageReader(pages.baseUrl);
  const store = createDynamoStore(dynamo.client, dynamo.tableName);
  const time = await measureRounds(scene, pages, async () => {
    let found = 0;
    for (let page = 1; page <= scene.records / PAGE_SIZE; page += 1)
      found += await detector(await reader.read(page), store);
    return found;
  });
  reader.stop();
  return time;
}

/** Median CPU for an event in microseconds. */
async function measureRounds(
  scene: Scene,
  pages: PageMachine['pages'],
  poll: () => Promise<number>,
): Promise<number> {
  const versions = createVersions(scene);
  const changes = scene.records / scene.every;
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await pages.serve(splitIntoChunks(versions(round), PAGE_SIZE));
    let found = 0;
    const time = await measureCpu(async () => {
      found = await poll();
    });
    // The first round finds everything new.
    if (round > 0 && found !== changes) throw new Error(`found ${found} changes instead of ${changes}`);
    if (round > 0) times.push(time / changes);
  }
  return median(times);
}

/** The timesheets of a date; each version moves the approval time of some of them. */
function createVersions({ records, every }: Scene): (version: number) => readonly unknown[] {
  const random = createSeededRandom(SEED);
  const first = Array.from({ length: records }, (_, number) => sampleTimesheet(number, DATE, random));
  return (version) => {
    const approvedHours = new Date(Date.parse(`${DATE}T10:00:00Z`) + version * 1_000).toISOString();
    return first.map((record, index) => (index % every === 0 ? { ...record, approvedHours } : record));
  };
}
