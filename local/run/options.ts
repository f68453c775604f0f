import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import * as z from 'zod';
import { DURATION_FORM, parseDuration } from '#cli/duration.ts';
import { parseSigningSecrets } from '#shared/adapters/webhook/signing-secret.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { timeZoneSchema } from '#shared/config/schema/time-zone.ts';
import { NotifierError } from '#shared/core/errors.ts';

/** Name of the environment variable with the credential for a real source. */
export const TOKEN_VARIABLE = 'WORKFORCE_API_TOKEN';
/** And of the one with the secret that the user's own receiver of webhooks knows. */
const WEBHOOK_SECRET_VARIABLE = 'WEBHOOK_SECRET';

const MAX_WINDOW_DAYS = 730;
const MIN_EVERY_MS = 100;
const MAX_SPEED = 86_400;

/** A real source, or the emulated company and its clock's speed in simulated seconds per real second. */
export type SourceChoice =
  | { readonly kind: 'remote'; readonly baseUrl: string; readonly token: string }
  | { readonly kind: 'emulator'; readonly speed: number };

/** `once`: one complete poll. `every`: the same again and again. `schedules`: as the template says. */
type RunMode =
  | { readonly kind: 'once' }
  | { readonly kind: 'every'; readonly intervalMs: number }
  | { readonly kind: 'schedules' };

const webhookUrlSchema = z.url({ protocol: /^https?$/ }).refine((address) => {
  // It is asked for what is no address, too.
  const url = URL.parse(address);
  return url?.username === '' && url.password === '';
});

/** What a run is asked to do. */
export interface RunOptions {
  readonly source: SourceChoice;
  readonly mode: RunMode;
  readonly dataFolder: string;
  readonly output: 'ndjson' | 'text';
  readonly timeZone: string;
  readonly windowBackDays: number;
  readonly windowForwardDays: number;
  /** The user's own receiver of webhooks; `null` for ours. */
  readonly webhook: string | null;
  /** What webhooks are signed with, as the user wants it; `null` for a secret of the data folder. */
  readonly webhookSecret: string | null;
}

interface CommandLine {
  readonly baseUrl?: string;
  readonly data: string;
  readonly once?: true;
  readonly every?: number;
  readonly output: 'ndjson' | 'text';
  readonly timeZone: string;
  readonly windowBack?: number;
  readonly windowForward: number;
  readonly speed?: number;
  readonly webhook?: string;
  readonly webhookSecret?: string;
}

const DEFAULT_SPEED = 600;
const DEFAULT_WINDOW_BACK = 7;
/** The sample company closes a week two days after its end: what is told of it then counts all of its dates. */
const SAMPLE_WINDOW_BACK = 14;

/**
 * Reads the command line. Answers `null` when only help was asked for, which is then printed. Throws a
 * `NotifierError` whose one-line message says what is wrong, which value, and how to mend it.
 */
export function readOptions(args: readonly string[], environment: NodeJS.ProcessEnv): RunOptions | null {
  const given = parse(args);
  if (given === null) return null;
  return {
    source: readSource(given, environment),
    mode: readMode(given),
    dataFolder: given.data,
    output: given.output,
    timeZone: given.timeZone,
    windowBackDays:
      given.windowBack ?? (given.baseUrl === undefined ? SAMPLE_WINDOW_BACK : DEFAULT_WINDOW_BACK),
    windowForwardDays: given.windowForward,
    webhook: readWebhook(given),
    webhookSecret: readWebhookSecret(given, environment),
  };
}

function parse(args: readonly string[]): CommandLine | null {
  try {
    return command().parse(args, { from: 'user' }).opts<CommandLine>();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return null;
    const message = error.message.replace(/^error: /, '').replaceAll('\n', ' ');
    throw wrong(`${message}; see --help`, error);
  }
}

function command(): Command {
  return new Command('npm start --')
    .description('Runs the notifier on this machine, against a sample company or a real source.')
    .allowExcessArguments(false)
    .showSuggestionAfterError(false)
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .option('--base-url <url>', `a real source; its token is read from ${TOKEN_VARIABLE}`)
    .option('--data <folder>', 'where everything is remembered', checkFolder, '.data')
    .option('--once', 'poll every feed once over the whole window, print what is delivered, and end')
    .option('--every <duration>', 'the same again and again, such as 2s or 5m', checkEvery)
    .addOption(
      new Option('--output <form>', 'one CloudEvent per line as JSON, or readable text')
        .choices(['ndjson', 'text'])
        .default('text'),
    )
    .option('--time-zone <zone>', 'IANA zone of the dates', checkTimeZone, 'UTC')
    .option(
      '--window-back <days>',
      `days before today that are watched (default: ${DEFAULT_WINDOW_BACK}, of the sample company ${SAMPLE_WINDOW_BACK})`,
      checkDays,
    )
    .option('--window-forward <days>', 'days after today that are watched', checkDays, 7)
    .option(
      '--speed <number>',
      `simulated seconds per real second of the sample company (default: ${DEFAULT_SPEED})`,
      checkSpeed,
    )
    .option('--webhook <url>', 'your own receiver of webhooks, instead of the one that prints them')
    .option(
      '--webhook-secret <secret>',
      `what its webhooks are signed with, whsec_...; else read from ${WEBHOOK_SECRET_VARIABLE}, else made and said`,
    );
}

