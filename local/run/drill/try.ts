import { synthesize } from '../../aws/template/synthesize.ts';
import { runDrill } from './drill.ts';

const run = {
  source: { kind: 'emulator', speed: 1 },
  mode: { kind: 'schedules' },
  dataFolder: '',
  output: 'text',
  timeZone: 'UTC',
  windowBackDays: 14,
  windowForwardDays: 7,
  webhook: null,
  webhookSecret: null,
} as const;
process.exit(
  await runDrill({ options: run, chosen: process.argv.slice(2), environment: process.env, synthesize }),
);
