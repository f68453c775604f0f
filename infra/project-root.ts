import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the files of the program are: this repository, or the installed package. Ends with a separator. */
export const PROGRAM_ROOT = fileURLToPath(new URL('../', import.meta.url));

/** Where the operator's files are, the config first: beside the program in this repository, else the current folder. */
export const PROJECT_ROOT = existsSync(join(PROGRAM_ROOT, 'notifier.config.ts'))
  ? PROGRAM_ROOT
  : process.cwd();