function readSource({ baseUrl, speed }: CommandLine, environment: NodeJS.ProcessEnv): SourceChoice {
  if (baseUrl === undefined) return { kind: 'emulator', speed: speed ?? DEFAULT_SPEED };
  if (speed !== undefined) {
    throw wrong('--speed is of the sample company and means nothing with --base-url; leave one of them out');
  }
  checkBaseUrl(baseUrl);
  const token = environment[TOKEN_VARIABLE]?.trim() ?? '';
  if (token === '') {
    throw wrong(`${TOKEN_VARIABLE} is not set; set it to a token of the source at ${baseUrl}`);
  }
  if (/\p{Cc}/u.test(token)) {
    throw wrong(`${TOKEN_VARIABLE} holds a line break or control character; set it to the token alone`);
  }
  return { kind: 'remote', baseUrl, token };
}

function readMode({ once, every }: CommandLine): RunMode {
  if (once === true && every !== undefined) {
    throw wrong('--once and --every exclude each other; leave one of them out');
  }
  if (once === true) return { kind: 'once' };
  return every === undefined ? { kind: 'schedules' } : { kind: 'every', intervalMs: every };
}

/** Not while commander parses: its message would show a password that stands in the address. */
function checkBaseUrl(text: string): void {
  const result = connectionSchema.shape.baseUrl.safeParse(text);
  if (result.success) return;
  const shown = text.includes('@') ? '' : ` ${JSON.stringify(text)}`;
  throw wrong(`--base-url${shown} cannot be used: ${result.error.issues[0]?.message}`, result.error);
}

/** Any address will do, also one of this machine: it is the user's own receiver. */
function readWebhook({ webhook }: CommandLine): string | null {
  if (webhook === undefined) return null;
  const result = webhookUrlSchema.safeParse(webhook);
  if (result.success) return webhook;
  const shown = webhook.includes('@') ? '' : ` ${JSON.stringify(webhook)}`;
  throw wrong(
    `--webhook${shown} cannot be used: it must be an http or https address without user name and password, such as http://localhost:3000/hook`,
    result.error,
  );
}

/** Without an own receiver the variable means nothing: it may be for another program of the same shell. */
function readWebhookSecret(
  { webhook, webhookSecret }: CommandLine,
  environment: NodeJS.ProcessEnv,
): string | null {
  if (webhook === undefined && webhookSecret !== undefined) {
    throw wrong('--webhook-secret is for a receiver of your own; name it with --webhook, or leave both out');
  }
  if (webhook === undefined) return null;
  const inherited = environment[WEBHOOK_SECRET_VARIABLE] ?? '';
  if (webhookSecret === undefined && inherited === '') return null;
  const [secret = null] =
    webhookSecret === undefined
      ? parseSigningSecrets(inherited, WEBHOOK_SECRET_VARIABLE)
      : parseSigningSecrets(webhookSecret, '--webhook-secret');
  return secret;
}

function checkTimeZone(text: string): string {
  return checkWithSchema(timeZoneSchema, text);
}

function checkWithSchema<T>(schema: z.ZodType<T>, text: string): T {
  const result = schema.safeParse(text);
  if (result.success) return result.data;
  throw new InvalidArgumentError(result.error.issues[0]?.message ?? 'invalid');
}

function checkFolder(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('it must name a folder, such as .data');
  return text;
}

function checkEvery(text: string): number {
  const duration = parseDuration(text);
  if (duration !== null && duration >= MIN_EVERY_MS) return duration;
  throw new InvalidArgumentError(`it must be ${DURATION_FORM}, and at least ${MIN_EVERY_MS}ms`);
}

function checkDays(text: string): number {
  const days = Number(text);
  if (/^\d+$/.test(text) && days <= MAX_WINDOW_DAYS) return days;
  throw new InvalidArgumentError(`it must be a whole number of days from 0 to ${MAX_WINDOW_DAYS}`);
}

function checkSpeed(text: string): number {
  const speed = Number(text);
  if (text.trim() !== '' && speed > 0 && speed <= MAX_SPEED) return speed;
  throw new InvalidArgumentError(`it must be a number above 0 and at most ${MAX_SPEED}`);
}

function wrong(message: string, cause?: unknown): NotifierError {
  return new NotifierError('options_wrong', message, { cause });
}
