import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROGRAM_ROOT } from '#infra/project-root.ts';
import type { RunningSource } from '#local/source/server.ts';
import { REASONS } from '#shared/core/outcome/reasons.ts';
import { make, WATCHED } from '#test/end-to-end/company.ts';
import type { WireEvent } from '#test/end-to-end/inbox.ts';
import type { Stage } from '#test/end-to-end/stage.ts';
import { createTemporaryFolder } from '#test/local/aws/fixture-assembly.ts';
import { execute } from './execute.ts';
import { stackQueue, startWatchedMachine, type WatchedMachine } from './watched-machine.ts';

/** Commands on a running machine, as a user types them. */

const COMMANDS = ['doctor', 'events', 'deliveries', 'send', 'test'];
const REFUSAL = { url: 'https://payroll.acme.example', reason: '410', connection: 'main', told: true };

let machine: WatchedMachine;
let source: RunningSource;
let stage: Stage;

beforeAll(async () => {
  // Back to the first dates of the open periods of the sample company.
  machine = await startWatchedMachine({ windowBackDays: 17 });
  ({ source, stage } = machine);
});

afterAll(async () => {
  await machine?.stop();
});

describe('doctor', () => {
  test('checks everything, and says how to fix what is wrong', async () => {
    const { code, lines } = await machine.run('doctor');
    expect(lines.filter((line) => / source of main /.test(line))).toEqual([
      expect.stringMatching(/^ok .* the secret ssm:\/secrets\/workforce-notifier\/main can be read$/),
      expect.stringMatching(/^ok .* says Hello, Sample Company Head Office$/),
      expect.stringMatching(/^ok .* GET \/timesheets is permitted$/),
      expect.stringMatching(/^ok .* GET \/payperiods is permitted$/),
      expect.stringMatching(/^ok .* GET \/employees is permitted$/),
      expect.stringMatching(/^ok .* GET \/departments is permitted$/),
      expect.stringMatching(/^ok .* its clock agrees with this one$/),
    ]);
    expect(lines.filter((line) => line.includes('polls of main'))).toEqual([
      expect.stringMatching(/^ok +polls of main +hot dates .* ago .*, pay-periods .*; no events waiting$/),
    ]);
    expect(lines.filter((line) => / topic /.test(line))).toEqual([
      expect.stringMatching(/^ok .* topic timesheets +\d subscribed$/),
      expect.stringMatching(/^ok .* topic pay-periods +\d subscribed$/),
      expect.stringMatching(/^ok .* topic operations +\d subscribed$/),
    ]);
    // This stage has only the secret of the source.
    expect(lines.filter((line) => line.startsWith('wrong') || line.includes('->'))).toEqual([
      expect.stringMatching(
        /slack payroll +the secret "ssm:\/secrets\/workforce-notifier\/slack\/payroll" cannot be read \(ParameterNotFound\)/,
      ),
      expect.stringMatching(/-> create it/),
      expect.stringMatching(/webhook payroll-system +the secret .* cannot be read/),
      expect.stringMatching(/-> create it/),
    ]);
    expect([code, lines.at(-1)]).toEqual([1, expect.stringMatching(/^\d+ ok, 0 warnings, 2 wrong$/)]);
  });

  test('finds dead letters and a disabled webhook', async () => {
    await stage.aws.sqs.send(
      new SendMessageCommand({
        QueueUrl: stackQueue('webhook-payroll-system-dead-letters'),
        MessageBody: 'x',
      }),
    );
    // The webhooks of a machine do not go to the addresses of the config.
    const url = 'http://127.0.0.1:4242/hook';
    await machine.webhookStates.saveDisabled('payroll-system', { ...REFUSAL, url, at: stage.now() });
    const { findings } = JSON.parse((await machine.run('doctor', '--json')).stdout) as {
      findings: { about: string; outcome: string; says: string; mend?: string }[];
    };
    expect(findings).toContainEqual({
      about: 'dead letters of webhook-payroll-system',
      outcome: 'wrong',
      says: '1 message',
      mend: `send their events again with npm run notifier -- deliveries --to payroll-system --resend --data ${stage.dataFolder}`,
    });
    expect(findings).toContainEqual({
      about: 'webhook payroll-system',
      outcome: 'wrong',
      says: expect.stringMatching(/^answered 410 at .* and is disabled$/),
      mend: `npm run notifier -- deliveries --to payroll-system --resend --data ${stage.dataFolder}`,
    });
    await machine.webhookStates.saveDisabled('payroll-system', null);
  });
});

