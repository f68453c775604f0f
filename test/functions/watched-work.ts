import { setTimeout as pause } from 'node:timers/promises';
import { startWatchdog } from '#functions/watchdog.ts';

/** What is logged of the work that this program does when it hangs. */
export const NO_TURN = { level: 'ERROR', message: 'poll.hung', connection: 'main', feed: 'timesheets' };

const BOUND_MS = 2_000;

const WORK: Readonly<Record<string, () => Promise<void>>> = {
  hangs: async () => {
    watch(NO_TURN);
    for (;;);
  },
  waits: async () => {
    const end = watch(NO_TURN);
    await pause(2 * BOUND_MS);
    end();
  },
  ends: async () => {
    watch(NO_TURN)();
    standStill(2 * BOUND_MS);
  },
};

const work = WORK[process.argv[2] ?? ''];
const watch = work === undefined ? () => () => {} : startWatchdog(BOUND_MS);
if (work !== undefined) {
  await work();
  process.stdout.write('done\n');
}

function standStill(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
