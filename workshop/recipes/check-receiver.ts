import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { collectVerdicts } from '#test/examples/conformance.ts';

const MIN_CHECKS = 70;
const MAX_START_MS = 30_000;
const SECRET = secretOf('now');
const PREVIOUS = secretOf('before');

/** Starts a receiver, has `conform` test it, and returns how many checks held. Throws when one did not. */
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
    const verdicts = await collectVerdicts({ url, secret: SECRET, previousSecret: PREVIOUS });
    const wrong = verdicts.filter(({ outcome }) => outcome !== 'ok');
    if (wrong.length > 0) throw new Error(`${cwd}: ${JSON.stringify(wrong, null, 2)}`);
    if (verdicts.length < MIN_CHECKS) throw new Error(`${cwd}: only ${verdicts.length} checks`);
    return verdicts.length;
  } finally {
    program.kill();
  }
}

function secretOf(seed: string): string {
  return `whsec_${Buffer.from(seed.padEnd(32, '.')).toString('base64')}`;
}
