/**
 * Deploys the stack with the CDK CLI to an AWS that this project did not write, runs the deployed functions there, and
 * prints what was seen. `docs/reliability.md` says what that shows and what it does not.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#infra/project-root.ts';
import { ACCOUNT, REGION } from './account.ts';
import { createAws } from './aws.ts';
import { startEmulator } from './emulator.ts';
import { createReport } from './report.ts';
import { runDefaultConfig } from './scenarios/default-config.ts';
import { runEverything } from './scenarios/everything.ts';
import { runLife } from './scenarios/life.ts';
import { runOperator } from './scenarios/operator.ts';
import type { Scene } from './scenarios/scene.ts';
import { createStack } from './stage.ts';
import { COMPANIES, EVERYTHING_STACK } from './world/everything.ts';
import { startWorld } from './world/world.ts';

const folder = join(PROJECT_ROOT, '.cache', 'deployed');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const report = createReport();
const emulator = await startEmulator(join(folder, 'emulator.log'));
const aws = createAws(emulator.endpoint, folder);
const world = await startWorld(folder, COMPANIES);
const stack = createStack(aws, EVERYTHING_STACK);
const running: Scene['running'] = [emulator, world];
const scene: Scene = { aws, world, stack, running };

try {
  await report.run('bootstrap', async () => {
    await aws.commands.cdk(['bootstrap', `aws://${ACCOUNT}/${REGION}`, '--app', '']);
    return '';
  });
  const usual = createStack(aws, 'workforce-notifier');
  await runDefaultConfig(report, scene, usual);
  const lived = await runEverything(report, scene);
  if (lived !== null) {
    await runOperator(report, { ...scene, ...lived });
    await runLife(report, { ...scene, ...lived });
  }
} finally {
  for (const part of running.reverse()) await part.stop();
}

if (!report.print(`Deployed to ${emulator.version}`, [])) process.exitCode = 1;
