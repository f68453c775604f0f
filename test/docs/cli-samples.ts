import { readFileSync } from 'node:fs';
import { createTemporaryFolder } from '#test/local/aws/fixture-assembly.ts';
import type { QuotedScene } from './quoted-scene.ts';

/** What the commands print with the sample company, by command. */
export const CLI_EXAMPLES: Readonly<Record<string, string>> = Object.fromEntries(
  [...readFileSync('docs/cli.md', 'utf8').matchAll(/^### (\S+)\n\n[^\n]+\n\n```console\n(.*?)\n```$/gms)].map(
    ([, command = '', printed = '']) => [command, printed],
  ),
);

/**
 * The samples of docs/cli.md, run anew against one machine. They show what the commands print, but for what differs in
 * each run: ids of events, digests (they hold the epochs of records), seconds, as polls take some, ports and tokens.
 */
export const MASKED: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{64}\b/g, '<digest>'],
  [/\b[0-9a-f]{32}\b/g, '<event id>'],
  [/\bexample-[0-9a-f]{24}\b/g, '<example id>'],
  [/(\d\d:\d\d):\d\d(?:\.\d{3})?/g, '$1:<s>'],
  [/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>'],
  [/#token=[\w-]+/g, '#token=<token>'],
  // The minute in which a message that waited for others is let go.
  [/^(--- [\d-]+ \d\d):\d\d /gm, '$1:<minute> '],
];

/** They run until they are stopped; with what they need besides their sample. */
export const LASTING = {
  start: () => ['--data', createTemporaryFolder('data')],
  console: () => [],
  mcp: () => [],
} as const;

/** The command line of a sample, as what stands for its words on this machine, and the lines below it. */
export function readSample(
  name: string,
  scene: QuotedScene,
): { words: readonly string[]; shown: readonly string[] } {
  const [command = '', ...shown] = (CLI_EXAMPLES[name] ?? '').split('\n');
  const [, line = ''] = /^\$ (?:npm run notifier --|npx notifier) (.*)$/.exec(command) ?? [];
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare = '']) => quoted ?? bare);
  return { words: words.map((word) => scene.places.get(word) ?? word), shown };
}

export function mask(text: string, marks = MASKED): string {
  return marks.reduce((masked, [pattern, mark]) => masked.replaceAll(pattern, mark), text);
}
