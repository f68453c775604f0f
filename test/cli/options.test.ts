import { expect, test } from 'vitest';
import { createTemporaryFolder } from '#test/local/aws/fixture-assembly.ts';
import { executeHere } from './execute.ts';

const EMPTY = createTemporaryFolder('empty');
const NEEDS_ONE = /^send needs one of --events and --state$/m;
const IN_CLEAR = /^--forward is .* would send events in clear; use an https address, or one of this machine/;

/** Nothing is opened for a line that cannot be meant. */
test.each<[string, readonly string[], RegExp]>([
  ['nonsense', [], /^unknown command 'nonsense'; see --help$/m],
  ['doctor', ['--data', EMPTY], /^\S+ is not a data folder; run `npm start` first, or name its folder with/],
  ['events', ['1_1', '--follow'], /^--type and --follow choose among events/],
  ['period', ['--members'], /^--members, --csv and --compare need the id of a pay period$/m],
  ['deliveries', ['--yes'], /^--yes belongs to --resend; add --resend, or leave it out$/m],
  ['send', ['--to', 'x'], NEEDS_ONE],
  ['send', ['--to', 'x', '--events', '--state'], NEEDS_ONE],
  [
    'send',
    ['--to', 'x', '--state', '--since', '2h'],
    /^--since and --until choose among events; use --period/,
  ],
  ['send', ['--to', 'x', '--events', '--period', '1_1'], /^--period belongs to --state/],
  ['send', ['--to', 'x', '--state', '--period', '1_1', '--record', '2_1'], /^--period and --record exclude/],
  ['test', ['--type', 'timesheet.approved'], /^test needs one of --to and --forward$/m],
  ['test', ['--to', 'x', '--forward', 'http://localhost'], /^test needs one of --to and --forward$/m],
  ['test', ['--forward', 'http://payroll.acme.example/hook'], IN_CLEAR],
  ['test', ['--forward', 'http://192.168.1.7/hook'], IN_CLEAR],
  ['test', ['--forward', 'ftp://localhost/hook'], /^--forward is "ftp:\/\/localhost\/hook"; use an https/],
  ['test', ['--forward', 'localhost:3000'], /^--forward is "localhost:3000"; use an https address/],
  ['test', ['--forward', 'https://ann:secret@acme.example/'], /^--forward contains a password; leave it out/],
  ['test', ['--to', 'http://localhost:1/'], /crypto\.randomBytes\(24\)\.toString\('base64'\)/],
])('%s %j is one line that says what to use', async (command, args, message) => {
  const { code, stdout, stderr } = await executeHere([command, ...args]);
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(message)]);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});
