import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import * as z from 'zod';
import { parseCredential } from '#shared/adapters/credential/credential.ts';
import { parseWebhookSecret } from '#shared/adapters/webhook/signer.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { timeZoneSchema } from '#shared/config/schema/time-zone.ts';
import {
  createOptionsError,
  DURATION_FORM,
  describeUsageError,
  parseDuration,
} from '#shared/terminal/options.ts';
import { readSecret, TOKEN_VARIABLE, WEBHOOK_SECRET_VARIABLE } from '#shared/terminal/read-secret.ts';

const MAX_WINDOW_DAYS = 730;
const MIN_EVERY_MS = 100;
const MAX_SPEED = 86_400;
/** A poll a second then keeps the cadences of the plan: nothing looks late. */
const DEFAULT_SPEED = 60;
const DEFAULT_WINDOW_BACK = 7;
/** The sample company closes two weeks two days after their end; the window must still hold all their dates then. */
const SAMPLE_WINDOW_BACK = 17;

const EXAMPLES = `
Examples:
  $ npm start
  $ npm start -- --once --output ndjson
  $ ${TOKEN_VARIABLE}=... npm start -- --base-url https://workforce.example.com --every 1m`;

/** `once`: one complete poll. `every`: complete polls at an interval. `schedules`: by the schedules of the template. */
type RunMode =
  | { readonly kind: 'once' }
  | { readonly kind: 'every'; readonly intervalMs: number }
  | { readonly kind: 'schedules' };

/** A real source, or the sample company with its speed in simulated seconds per real second. */
type SourceChoice =
  | { readonly kind: 'remote'; readonly baseUrl: string; readonly token: string }
  | { readonly kind: 'emulator'; readonly speed: number };

export interface RunOptions {
  readonly source: SourceChoice;
  readonly mode: RunMode;
  readonly dataFolder: string;
  readonly output: 'ndjson' | 'text';
  readonly timeZone: string;
  readonly windowBackDays: number;
  readonly windowForwardDays: number;
  /** URL of the user's own webhook receiver; `null` for the local one, which prints. */
  readonly webhook: string | null;
  /** Signing secret given by the user; `null` for one of the data folder. */
  readonly webhookSecret: string | null;
}

/** The options as they were given. */
export interface RunCommandLine {
  readonly baseUrl?: string;
  readonly speed?: number;
  readonly data: string;
  readonly once?: true;
  readonly every?: number;
  readonly output: 'ndjson' | 'text';
  readonly timeZone: string;
  readonly windowBack?: number;
  readonly windowForward: number;
  readonly webhook?: string;
}

/**
 * Reads the command line. Returns `null` after printing help. Throws a `NotifierError` whose one-line message names the
 * option, the value and how to fix it.
 */
export async function readOptions(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<RunOptions | null> {
  try {
    const given = describeRun('npm start --').parse(args, { from: 'user' }).opts<RunCommandLine>();
    return await toRunOptions(given, environment);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return null;
    throw createOptionsError(describeUsageError(error), error);
  }
}

/** The command line of a run, under a name. */
export function describeRun(name: string): Command {
  const command = new Command(name)
    .summary('run the whole notifier on this machine')
    .description('Runs the notifier on this machine, with a simulated sample company or a real source.')
    .addHelpText('after', EXAMPLES)
    .allowExcessArguments(false)
    .showSuggestionAfterError(false)
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .option(
      '--base-url <url>',
      `poll this real source instead of a sample company; its token is in ${TOKEN_VARIABLE}, or asked for on a terminal`,
    )
    .option('--data <folder>', 'where all data is kept between runs', checkFolder, '.data')
    .option('--once', 'poll the whole window once, deliver the events, and exit')
    .option('--every <duration>', 'poll the whole window at this interval, such as 2s or 5m', checkEvery);
  return describeOutput(command);
}

/** What a run watches and where it tells. */
function describeOutput(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--output <form>',
        'text: readable lines, with alerts and webhooks; ndjson: one CloudEvent per line',
      )
        .choices(['ndjson', 'text'])
        .default('text'),
    )
    .option(
      '--time-zone <zone>',
      'IANA time zone of the dates, such as Pacific/Auckland',
      checkTimeZone,
      'UTC',
    )
    .option(
      '--window-back <days>',
      `days before today to watch (default: ${DEFAULT_WINDOW_BACK}, for the sample company ${SAMPLE_WINDOW_BACK})`,
      checkDays,
    )
    .option('--window-forward <days>', 'days after today to watch', checkDays, 7)
    .option(
      '--speed <number>',
      `simulated seconds per real second of the sample company (default: ${DEFAULT_SPEED})`,
      checkSpeed,
    )
    .option(
      '--webhook <url>',
      `send webhooks to your own receiver instead of printing them, signed with the secret in ${WEBHOOK_SECRET_VARIABLE}, or else with a new one, which is printed`,
    );
}

