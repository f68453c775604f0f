import { afterAll, beforeAll, expect, test } from 'vitest';
import { executeHere } from '#test/cli/execute.ts';
import { CLI_EXAMPLES, LASTING, mask, readSample } from './cli-samples.ts';
import { playQuotedScene, type QuotedScene } from './quoted-scene.ts';

/** In this order: what a command changes is not in the samples before it. */
const ORDER = ['events', 'period', 'deliveries', 'doctor', 'test', 'send', 'forget'];

/** Held by the tests of their commands: it needs a source without a machine. */
const ELSEWHERE = ['init'];

let scene: QuotedScene;

beforeAll(async () => {
  scene = await playQuotedScene();
});

afterAll(async () => {
  await scene?.stop();
});

test.each(ORDER)('%s prints what its sample shows', async (name) => {
  const { words, shown } = readSample(name, scene);
  const printed = await print(name, words);
  const parts = shown.join('\n').split(/^\.\.\.\n?/m);
  let rest = printed;
  for (const part of parts.map((part) => mask(part))) {
    const at = `\n${rest}`.indexOf(`\n${part}`);
    if (at < 0) expect(printed, `it does not print: ${part}`).toBe(mask(shown.join('\n')));
    rest = rest.slice(at + part.length);
  }
  if (parts.at(-1) !== '') expect(rest.trim()).toBe('');
  if (parts[0] !== '') expect(printed.startsWith(mask(parts[0] ?? ''))).toBe(true);
});

test('every sample is run', () => {
  expect([...ORDER, ...ELSEWHERE, ...Object.keys(LASTING)].sort()).toEqual(Object.keys(CLI_EXAMPLES).sort());
});

/** What a command prints now, with the words of its sample. */
async function print(name: string, words: readonly string[]): Promise<string> {
  const { places, machine, prepare } = scene;
  // Back to the time at which the scene ended, however long the samples before it took.
  await machine.advance(0);
  await prepare[name]?.();
  const { stdout, stderr } = await executeHere(words);
  return mask([...places].reduce((text, [word, place]) => text.replaceAll(place, word), stderr + stdout));
}
