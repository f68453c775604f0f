import { createInterface } from 'node:readline/promises';
import { NotifierError } from '#shared/core/errors.ts';

/** Asks on the terminal before something is done; `undone` says what was not, such as `nothing was sent`. Throws a `NotifierError` (`not_confirmed`) without a terminal. */
export async function confirm(question: string, undone: string): Promise<boolean> {
  if (process.stdin.isTTY !== true) {
    throw new NotifierError(
      'not_confirmed',
      `${undone}: cannot ask for confirmation without a terminal; add --yes`,
    );
  }
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await prompt.question(`${question} (y/N) `)).trim());
  } finally {
    prompt.close();
  }
}
