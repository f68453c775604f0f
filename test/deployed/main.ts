/**
 * Deploys the stack with the CDK CLI to an AWS that this project did not write, runs the deployed functions there, and
 * prints what was seen. `docs/reliability.md` says what that shows and what it does not.
 */
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#infra/project-root.ts';
import { ACCOUNT, REGION } from './account.ts';
import { createCommands } from './command.ts';
import { startEmulator } from './emulator.ts';
import { createReport } from './report.ts';
import { createStage } from './stage.ts';

const STACK = 'workforce-notifier';

const folder = join(PROJECT_ROOT, '.cache', 'deployed');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const report = createReport();
const emulator = await startEmulator(join(folder, 'emulator.log'));
const commands = createCommands(emulator.endpoint, join(folder, 'commands.log'));
const synthesized = join(folder, 'synthesized');
const assembly = join(folder, 'assembly');
const deploy = ['deploy', '--app', assembly, '--require-approval', 'never'];
const stage = createStage({ commands, endpoint: emulator.endpoint, assembly, folder, stackName: STACK });

try {
  await report.run('bootstrap', async () => {
    await commands.cdk(['bootstrap', `aws://${ACCOUNT}/${REGION}`, '--app', '']);
    return '';
  });
  await report.run('synth', async () => {
    await commands.cdk(['synth', '--quiet', '--output', synthesized]);
    cpSync(synthesized, assembly, { recursive: true });
    return stage.adapt();
  });
  for (const round of ['first', 'second']) {
    await report.run(`${round} deploy`, async () => {
      await commands.cdk(deploy);
      return stage.checkResources();
    });
    await report.run('apply what moto does not know', stage.applyUnknown);
    await report.run('polls of the sample company', stage.live);
    await report.run('events on a queue equal the log', stage.compare);
    await report.run('deploy again, unchanged', async () => {
      const printed = await commands.cdk(deploy);
      if (!printed.includes('(no changes)')) throw new Error(`there were changes: ${printed.slice(-400)}`);
      return 'no changes';
    });
    await report.run('destroy', async () => {
      await commands.cdk(['destroy', '--app', assembly, '--force']);
      return stage.checkRemains();
    });
  }
} finally {
  await stage.stop();
  await emulator.stop();
}

const NOT_SHOWN = [
  'permissions: roles are assumed, but the emulator refuses nothing',
  'alarms, metric filters and retries of invocations: not created',
  'topic and queue policies, subscriptions and schedules: created by the test, not by CloudFormation',
  'delivery to people and webhooks: not invoked; docs/reliability.md says more',
];

if (!report.print(`Deployed to ${emulator.version}`, NOT_SHOWN)) process.exitCode = 1;
