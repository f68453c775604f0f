import { Command } from 'commander';
import { checkReceiver, parseAddress } from '#kit/conform/check-receiver.ts';
import type { CheckVerdict, Judged } from '#kit/conform/judge.ts';
import { parseSigningKey } from '#kit/conform/signing.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { createPainter, wantsColour } from '#shared/terminal/output.ts';
import { readSecretOption } from '#shared/terminal/secret-option.ts';
import { buildSampleEvents } from '../sample-events/sample-events.ts';

const HELP = `
Use a receiver that serves nobody yet: the events are genuine in form, about
records that do not exist. The exit code is 1 when a check fails. A receiver
that stops, or leaves three checks in a row unanswered, ends the test.

The probe is an address of your receiver, for this test only. It answers with a
JSON object: by record id (the subject of the event), the sequence of the last
applied event, such as {"910001_4711": 3}. Without a probe, conform cannot check
that repeats are dropped and order is kept.

Examples:
  $ npm run notifier -- conform http://localhost:3000/hook --secret receiver.secret
  $ WEBHOOK_SECRET=whsec_... npm run notifier -- conform http://localhost:3000/hook --json
  $ npm run notifier -- conform http://localhost:3000/hook --probe http://localhost:3000/states`;

interface ConformFlags {
  readonly secret?: string;
  readonly previousSecret?: string;
  readonly probe?: string;
  readonly json?: true;
}

export function conformCommand(): Command {
  return new Command('conform')
    .summary('test your own webhook receiver')
    .description(
      'Sends your own webhook receiver everything it will meet (every type, repeats, wrong order, unknown fields, forged and old messages) and reports what it gets wrong.',
    )
    .argument('<url>', 'where your receiver listens, such as http://localhost:3000/hook')
    .option(
      '--secret <file>',
      'file with the signing secret of your receiver, whsec_..., or - to be asked for it (default: the secret in WEBHOOK_SECRET)',
    )
    .option(
      '--previous-secret <file>',
      'file with its previous secret, to test a rotation, or - to be asked for it (default: that in WEBHOOK_PREVIOUS_SECRET)',
    )
    .option('--probe <url>', 'where your receiver reports its state, to test repeats and order')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(run);
}

async function run(url: string, { secret, previousSecret, probe, json }: ConformFlags): Promise<void> {
  const what = 'the signing secret of your receiver';
  const current = await readSecretOption(
    { option: '--secret', file: secret, variable: 'WEBHOOK_SECRET', what, isNeeded: true },
    process.env,
  );
  const before = {
    variable: 'WEBHOOK_PREVIOUS_SECRET',
    what: 'the previous signing secret of your receiver',
  };
  const previous = await readSecretOption(
    { option: '--previous-secret', file: previousSecret, ...before },
    process.env,
  );
  if (current === undefined) {
    throw new NotifierError(
      'secret_missing',
      "conform needs the signing secret of your receiver; put it into WEBHOOK_SECRET, or into a file for --secret; to generate one: node -p \"'whsec_' + crypto.randomBytes(24).toString('base64')\"",
    );
  }
  const verdicts: CheckVerdict[] = [];
  const colour = wantsColour(process.stdout, process.env);
  const receiver = {
    url: parseAddress(url, '<url>'),
    probe: probe === undefined ? null : parseAddress(probe, '--probe'),
    key: parseSigningKey(current, '--secret'),
    previousKey: previous === undefined ? null : parseSigningKey(previous, '--previous-secret'),
  };
  for await (const verdict of checkReceiver(receiver, buildSampleEvents())) {
    verdicts.push(verdict);
    const lines = formatVerdict(verdict, colour);
    if (json !== true && lines !== null) console.log(lines);
  }
  console.log(json === true ? formatJsonReport(verdicts) : `\n${formatSummary(verdicts).join('\n')}`);
  if (verdicts.some(({ outcome }) => outcome === 'wrong')) process.exitCode = 1;
}

const COLOURS = { ok: 'green', slow: 'yellow', wrong: 'red' } as const;
const WIDTH = 'wrong'.length;

/** One line for a verdict, and below it how to fix what is wrong. Null for skipped checks: the summary counts them. */
export function formatVerdict(verdict: CheckVerdict, colour: boolean): string | null {
  if (verdict.outcome === 'skipped') return null;
  const { outcome, sent, answered, expected, mend } = verdict;
  const mark = createPainter(colour)(COLOURS[outcome], outcome.padEnd(WIDTH));
  if (outcome === 'ok') return `${mark}  ${sent}: ${answered}`;
  const mending = mend === null ? '' : `\n${' '.repeat(WIDTH)}  -> ${mend}`;
  return `${mark}  ${sent}: ${answered}, expected ${expected}${mending}`;
}

/** Such as `34 of 36 checks hold`, and a line per reason why checks were not run. */
export function formatSummary(verdicts: readonly CheckVerdict[]): string[] {
  const run = verdicts.filter(isJudged);
  const count = (outcome: Judged['outcome']) => run.filter((verdict) => verdict.outcome === outcome).length;
  const slow = count('slow');
  const holding = `${run.length - count('wrong')} of ${run.length} checks hold`;
  return [slow === 0 ? holding : `${holding}, ${slow} of them slowly`, ...formatSkipped(verdicts)];
}

export function formatJsonReport(verdicts: readonly CheckVerdict[]): string {
  const checks = verdicts.filter(isJudged);
  const holding = checks.filter(({ outcome }) => outcome !== 'wrong').length;
  const skipped = verdicts.length - checks.length;
  const summary = formatSummary(verdicts).join('; ');
  return JSON.stringify({ summary, holding, of: checks.length, skipped, checks }, null, 2);
}

function formatSkipped(verdicts: readonly CheckVerdict[]): string[] {
  const skipped = verdicts.filter((verdict) => verdict.outcome === 'skipped');
  const unreached = skipped.filter(({ wentAwayAt }) => wentAwayAt !== null);
  const unprobed = skipped.length - unreached.length;
  const [first] = unreached;
  return [
    ...(first === undefined
      ? []
      : [
          `your receiver stopped answering at "${first.wentAwayAt}": ${formatCheckCount(unreached.length)} not run`,
        ]),
    ...(unprobed === 0
      ? []
      : [
          `not checked: whether repeats are dropped and order is kept (${formatCheckCount(unprobed)}); pass --probe`,
        ]),
  ];
}

function formatCheckCount(count: number): string {
  return count === 1 ? '1 check' : `${count} checks`;
}

function isJudged(verdict: CheckVerdict): verdict is Judged {
  return verdict.outcome !== 'skipped';
}
