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

test('nothing of a forgotten employee is in what commands print, in the log, or in any file, and subscribers are told', async () => {
  const { source, stage } = machine;
  const { stdout } = await machine.run('events', timesheetId);
  expect(stdout).toContain(employeeId);
  const own = source.company.timesheets(WATCHED).filter((each) => String(each.employeeId) === employeeId);
  for (const { id } of own) make(source, { change: 'remove', id });
  source.company.world.records.employees.add(employeeId, { at: source.now(), record: null });
  const removed = await stage.tell();
  expect(removed.filter(({ type }) => type === 'timesheet.removed')).toHaveLength(own.length);
  expect(findFiles(employeeId)).not.toEqual([]);

  const { code, lines } = await machine.run('forget', '--employee', employeeId, '--yes');
  expect(code).toBe(0);
  for (const place of ['queues', 'webhooks', 'Slack', 'backups', 'logs'])
    expect(lines.slice(2).join('\n')).toContain(place);
  const told = await stage.tell();
  const forgotten = told.filter(({ type }) => type === 'employee.forgotten');
  expect(forgotten).toHaveLength(Number(/: (\d+) timesheets, /.exec(lines[0] ?? '')?.[1]));
  expect(forgotten.map(({ event }) => event.subject)).toContain(timesheetId);
  expect(JSON.stringify(told)).not.toContain(employeeId);
  await purgeQueues();

  const printed: string[] = [];
  for (const words of [...READING, ['events', timesheetId]]) {
    const { stdout: out, stderr } = await machine.run(...words);
    expect(out + stderr, words.join(' ')).not.toContain(employeeId);
    printed.push(out);
  }
  expect(printed.filter((text) => text.includes(timesheetId)).length).toBeGreaterThanOrEqual(3);
  expect(stage.log()).not.toContain(employeeId);
  await machine.stop({ keep: true });
  stopped = true;
  expect(findFiles(employeeId)).toEqual([]);
  rmSync(stage.dataFolder, { recursive: true });
});

/** What an operator can print of what is stored. */
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
