import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { checkReceiver as check } from '#cli/testing/receiver/check-receiver.ts';
import { liveFortnight } from '../../test/examples/payer/lived-fortnight.ts';
import { runCommand } from './run-command.ts';

const PROGRAMS = {
  python: ['python3', '-B', 'examples/payer-python/payer.py'],
  typescript: ['node', 'examples/payer/main.ts'],
} as const;

/** Every so manyth timesheet: each line is a write to the disk. */
const ONE_OF = 4;

/** Has each payer read a fortnight backwards and in halves, and compares what it paid with what the company owes. */
export async function checkPayers(scratch: string): Promise<string> {
  const lived = await liveFortnight();
  const lines = [...lived.texts, ...lived.snapshots]
    .filter((text) => isChosen((JSON.parse(text) as { readonly subject?: string }).subject ?? ''))
    .toReversed();
  const owed = new Map([...lived.owed].filter(([id]) => isChosen(id)));
  if (owed.size === 0) throw new Error('nothing is owed');
  const middle = Math.floor(lines.length / 2);
  for (const [name, program] of Object.entries(PROGRAMS)) {
    const command = [...program, join(scratch, `${name}-book`), lived.since];
    // Some lines are in both halves.
    const halves = [lines.slice(0, middle + 100), lines.slice(middle - 100)];
    const printed = halves.map((half) => runCommand(command, { cwd: '.', input: `${half.join('\n')}\n` }));
    const paid = addUp(printed.join(''));
    if (!isDeepStrictEqual(paid, owed)) throw new Error(`${name}: ${describe(paid, owed)}`);
  }
  return `it and the one in TypeScript paid what is owed for ${owed.size} timesheets`;
}

function isChosen(id: string): boolean {
  return Number.parseInt(id, 10) % ONE_OF === 0;
}

function addUp(printed: string): Map<string, number> {
  const sums = new Map<string, number>();
  for (const line of printed.trim().split('\n')) {
    const { id, minutes } = JSON.parse(line) as { readonly id: string; readonly minutes: number };
    const timesheet = id.split('/').at(-2) ?? '';
    sums.set(timesheet, (sums.get(timesheet) ?? 0) + minutes);
  }
  for (const [timesheet, minutes] of sums) if (minutes === 0) sums.delete(timesheet);
  return sums;
}

function describe(paid: ReadonlyMap<string, number>, owed: ReadonlyMap<string, number>): string {
  const wrong = [...new Set([...paid.keys(), ...owed.keys()])].filter((id) => paid.get(id) !== owed.get(id));
  const [id = ''] = wrong;
  return `${wrong.length} timesheets are paid wrong; ${id}: ${paid.get(id)} paid, ${owed.get(id)} owed`;
}

const MIN_CHECKS = 70;
const MAX_START_MS = 30_000;
const SECRET = secretOf('now');
const PREVIOUS = secretOf('before');

/** Starts a receiver, plays everything that it will meet, and returns how many checks held. Throws when one did not. */
export async function checkReceiver([file = '', ...args]: readonly string[], cwd: string): Promise<number> {
  const env = { ...process.env, WEBHOOK_SECRET: SECRET, WEBHOOK_PREVIOUS_SECRET: PREVIOUS, PORT: '0' };
  const program = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const printed = once(program.stdout, 'data', { signal: AbortSignal.timeout(MAX_START_MS) });
    const ended = once(program, 'exit').then(([code]) => {
      throw new Error(`${file} ended with ${String(code)} before it listened`);
    });
    ended.catch(() => {});
    const [line] = (await Promise.race([printed, ended])) as [Buffer];
    const url = /listening on (?<url>\S+)/.exec(String(line))?.groups?.url;
    if (url === undefined) throw new Error(`${file} printed ${String(line)}`);
    program.stdout.resume();
    const probe = url.replace('/hook', '/states');
    const { checks, wrong } = await check({ url, probe, secret: SECRET });
    if (wrong.length > 0) throw new Error(`${cwd}: ${JSON.stringify(wrong, null, 2)}`);
    if (checks.length < MIN_CHECKS) throw new Error(`${cwd}: only ${checks.length} checks`);
    return checks.length;
  } finally {
    program.kill();
  }
}

function secretOf(seed: string): string {
  return `whsec_${Buffer.from(seed.padEnd(32, '.')).toString('base64')}`;
}
