import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#infra/project-root.ts';
import { ACCOUNT, REGION } from './account.ts';
import { createCommands } from './command.ts';
import type { Emulator } from './emulators/emulator.ts';
import { createReport, type Report } from './report.ts';
import { createStage, type Stage } from './stage.ts';

const STACK = 'workforce-notifier';

/** Runs every step on one emulator, and prints its table. Returns whether every step was fine. */
export async function deployTo(emulator: Emulator): Promise<boolean> {
  const folder = join(PROJECT_ROOT, '.cache', 'deployed', emulator.name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { endpoint, stop } = await emulator.start(join(folder, 'emulator.log'));
  const commands = createCommands(endpoint, join(folder, 'commands.log'));
  const assembly = join(folder, 'assembly');
  const { unknownTypes } = emulator;
  const stage = createStage({ commands, endpoint, unknownTypes, assembly, folder, stackName: STACK });
  const report = createReport();
  try {
    await runSteps(report, { commands, stage, assembly, synthesized: join(folder, 'synthesized') });
  } finally {
    await stage.stop();
    await stop();
  }
  return report.print(`Deployed to ${emulator.title}`, NOT_SHOWN);
}

interface Scene {
  readonly commands: ReturnType<typeof createCommands>;
  readonly stage: Stage;
  readonly assembly: string;
  readonly synthesized: string;
}

async function runSteps(report: Report, { commands, stage, assembly, synthesized }: Scene): Promise<void> {
  const deploy = ['deploy', '--app', assembly, '--require-approval', 'never'];
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
    await report.run('apply what the emulator does not know', stage.applyUnknown);
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
}

const NOT_SHOWN = [
  'permissions: roles are assumed, but the emulator refuses nothing',
  'alarms, metric filters and retries of invocations: not created',
  'topic and queue policies, subscriptions and schedules: created by the test, not by CloudFormation',
  'delivery to people and webhooks: not invoked; docs/reliability.md says more',
];
