import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

describe('npm run source', () => {
  it('first says where it is, and serves whoever has the token of the environment', async () => {
    const child = run(['--port', '0'], { SOURCE_TOKEN: 'from-the-environment' });
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    const { baseUrl, token, ...rest } = JSON.parse(line);
    expect([token, rest]).toEqual(['from-the-environment', {}]);
    const answer = await fetch(`${baseUrl}/api/v1/employees`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await answer.json()).toHaveLength(30);
  });

  it.each([
    [['--colour', 'red'], "error: unknown option '--colour'\n"],
    [
      ['--port', 'x'],
      "error: option '--port <number>' argument 'x' is invalid. must be a number of at least 0\n",
    ],
  ])('refuses %j with one clear line', async (options, message) => {
    const child = run(options);
    const [out, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    expect([code, out, errors]).toEqual([1, '', message]);
  });
});

function run(options: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const env = { ...process.env, ...environment };
  const child = spawn('node_modules/.bin/node', ['local/source/main.ts', ...options], { cwd: ROOT, env });
  children.push(child);
  return child;
}
