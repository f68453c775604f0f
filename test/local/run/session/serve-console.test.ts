import { existsSync } from 'node:fs';
import { Server } from 'node:net';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openTarget } from '#bin/open-target.ts';
import { openTargetConsole } from '#console/server/open-console.ts';
import { readOptions } from '#local/run/options.ts';
import { serveConsole } from '#local/run/run.ts';
import { createTemporaryFolder } from '../../aws/fixture-assembly.ts';

test('a run for people prints the address of its console, which is served until the run ends', async () => {
  const folder = createTemporaryFolder('data');
  const { served, said } = await serve(['--data', folder]);
  expect(said).toEqual([`console  ${served?.address}`]);
  const { origin } = new URL(served?.address ?? '');
  expect(await (await fetch(origin)).text()).toContain('<title>Notifier</title>');
  await served?.stop();
  await expect(fetch(origin)).rejects.toThrow();
  // No secret of the console is kept.
  expect(existsSync(join(folder, 'console-session'))).toBe(false);
});

test.each([[['--once']], [['--output', 'ndjson']]])('a run with %j has none', async (args) => {
  const folder = createTemporaryFolder('data');
  const { served, said } = await serve(['--data', folder, ...args]);
  expect([served, said]).toEqual([null, []]);
});

test('a run goes on without the console when it cannot be served', async () => {
  const listen = vi.spyOn(Server.prototype, 'listen').mockImplementation(function fail(this: Server) {
    this.emit('error', new Error('no port'));
    return this;
  });
  const { served, said } = await serve(['--data', createTemporaryFolder('data')]);
  listen.mockRestore();
  expect(served).toBeNull();
  expect(said).toEqual([
    expect.stringMatching(/^the console cannot be served \(no port\); the run goes on without it$/),
  ]);
});

async function serve(args: readonly string[]) {
  const said: string[] = [];
  const options = await readOptions(args, {});
  if (options === null) throw new Error('help was printed');
  const notes = { say: (text: string) => void said.push(text), progress: () => {} };
  const served = await serveConsole(options, notes, (data) =>
    openTargetConsole(() => openTarget({ data }), { isLazy: true }),
  );
  return { served, said };
}
