/**
 * Deploys the stack with the CDK CLI to an AWS that this project did not write, runs the deployed functions there, and
 * prints what was seen. `docs/reliability.md` says what that shows and what it does not.
 */
import { ACCOUNT, REGION } from './account.ts';
import { REHEARSALS, readChoice, UPGRADE } from './choice.ts';
import { MOTO } from './moto.ts';
import { openAccount } from './open-account.ts';
import { reportPermissions } from './permissions/audit.ts';
import { tryForgeries } from './permissions/forgeries.ts';
import { tryIntrusions } from './permissions/intrusions.ts';
import { createQueue, deleteQueue, listQueues } from './queues.ts';
import { createReport, type Report } from './report.ts';
import { ONE_DAY, runEverything, TWO_DAYS } from './scenarios/everything.ts';
import { expectFailure } from './scenarios/expectations.ts';
import { runOperator } from './scenarios/operator.ts';
import { runRehearsals } from './scenarios/rehearsals.ts';
import type { Scene } from './scenarios/scene.ts';
import { runUpgrade } from './scenarios/upgrade.ts';
import { DeployedStack, type Stack } from './stage.ts';
import { COMPANIES, EVERYTHING_QUEUES, EVERYTHING_STACK } from './world/everything.ts';
import { startWorld } from './world/world.ts';

/** Of `notifier.config.ts`. */
const DEFAULT_STACK = 'workforce-notifier';
/** A queue of this name stands in the way of the first deployment. */
const OBSTACLE = 'workforce-notifier-payroll';

const NOT_SHOWN = [
  "Lambda's runtime, event source mappings and Scheduler: the test invokes in their place",
  'alarms and metric filters, encryption, and the order of changes: docs/reliability.md',
];

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const { rehearsals, only } = readChoice(process.argv.slice(2));
const report = createReport(only);
const { aws, running: account } = await openAccount('account');
const world = await startWorld(aws.folder, COMPANIES);
const stack = new DeployedStack(aws, EVERYTHING_STACK);
const running: Scene['running'] = [...account, world];
try {
  await runScenarios(report, { aws, world, stack, running });
} finally {
  for (const part of running.reverse()) await part.stop();
}
if (!report.print(`Deployed to ${MOTO}`, NOT_SHOWN)) process.exitCode = 1;

async function runScenarios(report: Report, scene: Scene): Promise<void> {
  const { commands } = scene.aws;
  if (only === null || only === UPGRADE) await runUpgrade(report, scene);
  if (only === UPGRADE) return;
  await report.run('bootstrap', async () => {
    await commands.cdk(['bootstrap', `aws://${ACCOUNT}/${REGION}`, '--app', '']);
    return '';
  });
  const usual = new DeployedStack(scene.aws, DEFAULT_STACK);
  if (only === null) await runDefaultConfig(report, scene, usual);
  // The rehearsals need hours in which people work: they begin in the morning.
  const rounds = only === null || only === REHEARSALS ? TWO_DAYS : ONE_DAY;
  const lived = await runEverything(report, scene, rounds);
  if (lived === null) return;
  const life = { ...scene, ...lived, queues: EVERYTHING_QUEUES };
  if (only === REHEARSALS) {
    await runRehearsals(report, life);
    return;
  }
  if (only !== null) {
    await runOperator(report, { ...scene, ...lived }, { withConsole: true });
    return;
  }
  await report.run('every role tries what it must not do', () => tryIntrusions(scene.aws, scene.stack));
  await report.run('nobody else sends, publishes or takes', () => tryForgeries(scene.aws, scene.stack));
  const arrived = await runOperator(report, { ...scene, ...lived }, { withConsole: rehearsals });
  const stackNames = [DEFAULT_STACK, EVERYTHING_STACK];
  const checkPermissions = async (isWhole: boolean) => reportPermissions(scene.aws, { stackNames, isWhole });
  await report.run('permissions used are those granted', () => checkPermissions(false));
  if (rehearsals) await runRehearsals(report, { ...life, arrived });
  await leaveDefaultConfig(report, usual);
  await report.run('permissions, after all changes', () => checkPermissions(rehearsals));
}

/** The config that the project comes with: a deployment that fails half way, and is tried again. */
async function runDefaultConfig(report: Report, { aws }: Scene, stack: Stack): Promise<void> {
  await report.run('the default config: synth', () => stack.synth({ as: 'default', checked: true }));
  await report.run('a deploy that fails half way', async () => {
    await createQueue(aws, OBSTACLE);
    await expectFailure(stack.deploy());
    const made = (await listQueues(aws, stack.name)).length - 1;
    if (made === 0) throw new Error('it failed before it made anything');
    return `a queue was there already; ${made} others were made before that`;
  });
  await report.run('the same deploy again', async () => {
    await deleteQueue(aws, OBSTACLE);
    // What a rollback does, which the emulator leaves out.
    await stack.destroy();
    return await stack.deploy();
  });
}

/** After all that happened to the stack beside it. */
async function leaveDefaultConfig(report: Report, stack: Stack): Promise<void> {
  await report.run('the default stack is as it was', () => stack.deployUnchanged());
  await report.run('destroy the default stack', () => stack.destroy());
}