/** What the command line asks for. Throws a `NotifierError`. */
export async function toRunOptions(
  given: RunCommandLine,
  environment: NodeJS.ProcessEnv,
): Promise<RunOptions> {
  const windowBack = given.baseUrl === undefined ? SAMPLE_WINDOW_BACK : DEFAULT_WINDOW_BACK;
  return {
    source: await readSource(given, environment),
    mode: readMode(given),
    dataFolder: given.data,
    output: given.output,
    timeZone: given.timeZone,
    windowBackDays: given.windowBack ?? windowBack,
    windowForwardDays: given.windowForward,
    webhook: readWebhook(given),
    webhookSecret: readWebhookSecret(given, environment),
  };
}

/** Throws a `NotifierError` for a wrong address or token. Never shows a password or the token. */
async function readSource(
  { baseUrl, speed }: RunCommandLine,
  environment: NodeJS.ProcessEnv,
): Promise<SourceChoice> {
  if (baseUrl === undefined) return { kind: 'emulator', speed: speed ?? DEFAULT_SPEED };
  if (speed !== undefined) {
    throw createOptionsError(
      '--speed is for the sample company and cannot be combined with --base-url; omit one of them',
    );
  }
  const { error } = connectionSchema.shape.baseUrl.safeParse(baseUrl);
  if (error !== undefined) throw createAddressError('--base-url', baseUrl, error.issues[0]?.message ?? '');
  const token = (await readSecret(TOKEN_VARIABLE, `a token of ${baseUrl}`, { environment }))?.trim() ?? '';
  if (token === '') {
    throw createOptionsError(`${TOKEN_VARIABLE} is not set; set it to a token of the source at ${baseUrl}`);
  }
  if (!token.startsWith('{') && /\p{Cc}/u.test(token)) {
    throw createOptionsError(
      `${TOKEN_VARIABLE} contains a line break or control character; set it to the token alone`,
    );
  }
  parseCredential(token, TOKEN_VARIABLE);
  return { kind: 'remote', baseUrl, token };
}

/** Without an address that may hold a password. */
function createAddressError(option: string, address: string, what: string) {
  const shown = address.includes('@') ? '' : ` ${JSON.stringify(address)}`;
  return createOptionsError(`${option}${shown} cannot be used: ${what}`);
}

function readMode({ once, every }: RunCommandLine): RunMode {
  if (once === true && every !== undefined) {
    throw createOptionsError('--once and --every exclude each other; omit one of them');
  }
  if (once === true) return { kind: 'once' };
  return every === undefined ? { kind: 'schedules' } : { kind: 'every', intervalMs: every };
}

const webhookUrlSchema = z.url({ protocol: /^https?$/ });

/** Accepts private addresses too: it is the user's own receiver. */
function readWebhook({ webhook }: RunCommandLine): string | null {
  if (webhook === undefined) return null;
  const { username, password } = URL.parse(webhook) ?? {};
  if (webhookUrlSchema.safeParse(webhook).success && `${username}${password}` === '') return webhook;
  const form = 'an http or https address without user name and password';
  throw createAddressError('--webhook', webhook, `use ${form}, such as http://localhost:3000/hook`);
}

/** The variable is ignored without --webhook: it may be meant for another program of the same shell. */
function readWebhookSecret({ webhook }: RunCommandLine, environment: NodeJS.ProcessEnv): string | null {
  const text = environment[WEBHOOK_SECRET_VARIABLE] ?? '';
  if (webhook === undefined || text === '') return null;
  return parseWebhookSecret(text, WEBHOOK_SECRET_VARIABLE).signing[0] ?? null;
}

function checkTimeZone(text: string): string {
  const { data, error } = timeZoneSchema.safeParse(text);
  if (data !== undefined) return data;
  throw new InvalidArgumentError(error?.issues[0]?.message ?? 'invalid');
}

function checkFolder(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('must name a folder, such as .data');
  return text;
}

function checkEvery(text: string): number {
  const duration = parseDuration(text);
  if (duration !== null && duration >= MIN_EVERY_MS) return duration;
  throw new InvalidArgumentError(`must be ${DURATION_FORM}, and at least ${MIN_EVERY_MS}ms`);
}

function checkDays(text: string): number {
  const days = Number(text);
  if (/^\d+$/.test(text) && days <= MAX_WINDOW_DAYS) return days;
  throw new InvalidArgumentError(`must be a whole number of days from 0 to ${MAX_WINDOW_DAYS}`);
}

function checkSpeed(text: string): number {
  const speed = Number(text);
  if (text.trim() !== '' && speed > 0 && speed <= MAX_SPEED) return speed;
  throw new InvalidArgumentError(`must be a number above 0 and at most ${MAX_SPEED}`);
}
