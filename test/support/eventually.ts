import { vi } from 'vitest';

/** Ends a test that hangs; no test is about how fast this machine is. */
const HUNG_MS = 120_000;

/** Asks again and again until a check passes, however slow the machine is. */
export async function eventually(check: () => void | Promise<void>): Promise<void> {
  await vi.waitFor(check, { timeout: HUNG_MS, interval: 20 });
}
