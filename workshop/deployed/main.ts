/**
 * Deploys the stack with the CDK CLI to an AWS that this project did not write, runs the deployed functions there for a
 * day, changes the config, and destroys it. `docs/reliability.md` says what that shows and what it does not.
 */
import { LOCAL_ACCOUNT, LOCAL_REGION } from '#local/aws/template/local-account.ts';
import { findGaps } from '#test/support/sequences.ts';
import { openAccount } from './account.ts';
import { type Arrivals, EVERYTHING } from './arrivals.ts';
import { MOTO } from './moto.ts';
import { createPair } from './pair.ts';
import { openStack } from './stack.ts';
import { checkUsed } from './used-permissions.ts';
import { startWorld, writeChangedConfig, writeFirstConfig } from './world.ts';

/** Of `notifier.config.ts`. */
const STACK = 'workforce-notifier';
const WEBHOOK = 'payroll-system';
/** Minutes before each round: a working day, with a reminder of a deadline before noon, and a morning with its pay run. */
const DAY = [0, 120, 495, 960];
const AFTER_CHANGE = [60, 240];

const running: { stop(): Promise<void> }[] = [];
const keep = <Part extends { stop(): Promise<void> }>(part: Part): Part => {
  running.push(part);
  return part;
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

let passed = 0;
const failed = await runSteps().then(
  () => 0,
  (error: unknown) => {
    console.log('FAILED ', error);
    return 1;
  },
);
for (const part of running.reverse()) await part.stop();
console.log(`Deployed to ${MOTO}\n${passed} passed, ${failed} failed`);
process.exitCode = failed;

/** None follows one that throws. */
async function run<T extends { readonly note: string }>(name: string, work: () => Promise<T>): Promise<T> {
  const at = performance.now();
  const done = await work();
  passed += 1;
  const seconds = ((performance.now() - at) / 1_000).toFixed(1);
  console.log(`ok  ${name.padEnd(32)} ${seconds.padStart(6)} s  ${done.note}`);
  return done;
}

async function runSteps(): Promise<void> {
  const { account, world, pair } = await run('an account, bootstrapped', async () => {
    const account = keep(await openAccount());
    const world = keep(await startWorld());
    const pair = keep(await createPair(account, world));
    await account.commands.cdk(['bootstrap', `aws://${LOCAL_ACCOUNT}/${LOCAL_REGION}`, '--app', '']);
    return { note: MOTO, account, world, pair };
  });
  const { commands, folder, gate } = account;
  const stack = openStack(account, STACK);
  const { first } = await run('deploy', async () => {
    const first = await stack.deploy(writeFirstConfig(folder, world));
    return { note: `${first.resources} resources`, first };
  });
  const day = await run('a day, here and there', async () => {
    await pair.start(first);
    return await pair.live(DAY);
  });
  await run('a command finds its receiver', async () => {
    await commands.notifier(['test', '--to', WEBHOOK, '--type', 'timesheet.approved']);
    const arrived = [...(await pair.takeDeployed())].filter(([, texts]) => texts.length > 0);
    const note = arrived.map(([place, texts]) => `${place}: ${texts.join(', ')}`).join('; ');
    if (!/^webhook payroll-system: took timesheet\.approved [^;,]+, sequence \d+, example$/.test(note))
      throw new Error(`arrived: ${note}`);
    return { note };
  });
  const { changed } = await run('a changed config', async () => {
    world.advance(60);
    await pair.pollOnly();
    const changed = await stack.deploy(writeChangedConfig(folder, world));
    await pair.start(changed);
    return { note: `${changed.resources} resources`, changed };
  });
  await run('goes on, here and there', async () => {
    const { note, arrived } = await pair.live(AFTER_CHANGE);
    return { note: `${checkGoesOn(day.arrived, arrived)}; ${note}` };
  });
  await run('permissions', async () => ({
    note: checkUsed(gate, changed.permissions, STACK),
  }));
  await run('destroy', async () => {
    await stack.destroy();
    return { note: 'no function is left' };
  });
}

/** Of the whole life of a stack: each feed began once, and no event of a record is missing. */
function checkGoesOn(...lives: readonly Arrivals[]): string {
  const texts = lives.flatMap((arrived) => arrived.get(EVERYTHING) ?? []);
  const gaps = findGaps(texts);
  const baselines = texts.filter((text) => text.includes('"type":"workforce.baseline.completed"'));
  const feeds = baselines.map((text) => String(JSON.parse(text).source));
  if (gaps.length > 0) throw new Error(`gaps in the events of ${gaps.join('; ')}`);
  if (new Set(feeds).size !== feeds.length) throw new Error(`feeds began again: ${feeds.join(', ')}`);
  return `${texts.length} events in all, without a gap`;
}
