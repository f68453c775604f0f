import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { announce } from '#local/aws/engines/announcement.ts';
import { executeHere } from '#test/cli/execute.ts';
import { startWatchedMachine, type WatchedMachine } from '#test/cli/watched-machine.ts';

describe('on a running machine', () => {
  let machine: WatchedMachine;
  beforeAll(async () => {
    machine = await startWatchedMachine();
  });
  afterAll(async () => {
    await machine?.stop();
  });

  test('what is staged is in the next polls', async () => {
    const approved = await machine.run('stage', 'bulk-approve');
    expect(approved).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^\d+ timesheets approved at once; npm start tells of it after its next polls\n$/,
      ),
    });
    const { records } = JSON.parse((await machine.run('stage', 'reopen', '--json')).stdout);
    const told = await machine.stage.tell();
    expect(told.filter(({ type }) => type === 'timesheet.approved').length).toBeGreaterThan(5);
    expect(
      told.filter(({ type }) => type === 'pay_period.reopened').map(({ event }) => event.subject),
    ).toEqual(records);
  });
});

const folders: string[] = [];

describe('an error says what to do', () => {
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  test.each([
    [['fire'], 'Allowed choices are late-change, reopen, bulk-approve, source-outage.; see --help'],
    [['reopen', '--minutes', '5'], '--minutes is 5, and only source-outage lasts; leave it out for reopen'],
    [['source-outage', '--minutes', '0'], 'use a number from 1 to 1440'],
    [['reopen', '--data', '/nowhere'], '/nowhere is not a data folder; run `npm start` first'],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await executeHere(['stage', ...args]);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)]);
  });

  test('when npm start is stopped, or was killed', async () => {
    const folder = createFolder();
    const mend = `start it with npm start -- --data ${folder}, then try again\n`;
    expect((await executeHere(['stage', 'reopen', '--data', folder])).stderr).toBe(
      `npm start is not running on the data folder ${folder} (it is stopped or still starting); ${mend}`,
    );
    announceMachine(folder, { startsAtMs: 0, anchorMs: 0, speed: 1 });
    expect((await executeHere(['stage', 'reopen', '--data', folder])).stderr).toBe(
      `npm start is not running on the data folder ${folder} (ECONNREFUSED); ${mend}`,
    );
  });

  test('when the folder belongs to another user, whose machine would get the token of the company', async () => {
    const folder = createFolder();
    announceMachine(folder, { startsAtMs: 0, anchorMs: 0, speed: 1 });
    vi.spyOn(process, 'geteuid').mockReturnValue((process.geteuid?.() ?? 0) + 1);
    const { stderr } = await executeHere(['stage', 'reopen', '--data', folder]);
    vi.restoreAllMocks();
    expect(stderr).toMatch(/^data folder \S+ belongs to another user of this machine \(\d+\), [^\n]+\n$/);
  });

  test('when npm start polls a real source', async () => {
    const folder = createFolder();
    announceMachine(folder, null);
    expect((await executeHere(['stage', 'reopen', '--data', folder])).stderr).toMatch(
      /^npm start polls http:\/\/127\.0\.0\.1:2 there, and only the sample company can be staged; run npm start /,
    );
  });
});

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'staged-'));
  folders.push(folder);
  writeFileSync(join(folder, 'lock'), '');
  return folder;
}

function announceMachine(folder: string, clock: Parameters<typeof announce>[1]['clock']): void {
  const nobody = 'http://127.0.0.1:2';
  announce(
    { file: (name) => join(folder, name) },
    {
      endpoints: { dynamoDb: nobody, messaging: nobody, secretsManager: nobody, accessKeyId: '' },
      assembly: folder,
      clock,
      connection: { name: 'main', baseUrl: nobody, timeZone: 'UTC', secretName: 'main' },
    },
  );
}
