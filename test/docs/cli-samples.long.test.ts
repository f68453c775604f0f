import { afterAll, beforeAll, expect, test } from 'vitest';
import { executeHere } from '#test/cli/execute.ts';
import { CLI_EXAMPLES } from './cli-samples.ts';
import { playQuotedScene, type QuotedScene } from './quoted-scene.ts';

/**
 * The samples of docs/cli.md, run anew against one machine. They show what the commands print, but for what differs in
 * each run: ids of events, digests (they hold the epochs of records), seconds, as polls take some, ports and tokens.
 */
const MASKED: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{64}\b/g, '<digest>'],
  [/\b[0-9a-f]{32}\b/g, '<event id>'],
  [/\bexample-[0-9a-f]{24}\b/g, '<example id>'],
  [/(\d\d:\d\d):\d\d(?:\.\d{3})?/g, '$1:<s>'],
  [/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>'],
  [/#token=[\w-]+/g, '#token=<token>'],
  // The minute in which a message that waited for others is let go.
  [/^(--- [\d-]+ \d\d):\d\d /gm, '$1:<minute> '],
];

/** In this order: what a command changes is not in the samples before it. */
const ORDER = ['events', 'period', 'deliveries', 'doctor', 'test', 'send', 'forget'];

/** Held by the tests of their commands: they need a source without a machine, or run until they are stopped. */
const ELSEWHERE = ['init', 'start', 'console', 'mcp'];

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
  for (const part of parts.map(mask)) {
    const at = `\n${rest}`.indexOf(`\n${part}`);
    if (at < 0) expect(printed, `it does not print: ${part}`).toBe(mask(shown.join('\n')));
    rest = rest.slice(at + part.length);
  }
  if (parts.at(-1) !== '') expect(rest.trim()).toBe('');
  if (parts[0] !== '') expect(printed.startsWith(mask(parts[0] ?? ''))).toBe(true);
});

test('every sample is run', () => {
  expect([...ORDER, ...ELSEWHERE].sort()).toEqual(Object.keys(CLI_EXAMPLES).sort());
});

/** The command line of a sample, as what stands for its words on this machine, and the lines below it. */
function readSample(
  name: string,
  scene: QuotedScene,
): { words: readonly string[]; shown: readonly string[] } {
  const [command = '', ...shown] = (CLI_EXAMPLES[name] ?? '').split('\n');
  const [, line = ''] = /^\$ (?:npm run notifier -- |npx notifier |npm (?=start))(.*)$/.exec(command) ?? [];
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare = '']) => quoted ?? bare);
  return { words: words.map((word) => scene.places.get(word) ?? word), shown };
}

function mask(text: string): string {
  return MASKED.reduce((masked, [pattern, mark]) => masked.replaceAll(pattern, mark), text);
}

/** What a command prints now, with the words of its sample. */
async function print(name: string, words: readonly string[]): Promise<string> {
  const { places, machine, prepare } = scene;
  // Back to the time at which the scene ended, however long the samples before it took.
  await machine.advance(0);
  await prepare[name]?.();
  const { stdout, stderr } = await executeHere(words);
  return mask([...places].reduce((text, [word, place]) => text.replaceAll(place, word), stderr + stdout));
}
