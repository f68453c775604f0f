import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Answer, CorrectAnswer, Emulator, UnknownTypes } from './emulator.ts';
import { ensureInstalled, runInstaller } from './install.ts';
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
  // Alarms and the filters that they count by.
  ['AWS::CloudFormation::Stack', 'left out'],
  ['AWS::CloudWatch::Dashboard', 'left out'],
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

const DELETED =
  '<DeleteChangeSetResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DeleteChangeSetResult/></DeleteChangeSetResponse>';

/** The beginning of an answer to `DescribeTable`. */
const DESCRIBED_TABLE = /^\{\s*"Table"\s*:\s*\{/;
const DESCRIBED_BYTES = 32;

/**
 * Puts right what moto answers about a change set that is not there: a crash when it is to be deleted, and an error of
 * another name when it is described. The CDK CLI does both before each change of a stack. And it gives each table the id
 * that moto leaves out.
 */
export const correctMotoAnswer: CorrectAnswer = (request, answer) => {
  if (answer.status === 200 && DESCRIBED_TABLE.test(answer.body.toString('utf8', 0, DESCRIBED_BYTES))) {
    return addTableId(answer);
  }
  const action = /(?:^|&)Action=(\w+)/.exec(request)?.[1];
  if (action === 'DeleteChangeSet' && answer.status === 500) {
    return { status: 200, headers: { 'content-type': 'text/xml' }, body: Buffer.from(DELETED) };
  }
  if (action !== 'DescribeChangeSet' || answer.status !== 400) return answer;
  const { 'content-length': _, ...headers } = answer.headers;
  const body = Buffer.from(answer.body.toString().replaceAll('ValidationError', 'ChangeSetNotFound'));
  return { status: 404, headers, body };
};

/** A table that is made anew, or restored, is another one. */
function addTableId({ status, headers, body }: Answer): Answer {
  const { 'content-length': _, ...kept } = headers;
  const answered = JSON.parse(body.toString()) as { Table: { TableArn: string; CreationDateTime: number } };
  const { Table } = answered;
  const hash = createHash('sha256').update(`${Table.TableArn} ${Table.CreationDateTime}`).digest('hex');
  const TableId = hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5');
  return { status, headers: kept, body: Buffer.from(JSON.stringify({ Table: { ...Table, TableId } })) };
}
