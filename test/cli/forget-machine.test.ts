import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { ListQueuesCommand, PurgeQueueCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSqsClient } from '#local/aws/engines/clients.ts';
import { startWatchedMachine, type WatchedMachine } from '#test/cli/watched-machine.ts';
import { make, WATCHED } from '#test/end-to-end/company.ts';

/** An employee is erased on a running machine. */

let machine: WatchedMachine;
let employeeId: string;
/** A timesheet of the employee that events tell of. */
let timesheetId: string;
let stopped = false;

beforeAll(async () => {
  machine = await startWatchedMachine();
  const [first] = machine.source.company.timesheets(WATCHED).filter((each) => each.approvedHours === null);
  employeeId = String(first?.employeeId);
  timesheetId = first?.id ?? '';
  make(machine.source, { change: 'approve', id: timesheetId });
  await machine.stage.tell();
});

afterAll(async () => {
  if (!stopped) await machine?.stop();
});

test('no command prints anything of a forgotten employee, and subscribers are told', async () => {
  const commands = [
    ['events', '--since', '30d', '--json'],
    ['events', timesheetId],
  ];
  const outputs = async () =>
    (await Promise.all(commands.map((words) => machine.run(...words)))).map(({ stdout }) => stdout);
  const before = await outputs();
  for (const text of before) expect(text).toContain(employeeId);

  const refused = await machine.run('forget', '--employee', employeeId, '--yes');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('the source lists timesheets')]);

  const { code, lines } = await machine.run('forget', '--employee', employeeId, '--yes', '--force');
  expect(code).toBe(0);
  const timesheets = Number(/: (\d+) timesheets, /.exec(lines[0] ?? '')?.[1]);
  expect(timesheets).toBeGreaterThan(1);

  for (const text of await outputs()) {
    expect(text).not.toContain(employeeId);
    expect(text).toContain(timesheetId);
  }

  const told = await machine.stage.tell();
  const forgotten = told.filter(({ type }) => type === 'employee.forgotten');
  expect(forgotten).toHaveLength(timesheets);
  expect(forgotten.map(({ event }) => event.subject)).toContain(timesheetId);
  expect(JSON.stringify(forgotten)).not.toContain(employeeId);
});

test('nothing of a forgotten employee is in any file of the data folder, in the log, or in what commands print', async () => {
  const { source, stage } = machine;
  const own = source.company.timesheets(WATCHED).filter((each) => String(each.employeeId) === employeeId);
  for (const { id } of own) make(source, { change: 'remove', id });
  source.company.world.records.employees.add(employeeId, { at: source.now(), record: null });
  const removed = await stage.tell();
  expect(removed.filter(({ type }) => type === 'timesheet.removed')).toHaveLength(own.length);
  expect(findFiles(employeeId)).not.toEqual([]);

  const { code } = await machine.run('forget', '--employee', employeeId, '--yes');
  expect(code).toBe(0);
  await stage.tell();
  await purgeQueues();

  const printed: string[] = [];
  for (const words of READING) {
    const { stdout, stderr } = await machine.run(...words);
    expect(stdout + stderr, words.join(' ')).not.toContain(employeeId);
    printed.push(stdout);
  }
  expect(printed.filter((text) => text.includes(timesheetId)).length).toBeGreaterThanOrEqual(2);
  expect(stage.log()).not.toContain(employeeId);
  await machine.stop({ keep: true });
  stopped = true;
  expect(findFiles(employeeId)).toEqual([]);
  rmSync(stage.dataFolder, { recursive: true });
});

/** What an operator can print of what is stored; the timesheet is one of the employee. */
const SINCE = ['--since', '30d'];
const READING = [
  ['events', ...SINCE],
  ['events', ...SINCE, '--json'],
  ['deliveries', ...SINCE, '--json'],
  ['doctor', '--json'],
  ['forget', '--employee', 'nobody', '--yes'],
];

/** Files of the data folder that hold a text. Another process reads them: closing the lock in this one would release it. */
function findFiles(text: string): string[] {
  const { stdout } = spawnSync('grep', ['-rlaF', text, machine.stage.dataFolder], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line !== '');
}

/** As receivers do that take what waits for them: queues are out of reach. */
async function purgeQueues(): Promise<void> {
  const sqs = createSqsClient(machine.stage.aws.endpoints);
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
  for (const QueueUrl of QueueUrls) await sqs.send(new PurgeQueueCommand({ QueueUrl }));
  sqs.destroy();
}
