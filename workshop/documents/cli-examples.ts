import { readPage } from './fill-page.ts';

/** What the commands print with the sample company, by command. */
export const CLI_EXAMPLES: Readonly<Record<string, string>> = Object.fromEntries(
  [...readPage('cli-examples').matchAll(/^## (\S+)\n\n```console\n(.*?)\n```$/gms)].map(
    ([, command = '', printed = '']) => [command, printed],
  ),
);
