import { Command } from 'commander';
import { NotifierError } from '#shared/core/errors.ts';
import type { TargetFlags, WithTarget } from '#shared/operator/target.ts';
import { createPainter, print, wantsColour } from '#shared/terminal/output.ts';
import { readSecret, WEBHOOK_SECRET_VARIABLE } from '#shared/terminal/read-secret.ts';
import { addDataOption } from '../options.ts';
import { sendExample } from '../testing/example.ts';
import { forwardEvents, parseForwardAddress } from '../testing/forward.ts';
import { checkReceiver, type ReceiverCheck } from '../testing/receiver/check-receiver.ts';

interface TestFlags extends TargetFlags {
  readonly to?: string;
  readonly forward?: string;
  readonly type?: string;
  readonly since?: string;
  readonly probe?: string;
}

const HELP = `
--to NAME, such as payroll-system or slack/payroll, sends an example through the
queue of the receiver. Its id begins with "example-" and its message has the
attribute "example", so that nobody acts on it.

--to URL plays all that a webhook receiver meets: every type, repeats, wrong
order, unknown members, forged, tampered and old messages. The receiver must
serve nobody yet: the events are genuine in form, of records that do not exist.
One line a fault; the exit code is 1 when there is one. The probe is an address
of yours that answers with a JSON object, such as {"101550_1": 3}: by record id
(the subject of the event), the sequence of the last applied event.

What goes to a URL is signed with the secret in WEBHOOK_SECRET, or one is asked
for.

--forward URL hands the events of the log, from now or --since on, one by one
and signed, to a receiver on this machine or at an https address. One that is
not accepted is tried again until it is, or until you interrupt.

Examples:
  $ npm run notifier -- test --to payroll-system --type timesheet.approved
  $ WEBHOOK_SECRET=whsec_... npm run notifier -- test --to http://localhost:3000/hook
  $ npm run notifier -- test --forward http://localhost:3000/hook --type 'timesheet.*'`;

export function testCommand(withTarget: WithTarget): Command {
  const command = new Command('test')
    .summary('send an example, or test a receiver of your own')
    .description(
      'Sends an example to a receiver of the config, tests a receiver of your own, or hands it new events.',
    )
    .option('--to <receiver>', 'a webhook, queue or channel of the config, or the address of your receiver')
    .option('--forward <url>', 'where to hand new events to')
    .option('--type <type>', 'of the example, or with --forward only this type, such as timesheet.*')
    .option(
      '--since <time>',
      'with --forward: begin with events logged at this time, such as 2h or 2026-11-17',
    )
    .option('--probe <url>', 'where your receiver reports its state, to test repeats and order')
    .addHelpText('after', HELP);
  return addDataOption(command).action(async (flags: TestFlags) => {
    const { to, forward } = flags;
    if ((to === undefined) === (forward === undefined))
      throw new NotifierError('options_wrong', 'test needs one of --to and --forward');
    if (forward !== undefined) {
      const url = parseForwardAddress(forward);
      const secret = await readSigningSecret();
      await withTarget(flags, (target) => forwardEvents({ url, secret }, flags, target));
    } else if (/^https?:/.test(to ?? '')) await testReceiver(to ?? '', flags);
    else await withTarget(flags, (target) => sendExample({ ...flags, to: to ?? '' }, target));
  });
}

async function testReceiver(url: string, { probe }: TestFlags): Promise<void> {
  const secret = await readSigningSecret();
  const { checks, wrong } = await checkReceiver({ url, secret, ...(probe === undefined ? {} : { probe }) });
  const colour = wantsColour(process.stdout, process.env);
  print(...wrong.flatMap((check) => formatFault(check, colour)));
  print(`${checks.length - wrong.length} of ${checks.length} checks hold`);
  if (probe === undefined) print('not checked: whether repeats are dropped and order is kept; pass --probe');
  if (wrong.length > 0) process.exitCode = 1;
}

function formatFault({ sent, answered, expected, mend }: ReceiverCheck, colour: boolean): string[] {
  const mark = createPainter(colour)('red', 'wrong');
  return [`${mark}  ${sent}: ${answered}, expected ${expected}`, `       -> ${mend}`];
}

async function readSigningSecret(): Promise<string> {
  const what = 'the signing secret of your receiver';
  const secret = await readSecret(WEBHOOK_SECRET_VARIABLE, what, { environment: process.env });
  if (secret !== undefined) return secret;
  throw new NotifierError(
    'secret_missing',
    `test needs ${what}; put it into ${WEBHOOK_SECRET_VARIABLE}; to generate one: node -p "'whsec_' + crypto.randomBytes(24).toString('base64')"`,
  );
}
