import { addDays, listDates } from '#shared/core/dates.ts';
import { startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { createItemStore, createPageReader, detectChanges } from '../baselines/one-item-each.ts';
import { measureCpu, median } from '../cpu.ts';
import { createPublisher, createSocketSource, DATE, startPollMachine } from '../poll-machine.ts';
import type { Row } from '../row.ts';
import { type SampleSource, startSampleSource } from '../sample-source.ts';

/** Timesheets on some dates, of which every n-th is approved in each round. */
interface Scene {
  readonly dates: number;
  readonly perDate: number;
  readonly every: number;
  readonly rounds: number;
  readonly pageSize: number;
}

const ON_ONE_DATE: Scene = { dates: 1, perDate: 1_000, every: 1, rounds: 15, pageSize: 200 };
const SCATTERED: Scene = { dates: 1, perDate: 3_200, every: 16, rounds: 15, pageSize: 200 };
const MASS: Scene = { dates: 2, perDate: 50_000, every: 1, rounds: 2, pageSize: 1_000 };

/** CPU of an event from the bytes of a changed page to the commit, with the DynamoDB client. */
export async function measureCpuOfEvent(): Promise<Row[]> {
  const buildRow = async (scene: Scene, name: string): Promise<Row> => {
    const [ours = 0, theirs = 0] = await measureScene(scene, [openPolls('none'), openBaseline()]);
    return toRow('P6', `${name}, beside ${theirs.toFixed(0)} us`, { reached: ours / theirs, atMost: 0.6 });
  };
  return [
    await buildRow(ON_ONE_DATE, '1,000 on one date'),
    await buildRow(SCATTERED, '200 scattered over 3,200'),
  ];
}

/** CPU of the poll that finds them. The baseline is that of 1,000 on a date, whose CPU grows with them. */
export async function measureCpuOfMass(): Promise<Row[]> {
  const [theirs = 0] = await measureScene(ON_ONE_DATE, [openBaseline()]);
  const beside = `beside ${((theirs * MASS.dates * MASS.perDate) / 1e6).toFixed(1)} s`;
  const [toBatches = 0] = await measureScene(MASS, [openPolls('batches')]);
  const [throughClient = 0] = await measureScene(MASS, [openPolls('client')]);
  return [
    toRow('P5', `to the batches of SNS, ${beside}`, { reached: toBatches / theirs, atMost: 0.7 }),
    toRow('P5', `through the client of SNS, ${beside}`, { reached: throughClient / theirs, atMost: 1.2 }),
  ];
}

function toRow(target: 'P5' | 'P6', metric: string, goal: Pick<Row, 'reached' | 'atMost'>): Row {
  const baseline = ['one item per timesheet: state, event and outbox, without SNS', 1] as const;
  return { target, metric, baseline, ...goal, isTime: true };
}

/** What finds changes. */
interface Finder {
  /** Returns how many it found. */
  find(): Promise<number>;
  stop(): Promise<void>;
}

type OpenFinder = (scene: Scene, source: SampleSource) => Promise<Finder>;

function openPolls(publishing: 'none' | 'batches' | 'client'): OpenFinder {
  return async ({ dates, pageSize }, source) => {
    const machine = await startPollMachine({ forwardDays: dates - 1, pageSize });
    const api = createSocketSource(source.baseUrl, machine.clock);
    const publisher =
      publishing === 'none'
        ? undefined
        : createPublisher(publishing === 'client' ? source.servicesUrl : null);
    return {
      find: async () => (await machine.poll(api, publisher)).report.counts.changes,
      stop: machine.stop,
    };
  };
}

function openBaseline(): OpenFinder {
  return async ({ perDate, pageSize }, source) => {
    const dynamo = await startEmbeddedDynamo();
    const reader = createPageReader(source.baseUrl);
    const store = createItemStore(dynamo);
    return {
      find: async () => {
        let found = 0;
        for (let page = 1; page <= perDate / pageSize; page += 1)
          found += await detectChanges(await reader.read(DATE, page, pageSize), store);
        return found;
      },
      stop: async () => {
        reader.stop();
        await dynamo.stop();
      },
    };
  };
}

/** Median CPU of a change in microseconds, by finders that look in turn. The first round finds all new, the second one warms up. */
async function measureScene(scene: Scene, open: readonly OpenFinder[]): Promise<number[]> {
  const { dates, perDate, every, rounds } = scene;
  const changes = (dates * perDate) / every;
  const range = listDates({ from: DATE, to: addDays(DATE, dates - 1) });
  const source = await startSampleSource();
  const finders = await Promise.all(open.map((each) => each(scene, source)));
  const times = finders.map((): number[] => []);
  for (let version = 0; version <= rounds + 1; version += 1) {
    await source.show({ dates: range, perDate, every, version });
    for (const [place, { find }] of finders.entries()) {
      let found = 0;
      const time = await measureCpu(async () => {
        found = await find();
      });
      if (version > 0 && found !== changes) throw new Error(`${found} changes instead of ${changes}`);
      if (version > 1) times[place]?.push(time / changes);
    }
  }
  source.stop();
  await Promise.all(finders.map(({ stop }) => stop()));
  return times.map(median);
}
