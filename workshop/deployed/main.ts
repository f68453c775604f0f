/**
 * Deploys the stack with the CDK CLI to an AWS that this project did not write, runs the deployed functions there for a
 * day, changes the config, and destroys it. `docs/reliability.md` says what that shows and what it does not.
 */
import { LOCAL_ACCOUNT, LOCAL_REGION } from '#local/aws/template/local-account.ts';
import { openAccount } from './account.ts';
import { type Arrivals, EVERYTHING } from './arrivals.ts';
import { MOTO } from './moto.ts';
import { createPair } from './pair.ts';
import { createReport } from './report.ts';
import { openStack } from './stack.ts';
import { checkUsed } from './used-permissions.ts';
import { startWorld, writeChangedConfig, writeFirstConfig } from './world.ts';

/** Of `notifier.config.ts`. */
const STACK = 'workforce-notifier';
/** Minutes before each round: a working day, and a morning with its pay run. */
const DAY = [0, 75, 240, 300, 840, 120];
const AFTER_CHANGE = [60, 240];

const running: { stop(): Promise<void> }[] = [];
const keep = <Part extends { stop(): Promise<void> }>(part: Part): Part => {
  running.push(part);
  return part;
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const report = createReport();
// What failed is printed, and nothing follows it.
await runSteps().catch(() => {});
for (const part of running.reverse()) await part.stop();
if (!report.close(`Deployed to ${MOTO}`)) process.exitCode = 1;

async function runSteps(): Promise<void> {
  const account = keep(await openAccount());
  const world = keep(await startWorld());
  const pair = keep(await createPair(account, world));
  const { commands, folder, gate } = account;
  const stack = openStack(account, STACK);

  await report.run('bootstrap', async () => {
    await commands.cdk(['bootstrap', `aws://${LOCAL_ACCOUNT}/${LOCAL_REGION}`, '--app', '']);
    return { note: '' };
  });
  const { first } = await report.run('deploy', async () => {
    const first = await stack.deploy(writeFirstConfig(folder, world));
    return { note: `${first.created} resources`, first };
  });
  const day = await report.run('a day, here and there', async () => {
    await pair.start(first);
    return await pair.live(DAY);
  });
  await report.run('deploy again, unchanged', async () => {
    await stack.deployUnchanged();
    return { note: 'no changes' };
  });
  const { changed } = await report.run('a changed config', async () => {
    await world.advance(60);
    await pair.pollOnly();
    const changed = await stack.deploy(writeChangedConfig(folder, world));
    await pair.start(changed);
    return { note: `${changed.created} resources`, changed };
  });
  await report.run('goes on, here and there', async () => {
    const { note, arrived } = await pair.live(AFTER_CHANGE);
    return { note: `${checkGoesOn(day.arrived, arrived)}; ${note}` };
  });
  await report.run('permissions', async () => ({
    note: checkUsed(gate, { permissions: changed.permissions, stackName: STACK }),
  }));
  await report.run('destroy', async () => {
    await stack.destroy();
    return { note: 'no function is left' };
  });
}

interface Event {
  readonly type: string;
  readonly source: string;
  readonly subject?: string;
  readonly epoch?: string;
  readonly sequence: number;
}

/** Of the whole life of a stack: one baseline of each feed, and the events of each record from 1 without a gap. */
function checkGoesOn(...lives: readonly Arrivals[]): string {
  const events = lives.flatMap((arrived) => arrived.get(EVERYTHING) ?? []).map((text) => JSON.parse(text) as Event);
  const baselines = events.filter(({ type }) => type === 'workforce.baseline.completed').map(({ source }) => source);
  if (new Set(baselines).size !== baselines.length) throw new Error(`baselines: ${baselines.join(', ')}`);
  const ofRecords = events.filter(({ subject }) => subject !== undefined);
  for (const [record, all] of Map.groupBy(ofRecords, ({ source, subject, epoch }) => `${source} ${subject} ${epoch}`)) {
    const sequences = new Set(all.map(({ sequence }) => sequence));
    if (Math.max(...sequences) !== sequences.size)
      throw new Error(`a gap in the events of ${record}: ${[...sequences].join(', ')}`);
  }
  return `${ofRecords.length} events of records without a gap`;
}
