import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LASTING, type MASKED, mask, readSample } from './cli-samples.ts';
import { playQuotedScene, type QuotedScene } from './quoted-scene.ts';

const MAIN = fileURLToPath(new URL('../../bin/notifier.ts', import.meta.url));

/** Only ends what never prints its sample. */
const PATIENCE_MS = 180_000;

let scene: QuotedScene;

beforeAll(async () => {
  scene = await playQuotedScene();
});

afterAll(async () => {
  await scene?.stop();
});

/** Dates, times, the number of records and what is approved first are those of the day. */
const OF_TODAY: typeof MASKED = [
  [/^── .* ──$/g, '── <day> ──'],
  [/^\d\d:\d\d +.*: approved at .*$/g, '<an approval>'],
  [/\d{4}-\d\d-\d\d/g, '<date>'],
  [/\d\d:\d\d:<s>/g, '<time>'],
  [/records \d+/g, 'records <number>'],
];

test.each(Object.entries(LASTING))(
  '%s prints what its sample shows, until it is stopped',
  async (name, more) => {
    const { words, shown } = readSample(name, scene);
    const child = spawn(process.execPath, [MAIN, ...words, ...more()], {
      env: { PATH: process.env.PATH, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const awaited = shown.filter((line) => line !== '...').map((line) => mask(mask(line), OF_TODAY));
    const printed: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        printed.push(mask(mask(line), OF_TODAY));
        if (awaited.every((each) => printed.includes(each))) child.kill('SIGINT');
      });
    }
    const late = setTimeout(() => child.kill('SIGINT'), PATIENCE_MS);
    await once(child, 'close');
    clearTimeout(late);
    expect(printed).toEqual(expect.arrayContaining(awaited));
  },
);
