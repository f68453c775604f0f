import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

describe('npm run source', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'first says where it is, serves, and stops on %s',
    async (signal) => {
      const child = run([
        '--port',
        '0',
        '--employees',
        '6',
        '--time-zone',
        'Pacific/Auckland',
        '--speed',
        '60',
      ]);
      const [line] = await once(createInterface({ input: child.stdout }), 'line');
      const { baseUrl, token, ...rest } = JSON.parse(line);
      expect(rest).toEqual({});
      const answer = await fetch(`${baseUrl}/api/v1/employees`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(await answer.json()).toHaveLength(6);
      child.kill(signal);
      expect(await once(child, 'exit')).toEqual([0, null]);
    },
  );

  it('takes its token from the environment, and never as an argument', async () => {
    const child = run(['--port', '0'], { SOURCE_TOKEN: 'from-the-environment' });
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    expect(JSON.parse(line).token).toBe('from-the-environment');
  });

  it.each([
    [['--colour', 'red'], "error: unknown option '--colour'\n"],
    [
      ['--port', 'x'],
      /^error: option '--port <number>' argument 'x' is invalid\. must be a number of at least 0\n$/,
    ],
    [
      ['--time-zone', 'Mars/Base'],
      /unknown time zone "Mars\/Base"; use an IANA name such as Pacific\/Auckland\n$/,
    ],
  ])('refuses %j with one clear line', async (options, message) => {
    const child = run(options);
    const { code, stdout, stderr } = await end(child);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

function run(options: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const env = { ...process.env, ...environment };
  const child = spawn('node_modules/.bin/node', ['local/source/main.ts', ...options], { cwd: ROOT, env });
  children.push(child);
  return child;
}

async function end(child: ReturnType<typeof run>) {
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data) => {
    stdout += data;
  });
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}
