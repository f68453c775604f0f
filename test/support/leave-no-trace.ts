import { afterAll, vi } from 'vitest';

/**
 * Test files run one after another in the same process, with the same modules. What one of them replaces is put back
 * when it ends, so that none depends on those before it.
 */

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
