import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACCOUNT } from '../account.ts';
import { compareArrivals, joinArrivals } from '../notifiers/arrivals.ts';
import { startDeployedNotifier } from '../notifiers/deployed-notifier.ts';
import { startLocalNotifier } from '../notifiers/local-notifier.ts';
import { type Arrivals, type Notifier, releaseAlerts, runSchedules } from '../notifiers/notifier.ts';
import { createQueue } from '../queues.ts';
import type { Report } from '../report.ts';
import type { Stack } from '../stage.ts';
import {
  buildEverything,
  CONNECTIONS,
  EVERYTHING_PROPS,
  EVERYTHING_QUEUES,
  FOUND_QUEUE,
  SUMMARY_AT,
} from '../world/everything.ts';
import { startReceiver } from '../world/receiver.ts';
import { createSecrets, SIGNING_SECRET } from '../world/world.ts';
import { expectSame, expectText, parseEvent } from './expectations.ts';
import { ALL, type Life } from './living.ts';
import type { Scene } from './scene.ts';

/** Minutes between two rounds: a working day, a night with its pay run, and a morning. */
export const TWO_DAYS: readonly number[] = [0, 60, 180, 240, 120, 60, 720, 60, 120];
/** So long a reminder waits for others. */
const GATHERED_MINUTES = 1;
const LOCAL_ACCOUNT = '000000000000';

/** The working day alone. */
export const ONE_DAY = TWO_DAYS.slice(0, 6);

/** A notifier that lived for some days, and all that arrived in them. */
type Lived = Pick<Life, 'deployed' | 'arrived' | 'config'>;

/** A config that uses everything, and what arrives of the same days here and there. Null when it did not come to that. */
export async function runEverything(
  report: Report,
  scene: Scene,
  rounds: readonly number[] = TWO_DAYS,
): Promise<Lived | null> {
  const { aws, world, stack } = scene;
  const config = buildEverything(world.addresses);
  const file = world.writeConfig('everything', config);
  await report.run('a config that uses everything: synth', () =>
    stack.synth({ as: 'everything', config: file, props: EVERYTHING_PROPS }),
  );
  await report.run('deploy it beside the default one', async () => {
    await createQueue(aws, FOUND_QUEUE);
    await createSecrets(aws, world, config);
    return await stack.deploy();
  });
  let lived: Lived | null = null;
  await report.run('two days of three companies', async () => {
    const deployed = await startDeployedNotifier({ scene, queues: EVERYTHING_QUEUES });
    const { got, wanted } = await liveTwice(deployed, scene, rounds);
    lived = { deployed, arrived: got, config: file };
    return `${compareArrivals(got, wanted)}; ${checkToldByTime(got)}`;
  });
  return lived;
}

async function liveTwice(deployed: Notifier, { aws, world, stack }: Scene, rounds: readonly number[]) {
  const receiver = await startReceiver({ secret: SIGNING_SECRET });
  const local = await startLocalNotifier({
    ...world,
    receiver,
    assembly: moveToLocalAccount(stack, join(aws.folder, 'local-assembly')),
    dataFolder: join(aws.folder, 'local-data'),
    stackName: stack.name,
    signingSecret: SIGNING_SECRET,
    queues: EVERYTHING_QUEUES,
  });
  try {
    let [got, wanted]: [Arrivals, Arrivals] = [new Map(), new Map()];
    for (const minutes of rounds) {
      await world.companies.advance(minutes);
      await Promise.all([runSchedules(deployed), runSchedules(local)]);
      await world.companies.advance(GATHERED_MINUTES);
      await Promise.all([releaseAlerts(deployed), releaseAlerts(local)]);
      got = joinArrivals(got, await deployed.take());
      wanted = joinArrivals(wanted, await local.take());
    }
    const refused = [...world.receiver.refused, ...receiver.refused];
    if (refused.length > 0) throw new Error(`signatures did not hold: ${refused[0]}`);
    return { got, wanted };
  } finally {
    await local.stop();
    await receiver.stop();
  }
}

/** The account of one machine has another number, which is only in the address of the queue that is found. */
function moveToLocalAccount(stack: Stack, folder: string): string {
  cpSync(stack.synthesized(), folder, { recursive: true });
  const file = join(folder, `${stack.name}.template.json`);
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(ACCOUNT, LOCAL_ACCOUNT));
  return folder;
}

const DUE = 'workforce.pay_period.due';
const MISSING = 'workforce.timesheet.clock_in_missing';
const CLOCKED_IN = 'workforce.timesheet.clocked_in';
/** Of the calendars of `main`. */
const REMINDERS = ['1h', '2h'];

/** By what a message of each channel is recognised: its pay period, and its deadline or what became of it. */
const TOLD: readonly (readonly [place: string, recognised: RegExp])[] = [
  ['slack payroll', /\b12:30\b.*Fortnightly \d/],
  // In its thread, with the reminder that began it.
  [
    'slack payroll',
    /"thread":"main: [^"]*\b12:30\b[^"]*Fortnightly \d[^"]*","text":"main: [^"]*Fortnightly \d/,
  ],
  ['mail accounts@acme.example payroll@acme.example', /\b12:30\b[\s\S]*Fortnightly \d/],
  ['teams board', /\b10:30\b.*Weekly \d/],
  // A clock-in that was missing came before anybody was told.
  ['slack night-watch', /(?:Weekly|Fortnightly) \d/],
];

/**
 * What the config asks for and only time brings about on the first day: reminders of deadlines, a daily summary of each
 * connection, and a clock-in that is missing until it comes.
 */
function checkToldByTime(arrived: Arrivals): string {
  const all = [...new Set(arrived.get(ALL) ?? [])];
  const of = (type: string) => all.filter((text) => parseEvent(text).type === type);
  const due = of(DUE).map(readDue);
  const reminders = due.flatMap(({ reminder }) => reminder?.before ?? []);
  expectSame(reminders, REMINDERS, 'reminders');
  const summarized = due.filter(({ summaries }) => summaries.includes(SUMMARY_AT));
  expectSame(
    summarized.map(({ connection }) => connection),
    CONNECTIONS,
    'connections with a daily summary',
  );
  const missing = of(MISSING).map(parseEvent);
  const came = of(CLOCKED_IN).map(parseEvent);
  if (missing.length === 0) throw new Error('no clock-in was missing');
  const ended = missing.filter(({ source, subject }) =>
    came.some((other) => other.source === source && other.subject === subject),
  );
  if (ended.length === 0) throw new Error('no missing clock-in came');
  for (const [place, recognised] of TOLD)
    expectText((arrived.get(place) ?? []).join('\n'), recognised, place);
  return `${reminders.length} reminders, ${summarized.length} daily summaries, clock-ins missing: ${missing.length}, of which came: ${ended.length}`;
}

interface DueEvent {
  readonly connection: string;
  readonly reminder: { readonly before: string } | null;
  readonly summaries: readonly string[];
}

function readDue(text: string): DueEvent {
  const { connection, data } = JSON.parse(text) as {
    readonly connection: string;
    readonly data: Omit<DueEvent, 'connection'>;
  };
  return { ...data, connection };
}
