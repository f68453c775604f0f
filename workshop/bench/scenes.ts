import { bucketSize, planSteps } from '#shared/core/commit/steps.ts';
import { findDiffering } from '#shared/core/compare/compare.ts';
import { addDays, listDates } from '#shared/core/dates.ts';
import { type Look, Looking } from '#shared/core/look/look.ts';
import { createHead, type Head } from '#shared/core/snapshot/head.ts';
import type { SourceApi } from '#shared/flow/poll/ports.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import {
  countUnitsOfChange,
  createFreeStore,
  createItemStore,
  detectChanges,
  type ItemStore,
  READ_UNITS,
} from './baseline.ts';
import { DATE } from './company.ts';
import {
  createBenchClock,
  createPublisher,
  createSource,
  type SampleSource,
  START,
  startPollMachine,
  startSampleSource,
} from './machine.ts';
import type { Row } from './table.ts';

/** Timesheets on some dates, of which every n-th is approved in each round. */
interface Scene {
  readonly dates: number;
  readonly perDate: number;
  readonly every: number;
  readonly rounds: number;
  readonly pageSize: number;
  /** Each round shows what the first one did. */
  readonly isUnchanged?: true;
}

const ON_ONE_DATE: Scene = { dates: 1, perDate: 1_000, every: 1, rounds: 15, pageSize: 200 };
const SCATTERED: Scene = { dates: 1, perDate: 3_200, every: 16, rounds: 15, pageSize: 200 };
const MASS: Scene = { dates: 2, perDate: 50_000, every: 1, rounds: 2, pageSize: 1_000 };
/** The size to plan for. */
const WINDOW: Scene = { dates: 14, perDate: 50_000, every: 1, rounds: 1, pageSize: 1_000 };
const DESIGN = 'one item per timesheet';

/** CPU of an event from the bytes of a changed page to the commit, with the DynamoDB client. */
export async function measureCpuOfEvent(): Promise<Row[]> {
  const buildRow = async (scene: Scene, name: string): Promise<Row> => {
    const [ours = 0, theirs = 0] = await measureScene(scene, [openPolls(), openBaseline(createItemStore)]);
    const metric = `CPU of a changed event, ${name}, beside ${theirs.toFixed(0)} us`;
    return toRow({ target: 'P6', metric, reached: ours / theirs, atMost: 0.6 });
  };
  return [
    await buildRow(ON_ONE_DATE, '1,000 on one date'),
    await buildRow(SCATTERED, '200 scattered over 3,200'),
  ];
}

/**
 * CPU of the poll that finds them and gives them to SNS. The baseline is that of 1,000 on a date, whose CPU grows with
 * them.
 */
export async function measureCpuOfMass(): Promise<Row[]> {
  const [theirs = 0] = await measureScene(ON_ONE_DATE, [openBaseline(createItemStore)]);
  const [ours = 0] = await measureScene(MASS, [openPolls(createPublisher)]);
  const metric = 'CPU of 100,000 approvals at once, through the client of SNS';
  return [toRow({ target: 'P5', metric, reached: ours / theirs, atMost: 1.2 })];
}

function toRow(row: Pick<Row, 'target' | 'metric' | 'reached' | 'atMost'>): Row {
  return { ...row, baseline: [`${DESIGN}: state, event and outbox, without SNS`, 1], isTime: true };
}

/** What finds changes. */
interface Finder {
  /** Returns how many it found. */
  find(): Promise<number>;
  stop(): Promise<void>;
}

type OpenFinder = (scene: Scene, source: SampleSource) => Promise<Finder>;

function openPolls(createOwn?: typeof createPublisher): OpenFinder {
  return async (scene, source) => {
    const machine = await startPollMachine(scene, source);
    const publisher = createOwn?.(source.endpoint);
    return { find: async () => (await machine.poll(publisher)).changes, stop: machine.stop };
  };
}

function openBaseline(createStore: (dynamo: EmbeddedDynamo) => ItemStore): OpenFinder {
  return async ({ perDate, pageSize }, { endpoint }) => {
    const dynamo = await startEmbeddedDynamo();
    const store = createStore(dynamo);
    const query = `dateFrom=${DATE}&dateTo=${DATE}&pageSize=${pageSize}`;
    const find = async () => {
      let found = 0;
      for (let page = 1; page <= perDate / pageSize; page += 1) {
        const answer = await fetch(`${endpoint}/api/v1/timesheets?page=${page}&${query}`);
        found += await detectChanges(await answer.json(), store);
      }
      return found;
    };
    return { find, stop: () => dynamo.stop() };
  };
}

/**
 * Median CPU in microseconds, of a change where there are some, by finders that look in turn, so that what else the machine
 * does troubles all alike. The first round finds all new, the second one warms up.
 */
