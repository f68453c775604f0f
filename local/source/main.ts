#!/usr/bin/env node
/** Runs the source emulator alone: `npm run --silent source -- --port 0`. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { timeZoneSchema } from '#shared/config/schema/time-zone.ts';
import { type SourceOptions, startSource } from './server.ts';

interface CommandLine extends Omit<SourceOptions, 'size' | 'limit' | 'token' | 'clientSecret'> {
  readonly employees: number;
  readonly limit?: number;
  readonly limitBurst?: number;
  readonly retryAfter: boolean;
}

const parseNumber = (min: number, kind: 'integer' | 'number') => (text: string) => {
  const value = Number(text);
  const good = text.trim() !== '' && Number.isFinite(value) && value >= min;
  if (!good || (kind === 'integer' && !Number.isInteger(value))) {
    throw new InvalidArgumentError(
      `must be ${kind === 'integer' ? 'an integer' : 'a number'} of at least ${min}`,
    );
  }
  return value;
};

function parseInstantOption(text: string): number {
  const value = Date.parse(text);
  if (Number.isNaN(value)) throw new InvalidArgumentError('must be a date-time such as 2026-03-02T07:45:00Z');
  return value;
}

function parseCalendars(text: string): 1 | 2 {
  if (text === '1' || text === '2') return text === '1' ? 1 : 2;
  throw new InvalidArgumentError('must be 1 or 2');
}

function parseTimeZone(text: string): string {
  const checked = timeZoneSchema.safeParse(text);
  if (!checked.success)
    throw new InvalidArgumentError(checked.error.issues[0]?.message ?? 'unknown time zone');
  return checked.data;
}

const program = new Command('source')
  .description(
    'Runs a workforce-management API with a simulated sample company on 127.0.0.1. It accepts the token in SOURCE_TOKEN, or one derived from the seed, and for /oauth/token the secret in SOURCE_CLIENT_SECRET, or sample-secret.',
  )
  .allowExcessArguments(false)
  .addOption(
    new Option('--port <number>', 'port; 0 for a free one').default(0).argParser(parseNumber(0, 'integer')),
  )
  .option(
    '--speed <number>',
    'simulated seconds per real second; 0 stops the clock',
    parseNumber(0, 'number'),
    1,
  )
  .option(
    '--seed <integer>',
    'seed of the company: another one gives another company',
    parseNumber(0, 'integer'),
    1,
  )
  .addOption(
    new Option('--calendars <number>', 'pay calendars; with 2, one department is paid every two weeks')
      .default(1)
      .argParser(parseCalendars),
  )
  .option('--employees <integer>', 'number of employees', parseNumber(1, 'integer'), 30)
  .option('--time-zone <name>', 'IANA time zone of the company', parseTimeZone, 'UTC')
  .option('--page-size-cap <integer>', 'largest page size', parseNumber(1, 'integer'), 200)
  .option('--starts-at <date-time>', 'simulated start (default: now)', parseInstantOption)
  .option('--resume-at <date-time>', 'simulate up to this instant before serving', parseInstantOption)
  .option('--client-id <text>', 'client id for /oauth/token', 'sample-client')
  .option('--token-life-seconds <integer>', 'lifetime of issued tokens', parseNumber(1, 'integer'), 3600)
  .option('--journal <file>', 'store manual changes in this file and repeat them at the next start')
  .option('--limit <number>', 'requests per second (default: no limit)', parseNumber(0, 'number'))
  .option('--limit-burst <integer>', 'requests allowed at once, with --limit', parseNumber(1, 'integer'))
  .option('--no-retry-after', 'answer 429 without Retry-After');

async function main(): Promise<void> {
  const { employees, limit, limitBurst, retryAfter, ...flags } = program.parse().opts<CommandLine>();
  const options = { ...flags, ...readSecrets(process.env) };
  const bucket =
    limit === undefined
      ? undefined
      : { capacity: limitBurst ?? Math.max(1, limit), refillPerSecond: limit, retryAfter };
  const source = await startSource({ ...options, size: employees, limit: bucket });
  console.log(JSON.stringify({ baseUrl: source.baseUrl, token: source.token }));
  console.error(`source: ${employees} employees, simulated time ${new Date(source.now()).toISOString()}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      source.close().then(
        () => process.exit(0),
        (error: unknown) => fail(error),
      );
    });
  }
}

/** Arguments are seen by every user of the machine. */
function readSecrets({ SOURCE_TOKEN: token, SOURCE_CLIENT_SECRET: clientSecret }: NodeJS.ProcessEnv) {
  return { ...(token === undefined ? {} : { token }), clientSecret: clientSecret ?? 'sample-secret' };
}

function fail(error: unknown): void {
  console.error(`source: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}

main().catch(fail);
