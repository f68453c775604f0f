import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from 'aws-lambda';
import { startWatchdog, watched } from '#functions/parts/compose.ts';

/** What is logged of the work that this program does when it hangs. */
export const NO_TURN = {
  level: 'ERROR',
  message: 'function.hung',
  service: 'notifier-poll',
  function_request_id: 'request-1',
  connection: 'main',
  reason: 'event_loop_blocked',
};

const BOUND_MS = 2_000;

const WORK: Readonly<Record<string, () => Promise<void>>> = {
  hangs: async () => {
    await invoke(async () => {
      for (;;);
    });
  },
  waits: async () => {
    await invoke(() => pause(2 * BOUND_MS));
  },
  ends: async () => {
    await invoke(async () => {});
    standStill(2 * BOUND_MS);
  },
};

const work = WORK[process.argv[2] ?? ''];
if (work !== undefined) {
  process.env.POWERTOOLS_SERVICE_NAME = NO_TURN.service;
  await work();
  process.stdout.write('done\n');
}

/** Does it in a function, with a request as a schedule sends it. */
async function invoke(handle: () => Promise<void>): Promise<void> {
  const context = { awsRequestId: NO_TURN.function_request_id } as Context;
  await watched(handle, startWatchdog(BOUND_MS))({ connection: { name: 'main', secretName: 's' } }, context);
}

function standStill(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