async function measureScene(scene: Scene, open: readonly OpenFinder[]): Promise<number[]> {
  const { dates, perDate, every, rounds, isUnchanged = false } = scene;
  const source = await startSampleSource();
  const finders = await Promise.all(open.map((each) => each(scene, source)));
  const range = listDates({ from: DATE, to: addDays(DATE, dates - 1) });
  const changes = isUnchanged ? 0 : (dates * perDate) / every;
  const times = finders.map((): number[] => []);
  for (let round = 0; round <= rounds + 1; round += 1) {
    await source.show({ dates: range, perDate, every, version: isUnchanged ? 1 : round });
    for (const [place, { find }] of finders.entries()) {
      let found = 0;
      const time = await measureCpu(async () => {
        found = await find();
      });
      if (round > 0 && found !== changes) throw new Error(`${found} changes instead of ${changes}`);
      if (round > 1) times[place]?.push(time / Math.max(1, changes));
    }
  }
  source.stop();
  await Promise.all(finders.map(({ stop }) => stop()));
  return times.map(median);
}

/** Units of DynamoDB, as the embedded engine counts them. */
export async function measureStorage(): Promise<Row[]> {
  const [many, one] = [await countUnits(WINDOW, 0), await countUnits(ON_ONE_DATE, 1)];
  const timesheets = WINDOW.dates * WINDOW.perDate;
  return [
    {
      ...{
        target: 'P2',
        metric: `unchanged poll of ${timesheets.toLocaleString('en')} timesheets, read units`,
      },
      ...{ baseline: [DESIGN, READ_UNITS * timesheets], reached: many.read, atMost: 200 },
    },
    {
      ...{
        target: 'P3',
        metric: '1,000 changes on one date at once, with lease and state: write units each',
      },
      baseline: [`${DESIGN}: state, event, outbox`, await countUnitsOfChange()],
      ...{ reached: one.write / ON_ONE_DATE.perDate, atMost: 0.4 },
    },
  ];
}

/** Of a poll that sees a version, after one that saw no approval. */
async function countUnits(scene: Scene, version: number) {
  const source = await startSampleSource();
  const machine = await startPollMachine(scene, source);
  try {
    const dates = listDates({ from: DATE, to: addDays(DATE, scene.dates - 1) });
    await source.show({ ...scene, dates, version: 0 });
    await machine.poll();
    await source.show({ ...scene, dates, version });
    return (await machine.poll()).units;
  } finally {
    source.stop();
    await machine.stop();
  }
}

/** CPU of a page without changes, from the socket until it is known that no bucket of its date differs. */
export async function measureCpuOfPage(): Promise<Row[]> {
  const buildRow = async (size: number, atMost: number): Promise<Row> => {
    const scene: Scene = { dates: 1, perDate: size, pageSize: size, every: 2, rounds: 60, isUnchanged: true };
    const [ours = 0, theirs = 0] = await measureScene(scene, [openLooks, openBaseline(createFreeStore)]);
    const metric = `CPU of an unchanged page of ${size.toLocaleString('en')}, beside ${theirs.toFixed(0)} us`;
    const baseline = [`${DESIGN}: zod, stringify, MD5`, 1] as const;
    return { target: 'P4', metric, baseline, reached: ours / theirs, atMost, isTime: true };
  };
  return [await buildRow(200, 0.85), await buildRow(1_000, 0.75)];
}

/** Looks, and compares with the first look; finds how many buckets differ. */
const openLooks: OpenFinder = async ({ pageSize }, { endpoint }) => {
  const api = createSource(endpoint, createBenchClock());
  let head: Head | null = null;
  const find = async () => {
    const look = await lookAt(api, pageSize);
    head ??= toHead(look);
    return findDiffering(look, head).length;
  };
  return { find, stop: () => Promise.resolve() };
};

async function lookAt(api: SourceApi, size: number): Promise<Look> {
  const range = { from: DATE, to: DATE };
  const page = await api.page({ feed: 'timesheets', range, page: 1, size });
  const looking = new Looking('timesheets', range, { timeZone: 'UTC', startedAt: START });
  looking.take(page);
  const [look] = looking.end(START);
  if (look?.problem !== null) throw new Error(`the look is incomplete: ${look?.problem}`);
  return look;
}

/** The head of a date that was seen like this. */
function toHead({ texts }: Look): Head {
  const empty = createHead({ feed: 'timesheets', slice: DATE });
  const rows = [...texts].map(([id, text]) => ({ id, epoch: START, sequence: 0, sent: {}, text }));
  const [step] = planSteps(empty, [{ index: 0, rows, texts: [] }], bucketSize(rows.length));
  return step?.head ?? empty;
}

/**
 * CPU time of a work in microseconds, over all threads of this process: waiting does not count. What ran before leaves it
 * no garbage to collect.
 */
async function measureCpu(work: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