describe('looking back', () => {
  let id: string;
  let told: WireEvent | undefined;

  beforeAll(async () => {
    const [open] = source.company.timesheets(WATCHED).filter(({ approvedHours }) => approvedHours === null);
    id = open?.id ?? '';
    make(source, { change: 'approve', id });
    [told] = await stage.tell();
  });

  test('events lists the log, as lines or as published', async () => {
    const { code, lines } = await machine.run('events', '--type', 'timesheet.approved');
    expect([code, lines.slice(-1)]).toEqual([
      0,
      [expect.stringMatching(/^\d{4}-\d\d-\d\d \S+ {2}.+ {2}timesheet\.approved {2}\d+_1$/)],
    ]);
    expect((await machine.run('events', '--type', 'timesheet.*', '--json')).lines.at(-1)).toBe(told?.text);
    const types = 'timesheet.removed, timesheet.app*';
    expect((await machine.run('events', '--type', types)).lines).toEqual(lines);
    expect((await machine.run('events', '--since', '0s')).lines).toEqual(['no event in the log matches']);
  });

  test.each([
    [
      ['--type', 'timesheet.approved,timesheet.nonsense'],
      /^--type is "timesheet\.nonsense", which matches no/,
    ],
    [['--since', 'yesterday'], /^--since is "yesterday"; use a time such as 2h/],
    [['--since', '2100-01-01'], /^--since 2100-01-01 \(2099-.*Z\) is not before the end of the log; /],
  ])('events %j is an error that says what to use', async (args, message) => {
    const { code, stderr } = await machine.run('events', ...args);
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
  });

  test('events of a record shows the history of a record, and where each event went', async () => {
    const { code, lines } = await machine.run('events', id);
    expect(code).toBe(0);
    expect(lines.slice(0, 9)).toEqual([
      `timesheets ${id} of main`,
      '',
      expect.stringMatching(/^ {3}1 {2}.*: approved /),
      `      timesheet.approved  ${told?.event.id}`,
      expect.stringMatching(/^ {6}happened .*, seen between .* and /),
      '      published to the topic timesheets',
      '      queue payroll: waits until it is read',
      '      webhook/payroll-system: not yet tried',
      '',
    ]);
    expect(lines[9]).toBe('now, after 1 event:');
    expect(lines.slice(-2)).toEqual([
      'why there is no newer event:',
      expect.stringContaining(REASONS.unchanged.says),
    ]);
  });

  test('events of a record that is nowhere says what is watched', async () => {
    const { code, lines } = await machine.run('events', 'nobody');
    expect([code, lines[0]]).toEqual([0, 'nothing is known of nobody']);
    expect(lines).toContainEqual(expect.stringContaining(REASONS.unknown_record.says));
  });
});

test('without a command it prints its help, and exits with 0; what is compiled stays where no other user writes', async () => {
  const folder = createTemporaryFolder('temporary-files');
  const { code, stdout, stderr } = await execute([], { environment: { TMPDIR: folder } });
  expect([code, stderr]).toEqual([0, '']);
  for (const name of COMMANDS) expect(stdout).toContain(`  ${name} `);
  expect(readdirSync(folder)).toEqual([]);
  expect(readdirSync(join(PROGRAM_ROOT, '.cache', 'compiled'))).not.toEqual([]);
});
