import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Emulator, UnknownTypes } from './emulator.ts';
import { ensureInstalled, runInstaller } from './install.ts';
import { correctMotoAnswer } from './moto-answers.ts';
import { startServer } from './server.ts';

const REQUIREMENTS = fileURLToPath(new URL('../requirements.txt', import.meta.url));
const INSTALL_TIMEOUT_MS = 300_000;

/** Its CloudFormation leaves these out with a warning, and fails on a reference to one. */
const UNKNOWN_TYPES: UnknownTypes = new Map([
  ['AWS::SNS::TopicPolicy', 'applied'],
  ['AWS::SNS::Subscription', 'applied'],
  ['AWS::SQS::QueuePolicy', 'applied'],
  ['AWS::Scheduler::ScheduleGroup', 'applied'],
  ['AWS::Scheduler::Schedule', 'applied'],
  ['AWS::Lambda::EventInvokeConfig', 'left out'],
  ['AWS::CloudWatch::Alarm', 'left out'],
  // Known, but it names alarms.
  ['AWS::CloudWatch::Dashboard', 'left out'],
  ['AWS::Logs::MetricFilter', 'left out'],
]);

/** https://github.com/getmoto/moto, from the Python package index, with everything it needs pinned. */
export function createMoto(): Emulator {
  const pinned = readFileSync(REQUIREMENTS, 'utf8');
  return {
    name: 'moto',
    title: `moto ${/^moto==(.+)$/m.exec(pinned)?.[1] ?? ''}`,
    correctAnswer: correctMotoAnswer,
    mangles: new Set(['AWS::IAM::Role', 'AWS::SSM::Parameter::Value<String>']),
    unknownTypes: UNKNOWN_TYPES,
    // It can, but then refuses what roles allow: docs/reliability.md.
    comparesTemplates: true,
    continues: false,
    retains: false,
    alsoAsks: new Map(),
    sessionIsPrincipal: false,
    nameLimits: new Map(),
    decides: new Set(),
    // A transaction copies its tables, and puts the copy back when it fails: what others wrote meanwhile is gone.
    oneAtATime: new Set(['dynamodb']),
    forgetsTokens: true,
    start: (logFile) =>
      startServer({
        command: join(ensureInstalled({ name: 'moto', pinned, install }), 'bin', 'moto_server'),
        args: (port) => ['-H', '127.0.0.1', '-p', String(port)],
        environment: { PYTHONUNBUFFERED: '1', PYTHONWARNINGS: 'ignore' },
        healthPath: '/moto-api/data.json',
        logFile,
      }),
  };
}

function install(folder: string): void {
  const common = { timeoutMs: INSTALL_TIMEOUT_MS, needs: 'python3 with venv, and the Python package index' };
  runInstaller({ ...common, command: 'python3', args: ['-m', 'venv', folder] });
  const pip = ['install', '--quiet', '--disable-pip-version-check', '--requirement', REQUIREMENTS];
  runInstaller({ ...common, command: join(folder, 'bin', 'pip'), args: pip });
}
