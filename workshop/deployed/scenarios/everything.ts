import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACCOUNT } from '../account.ts';
import { compareArrivals, joinArrivals } from '../notifiers/arrivals.ts';
import { startDeployedNotifier } from '../notifiers/deployed-notifier.ts';
import { startLocalNotifier } from '../notifiers/local-notifier.ts';
import { type Arrivals, type Notifier, refreshNames, runSchedules } from '../notifiers/notifier.ts';
import { createQueue } from '../queues.ts';
import type { Report } from '../report.ts';
import type { Stack } from '../stage.ts';
import { createBus } from '../world/bus.ts';
import { buildEverything, EVERYTHING_QUEUES, FOUND_QUEUE } from '../world/everything.ts';
import { startReceiver } from '../world/receiver.ts';
import { createSecrets, SIGNING_SECRET } from '../world/world.ts';
import type { Scene } from './scene.ts';
import { checkToldByTime } from './told-by-time.ts';

/** Minutes between two rounds: a working day, a night with its pay run, and a morning. */
export const TWO_DAYS: readonly number[] = [0, 60, 180, 240, 120, 60, 720, 60, 120];
const LOCAL_ACCOUNT = '000000000000';

/** The working day alone. */
export const ONE_DAY = TWO_DAYS.slice(0, 6);

/** A notifier that lived for some days, and all that arrived in them. */
export interface Lived {
  readonly deployed: Notifier;
  readonly arrived: Arrivals;
  /** Path of its config. */
  readonly config: string;
}

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
    stack.synth({ as: 'everything', config: file }),
  );
  await report.run('deploy it beside the default one', async () => {
    await createQueue(aws, FOUND_QUEUE);
    await createBus(aws);
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
    for (const notifier of [deployed, local]) await refreshNames(notifier);
    for (const minutes of rounds) {
      await world.companies.advance(minutes);
      await Promise.all([runSchedules(deployed), runSchedules(local)]);
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
function moveToLocalAccount({ synthesized, name }: Stack, folder: string): string {
  cpSync(synthesized(), folder, { recursive: true });
  const file = join(folder, `${name}.template.json`);
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(ACCOUNT, LOCAL_ACCOUNT));
  return folder;
}
