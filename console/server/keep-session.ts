import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { replaceFile } from '#local/aws/engines/data-folder.ts';
import { createSecret } from './http/access.ts';

const FILE = 'console-session';
const FORM = /^[\w-]{32}$/;

/** The secret of the cookie, kept in the data folder so that an open page survives a restart. */
export function keepSession(dataFolder: string): string {
  const file = join(resolve(dataFolder), FILE);
  const known = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (FORM.test(known)) return known;
  const session = createSecret();
  replaceFile(file, session, 0o600);
  return session;
}
