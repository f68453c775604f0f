import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { announce, readAnnouncement } from '#local/aws/engines/announcement.ts';
import { startWatchedMachine, type WatchedMachine } from '#test/cli/watched-machine.ts';
import { make, WATCHED } from '#test/end-to-end/company.ts';
import { createClock } from '#test/end-to-end/stage.ts';

/** Edited alert rules on the stored events of a running machine. */

const CONNECTION = {
  name: 'main',
  baseUrl: 'https://workforce.example.com',
  timeZone: 'Pacific/Auckland',
  secretName: 'workforce-notifier/main',
};
const DIGEST = { digestSeconds: 0 };

let machine: WatchedMachine;
let folder: string;

beforeAll(async () => {
  machine = await startWatchedMachine();
  folder = mkdtempSync(join(tmpdir(), 'rehearse-'));
  const open = machine.source.company.timesheets(WATCHED).filter((each) => each.approvedHours === null);
  for (const { id } of open.slice(0, 3)) make(machine.source, { change: 'approve', id });
  await machine.stage.tell();
  passMinutes(10);
});

afterAll(async () => {
  await machine?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true });
});

test('the deployed rules beside themselves do not differ', async () => {
  const { code, lines } = await machine.run('rehearse', '--since', '1d');
  expect(code).toBe(0);
  expect(lines.at(-1)).toBe('the deployed rules send the same messages');
});

test('edited rules are shown with their messages, a table and the difference', async () => {
  const { code, stdout, stderr } = await machine.run('rehearse', '--since', '1d', '--config', writeConfig());
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /--- \d{4}-\d\d-\d\d \d\d:\d\d {2}slack\/payroll\n3 timesheets approved in \d departments?\n/,
  );
  expect(stdout).toMatch(/^channel {2}messages {2}a day {2}alerts {2}held {2}cancelled {2}waiting$/m);
  expect(stdout).toMatch(/^payroll {2}1 +[\d.]+ +3 +0 +0 +0$/m);
  expect(stdout).toContain('  payroll: 0 to 1 message, 1 by rule 2 alone\n');
  expect(stdout).toMatch(/stored events, nothing was sent$/m);
});

test('the same as JSON', async () => {
  const { stdout } = await machine.run('rehearse', '--since', '1d', '--config', writeConfig(), '--json');
  expect(JSON.parse(stdout).channels).toMatchObject([
    {
      channel: 'payroll',
      alerts: 3,
      held: 0,
      deployedMessages: 0,
      messagesByRule: { 2: 1 },
      messages: [{ at: expect.any(String), title: expect.stringMatching(/^3 timesheets approved/), rule: 2 }],
    },
  ]);
});

test('a config without channels has nothing to rehearse', async () => {
  const { code, stderr } = await machine.run('rehearse', '--config', writeConfig([]));
  expect(code).toBe(1);
  expect(stderr).toMatch(/has no alerts.channels; add one to rehearse its rules/);
});

/** Lets the clock of commands be ahead of that of the polls. */
function passMinutes(minutes: number) {
  const { dataFolder, now } = machine.stage;
  const announced = readAnnouncement(dataFolder);
  if (announced === null) throw new Error('the machine is not announced');
  const clock = createClock(now() + minutes * 60_000);
  announce({ file: (name) => join(dataFolder, name) }, { ...announced, clock });
}

function writeConfig(
  channels: object[] = [{ name: 'payroll', kind: 'slack', secretName: 'workforce/payroll', ...DIGEST }],
): string {
  const rules = [{ types: ['workforce.pay_period.closed'] }, { types: ['workforce.timesheet.approved'] }];
  const alerts = channels.length === 0 ? {} : { alerts: { channels, rules } };
  const path = join(folder, `edited-${channels.length}.config.mjs`);
  writeFileSync(path, `export default ${JSON.stringify({ connections: [CONNECTION], ...alerts })};\n`);
  return path;
}
