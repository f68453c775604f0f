#!/usr/bin/env node
/** Runs the sample source alone: `npm run --silent source -- --port 0`. */
import { Command, InvalidArgumentError } from 'commander';
import { startSource } from './server.ts';

const DESCRIPTION = `Runs a workforce-management API with a simulated sample company on 127.0.0.1.
It accepts the token in SOURCE_TOKEN, or one of its own.`;

function parsePort(text: string): number {
  const port = Number(text);
  if (text.trim() !== '' && port >= 0) return port;
  throw new InvalidArgumentError('must be a number of at least 0');
}

const { port } = new Command('source')
  .description(DESCRIPTION)
  .allowExcessArguments(false)
  .option('--port <number>', 'port; 0 for a free one', parsePort, 0)
  .parse()
  .opts<{ readonly port: number }>();

try {
  // Arguments are seen by every user of the machine.
  const { baseUrl, token, now } = await startSource({ port, token: process.env.SOURCE_TOKEN });
  console.log(JSON.stringify({ baseUrl, token }));
  console.error(`source: simulated time ${new Date(now()).toISOString()}`);
} catch (error) {
  console.error(`source: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
