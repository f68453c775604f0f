#!/usr/bin/env node
/** Runs the sample source alone: `npm run --silent source -- --port 0`. */
import { Command, InvalidArgumentError } from 'commander';
import { timeZoneSchema } from '#shared/config/schema/time-zone.ts';
import { startSource } from './server.ts';

interface CommandLine {
  readonly port: number;
  readonly speed: number;
  readonly employees: number;
  readonly timeZone: string;
}

const DESCRIPTION = `Runs a workforce-management API with a simulated sample company on 127.0.0.1.
It accepts the token in SOURCE_TOKEN, or one of its own.`;

const atLeast = (min: number) => (text: string) => {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= min) return value;
  throw new InvalidArgumentError(`must be a number of at least ${min}`);
};

function parseTimeZone(text: string): string {
  const checked = timeZoneSchema.safeParse(text);
  if (checked.success) return checked.data;
  throw new InvalidArgumentError(checked.error.issues[0]?.message ?? 'unknown time zone');
}

const { employees: size, ...options } = new Command('source')
  .description(DESCRIPTION)
  .allowExcessArguments(false)
  .option('--port <number>', 'port; 0 for a free one', atLeast(0), 0)
  .option('--speed <number>', 'simulated seconds per real second; 0 stops the clock', atLeast(0), 1)
  .option('--employees <number>', 'number of employees', atLeast(1), 30)
  .option('--time-zone <name>', 'IANA time zone of the company', parseTimeZone, 'UTC')
  .parse()
  .opts<CommandLine>();

try {
  // Arguments are seen by every user of the machine.
  const { baseUrl, token, now } = await startSource({ ...options, size, token: process.env.SOURCE_TOKEN });
  console.log(JSON.stringify({ baseUrl, token }));
  console.error(`source: ${size} employees, simulated time ${new Date(now()).toISOString()}`);
} catch (error) {
  console.error(`source: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
