import { readFileSync } from 'node:fs';

/** What the commands print with the sample company, by command. */
export const CLI_EXAMPLES: Readonly<Record<string, string>> = Object.fromEntries(
  [...readFileSync('docs/cli.md', 'utf8').matchAll(/^### (\S+)\n\n[^\n]+\n\n```console\n(.*?)\n```$/gms)].map(
    ([, command = '', printed = '']) => [command, printed],
  ),
);
