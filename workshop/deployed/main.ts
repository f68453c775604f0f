/**
 * Deploys the stack with the CDK CLI to an AWS that this project did not write, runs the deployed functions there, and
 * prints what was seen. `docs/reliability.md` says what that shows and what it does not.
 */
import { ACCOUNT, REGION } from './account.ts';
import { REHEARSALS, readChoice, UPGRADE } from './emulators/choose.ts';
import type { Emulator } from './emulators/emulator.ts';
import { openAccount } from './open-account.ts';
import { reportPermissions } from './permissions/audit.ts';
import { tryForgeries, tryIntrusions } from './permissions/intrusions.ts';
import { createReport, type Report } from './report.ts';
import { leaveDefaultConfig, runDefaultConfig } from './scenarios/default-config.ts';
import { ONE_DAY, runEverything, TWO_DAYS } from './scenarios/everything.ts';
import { runLife } from './scenarios/life.ts';
import type { Life } from './scenarios/living.ts';
import { runMove } from './scenarios/move.ts';
import { runOperator } from './scenarios/operator.ts';
import { runRestore } from './scenarios/restore.ts';
import { runRotation } from './scenarios/rotation.ts';
import type { Scene } from './scenarios/scene.ts';
import { runUpgrade } from './scenarios/upgrade.ts';
import { DeployedStack } from './stage.ts';
import { COMPANIES, EVERYTHING_QUEUES, EVERYTHING_STACK } from './world/everything.ts';
import { startWorld } from './world/world.ts';

/** Of `notifier.config.ts`. */
const DEFAULT_STACK = 'workforce-notifier';

const NOT_SHOWN = [
  "Lambda's runtime, event source mappings and Scheduler: the test invokes in their place",
  'alarms and metric filters, encryption, and the order of changes: docs/reliability.md',
];

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const { emulators, rehearsals, only } = readChoice(process.argv.slice(2));
for (const emulator of emulators) {
  if (!(await deployTo(emulator))) process.exitCode = 1;
}

/** Runs every step on one emulator, and prints its table. Returns whether every step was fine. */
async function deployTo(emulator: Emulator): Promise<boolean> {
  const report = createReport(only);
  const { aws, running: account } = await openAccount(emulator, emulator.name);
  const world = await startWorld(aws.folder, COMPANIES);
  const stack = new DeployedStack(aws, EVERYTHING_STACK);
  const running: Scene['running'] = [...account, world];
  try {
    await runScenarios(report, { aws, world, stack, running });
  } finally {
    for (const part of running.reverse()) await part.stop();
  }
  return report.print(`Deployed to ${emulator.title}`, NOT_SHOWN);
}

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
  await report.run('nobody else of the account sends or publishes', () =>
    tryForgeries(scene.aws, scene.stack),
  );
  const arrived = await runOperator(report, { ...scene, ...lived }, { withConsole: rehearsals });
  const stackNames = [DEFAULT_STACK, EVERYTHING_STACK];
  const checkPermissions = async (isWhole: boolean) => reportPermissions(scene.aws, { stackNames, isWhole });
  await report.run('permissions used are those granted', () => checkPermissions(false));
  if (rehearsals) await runRehearsals(report, { ...life, arrived });
  await leaveDefaultConfig(report, usual);
  await report.run('permissions, after all changes', () => checkPermissions(rehearsals));
}

async function runRehearsals(report: Report, life: Life): Promise<void> {
  await runRotation(report, life);
  await runLife(report, life);
  await runRestore(report, life);
  await runMove(report, life);
}
