import { addDays, listDates } from '#shared/core/dates.ts';
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

const ON_ONE_DATE: Scene = { dates: 1, perDate: 1_000, every: 1, rounds: 9, pageSize: 200 };
const SCATTERED: Scene = { dates: 1, perDate: 3_200, every: 16, rounds: 9, pageSize: 200 };
const MASS: Scene = { dates: 2, perDate: 50_000, every: 1, rounds: 2, pageSize: 1_000 };

/** CPU of an event from the bytes of a changed page to the commit, with the DynamoDB client. */
export async function measureCpuOfEvent(): Promise<Row[]> {
  const buildRow = async (scene: Scene, name: string): Promise<Row> => {
    const [ours, theirs] = [await measurePolls(scene), await measureBaseline(scene)];
    return toRow('P6', `${name}, beside ${theirs.toFixed(0)} us`, { reached: ours / theirs, atMost: 0.6 });
  };
  return [
    await buildRow(ON_ONE_DATE, '1,000 on one date'),
    await buildRow(SCATTERED, '200 scattered over 3,200'),
  ];
}

/** CPU of the poll that finds them. The baseline is that of 1,000 on a date, whose CPU grows with them. */
export async function measureCpuOfMass(): Promise<Row[]> {
  const theirs = await measureBaseline(ON_ONE_DATE);
  const beside = `beside ${((theirs * MASS.dates * MASS.perDate) / 1e6).toFixed(1)} s`;
  const toBatches = await measurePolls(MASS);
  const throughClient = await measurePolls(MASS, 'through the client of SNS');
  return [
    toRow('P5', `to the batches of SNS, ${beside}`, { reached: toBatches / theirs, atMost: 0.7 }),
    toRow('P5', `through the client of SNS, ${beside}`, { reached: throughClient / theirs, atMost: 1.2 }),
  ];
}

function toRow(target: 'P5' | 'P6', metric: string, goal: Pick<Row, 'reached' | 'atMost'>): Row {
  const baseline = ['one item per timesheet: state, event and outbox, without SNS', 1] as const;
  return { target, metric, baseline, ...goal, isTime: true };
}

/** Microseconds an event. */
async function measurePolls(scene: Scene, publishing?: 'through the client of SNS'): Promise<number> {
  const { dates, pageSize } = scene;
  const machine = await startPollMachine({ forwardDays: dates - 1, pageSize });
  const source = await startSampleSource();
  const api = createSocketSource(source.baseUrl, machine.clock);
  const publisher = createPublisher(publishing === undefined ? null : source.servicesUrl);
  try {
    return await measureRounds(
      scene,
      source,
      async () => (await machine.poll(api, publisher)).report.counts.changes,
    );
  } finally {
    source.stop();
    await machine.stop();
  }
}

async function measureBaseline(scene: Scene): Promise<number> {
  const { perDate, pageSize } = scene;
  const machine = await startPollMachine({ forwardDays: 0, pageSize });
  const source = await startSampleSource();
  const reader = createPageReader(source.baseUrl);
  const store = createItemStore(machine.dynamo);
  try {
    return await measureRounds(scene, source, async () => {
      let found = 0;
      for (let page = 1; page <= perDate / pageSize; page += 1)
        found += await detectChanges(await reader.read(DATE, page, pageSize), store);
      return found;
    });
  } finally {
    reader.stop();
    source.stop();
    await machine.stop();
  }
}

/** Median CPU of a change in microseconds. The first round finds everything new, and the second one warms up. */
async function measureRounds(
  { dates, perDate, every, rounds }: Scene,
  source: SampleSource,
  look: () => Promise<number>,
): Promise<number> {
  const changes = (dates * perDate) / every;
  const range = listDates({ from: DATE, to: addDays(DATE, dates - 1) });
  const times: number[] = [];
  for (let version = 0; version <= rounds + 1; version += 1) {
    await source.show({ dates: range, perDate, every, version });
    let found = 0;
    const time = await measureCpu(async () => {
      found = await look();
    });
    if (version > 0 && found !== changes) throw new Error(`${found} changes instead of ${changes}`);
    times.push(time / changes);
  }
  return median(times.slice(2));
}
