import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { buildProgram } from '#cli/program.ts';
import type { Target } from '#shared/operator/target.ts';

test('a target is closed also when the command fails', async () => {
  let closed = 0;
  const target: Partial<Target> = {
    get connections(): never {
      throw new Error('cannot be read');
    },
    close: async () => {
      closed += 1;
    },
  };
  const notAskedFor = () => Promise.reject(new Error('not asked for'));
  const parts = { openConsole: notAskedFor, serveMcp: notAskedFor, loadStart: notAskedFor };
  const program = await buildProgram({ ...parts, openTarget: async () => target as Target }, 'events');
  await expect(program.parseAsync(['events'], { from: 'user' })).rejects.toThrow('cannot be read');
  expect(closed).toBe(1);
});

test('a reader that is gone, such as head after its last line, is no fault', async () => {
  const child = spawn(process.execPath, ['bin/notifier.ts', '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  expect(stderr).toBe('');
  expect(code).toBe(0);
});
