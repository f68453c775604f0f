import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWatchedMachine, type WatchedMachine } from '#test/cli/watched-machine.ts';
import { make, WATCHED } from '#test/end-to-end/company.ts';

/** An employee is erased on a running machine. */

let machine: WatchedMachine;
let employeeId: string;
/** A timesheet of the employee that events tell of. */
let timesheetId: string;

beforeAll(async () => {
  machine = await startWatchedMachine();
  const [first] = machine.source.company.timesheets(WATCHED).filter((each) => each.approvedHours === null);
  employeeId = String(first?.employeeId);
  timesheetId = first?.id ?? '';
  make(machine.source, { change: 'approve', id: timesheetId });
  await machine.stage.tell();
});

afterAll(async () => {
  await machine?.stop();
});

test('no command prints anything of a forgotten employee, and subscribers are told', async () => {
  const commands = [
    ['events', '--since', '30d', '--json'],
    ['explain', timesheetId],
  ];
  const outputs = async () =>
    (await Promise.all(commands.map((words) => machine.run(...words)))).map(({ stdout }) => stdout);
  const before = await outputs();
  for (const text of before) expect(text).toContain(employeeId);

  const refused = await machine.run('forget', '--employee', employeeId, '--yes');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('the source lists timesheets')]);

  const { code, stdout } = await machine.run(
    'forget',
    '--employee',
    employeeId,
    '--yes',
    '--force',
    '--json',
  );
  expect(code).toBe(0);
  const { timesheets } = JSON.parse(stdout);
  expect(timesheets).toBeGreaterThan(1);

  for (const text of await outputs()) {
    expect(text).not.toContain(employeeId);
    expect(text).toContain(timesheetId);
  }

  const told = await machine.stage.tell();
  const forgotten = told.filter(({ type }) => type === 'record.forgotten');
  expect(forgotten).toHaveLength(timesheets);
  expect(forgotten.map(({ event }) => event.subject)).toContain(timesheetId);
  expect(JSON.stringify(forgotten)).not.toContain(employeeId);
});
