import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { NotifierError } from '#shared/core/errors.ts';
import { SHORT_EVENT_TYPES } from '#shared/core/events/event-schemas.ts';
import { conform } from '../conform/conform.ts';
import { createEventMaker } from '../conform/event-maker.ts';
import type { CheckVerdict } from '../conform/judge.ts';
import { createProbe } from '../conform/probe.ts';
import { formatJsonReport, formatSummary, formatVerdict } from '../conform/report.ts';
import { createSender } from '../conform/sender.ts';
import { parseSigningKey } from '../conform/signing.ts';
import { wantsColour } from '../output.ts';
import { buildSampleEvents } from '../sample-events/sample-events.ts';

/** As long as a delivery waits for an answer. */
const TIMEOUT_MS = 15_000;
const KEY_BYTES = 32;

const EXAMPLES = `
Examples:
  $ npm run notifier -- conform http://localhost:3000/hook --secret whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
  $ WEBHOOK_SECRET=whsec_... npm run notifier -- conform http://localhost:3000/hook --json
  $ npm run notifier -- conform http://localhost:3000/hook --probe http://localhost:3000/states

The probe is an address of your receiver, for this test only. It answers a JSON object that says, by the id of each
record (the event's subject), the sequence of the event that was applied last: {"910001_4711": 3}. Without it nobody
sees whether repeats are dropped and order is kept.`;

interface ConformFlags {
  readonly secret?: string;
  readonly previousSecret?: string;
  readonly probe?: string;
  readonly json?: true;
}

/** `notifier conform`: fires at the user's own receiver whatever it will meet, and says what it got wrong. */
export function conformCommand(): Command {
  return new Command('conform')
    .description('send your own receiver of webhooks whatever it will meet, and say what it gets wrong')
    .argument('<url>', 'where your receiver listens, such as http://localhost:3000/hook')
    .addOption(
      new Option('--secret <secret>', 'the signing secret your receiver has, whsec_...').env(
        'WEBHOOK_SECRET',
      ),
    )
    .addOption(
      new Option('--previous-secret <secret>', 'the secret before it, to test a rotation').env(
        'WEBHOOK_PREVIOUS_SECRET',
      ),
    )
    .option('--probe <url>', 'where your receiver tells what it holds, to test duplicates and order')
    .option('--json', 'one JSON object instead of lines')
    .addHelpText('after', EXAMPLES)
    .action(run);
}

async function run(url: string, flags: ConformFlags, command: Command): Promise<void> {
  const { secret, previousSecret, probe } = flags;
  // The whole program may have been asked for it.
  const json = command.optsWithGlobals<ConformFlags>().json;
  if (secret === undefined) {
    throw new NotifierError(
      'secret_missing',
      "conform signs what it sends: give your receiver's secret with --secret or in WEBHOOK_SECRET; to make one: node -p \"'whsec_' + crypto.randomBytes(24).toString('base64')\"",
    );
  }
  const address = parseAddress(url, 'the address of the receiver');
  const verdicts: CheckVerdict[] = [];
  const colour = wantsColour(process.stdout, process.env);
  const checks = conform({
    url: address,
    kit: {
      types: SHORT_EVENT_TYPES,
      events: createEventMaker(buildSampleEvents(), String(Date.now())),
      key: parseSigningKey(secret, '--secret'),
      previousKey: previousSecret === undefined ? null : parseSigningKey(previousSecret, '--previous-secret'),
      foreignKey: randomBytes(KEY_BYTES),
    },
    send: createSender({ url: address, timeoutMs: TIMEOUT_MS, now: () => performance.now() }),
    probe: probe === undefined ? null : openProbe(probe),
    now: () => Date.now(),
  });
  for await (const verdict of checks) {
    verdicts.push(verdict);
    const lines = formatVerdict(verdict, colour);
    if (json !== true && lines !== null) console.log(lines);
  }
  console.log(json === true ? formatJsonReport(verdicts) : `\n${formatSummary(verdicts).join('\n')}`);
  if (verdicts.some(({ outcome }) => outcome === 'wrong')) process.exitCode = 1;
}

function openProbe(url: string) {
  return createProbe({
    url: parseAddress(url, '--probe'),
    timeoutMs: TIMEOUT_MS,
    sleep: async (milliseconds) => {
      await wait(milliseconds);
    },
  });
}

function parseAddress(text: string, what: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href;
  throw new NotifierError(
    'address_invalid',
    `${what} is ${JSON.stringify(text)}; give a http or https address, such as http://localhost:3000/hook`,
  );
}
