import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { NotifierError } from '#shared/core/errors.ts';

/** Environment variable with the token of a real source. */
export const TOKEN_VARIABLE = 'WORKFORCE_API_TOKEN';
/** Environment variable with the signing secret of the user's own webhook receiver. */
export const WEBHOOK_SECRET_VARIABLE = 'WEBHOOK_SECRET';

/** Where somebody is asked: the terminal of the process. */
export type SecretTerminal = Pick<NodeJS.Process, 'stdin' | 'stderr'>;

/**
 * Reads a secret from a variable of the environment, or else asks for `what` on the terminal; undefined when there is
 * neither. It is never an argument: every user of the machine sees those of every process. Throws a `NotifierError`.
 */
export async function readSecret(
  variable: string,
  what: string,
  { environment, terminal = process }: { environment: NodeJS.ProcessEnv; terminal?: SecretTerminal },
): Promise<string | undefined> {
  const given = environment[variable];
  return given !== undefined || terminal.stdin.isTTY !== true ? given : await askSecret(what, terminal);
}

/** Asks on the terminal, where what is typed is not shown. */
async function askSecret(what: string, { stdin, stderr }: SecretTerminal): Promise<string> {
  stderr.write(`${what} (not shown): `);
  // readline echoes into nothing: with `terminal` it takes the echo from the terminal itself.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: stdin, output, terminal: true, historySize: 0 });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  prompt.once('line', (line) => resolve(line.trim()));
  prompt.once('SIGINT', () => prompt.close());
  prompt.once('close', () => reject(new NotifierError('options_wrong', `${what} was not given`)));
  try {
    return await promise;
  } finally {
    prompt.close();
    stderr.write('\n');
  }
}
