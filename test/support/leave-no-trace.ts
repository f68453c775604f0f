import { join } from 'node:path';
import { afterAll, vi } from 'vitest';
import { PROGRAM_ROOT } from '#infra/project-root.ts';

/**
 * Test files run one after another in the same process, with the same modules. What one of them replaces is put back
 * when it ends, so that none depends on those before it.
 */

// What programs that tests start compile is kept for the next: they begin in half the time. Not that of tests, which have
// other names in each run.
process.env.NODE_COMPILE_CACHE = join(PROGRAM_ROOT, '.cache', 'compiled');

const environment = { ...process.env };
/** The HTTP server of the source and of the console replaces them by its own. */
const { Request, Response } = globalThis;

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  process.exitCode = undefined;
  Object.assign(globalThis, { Request, Response });
});
