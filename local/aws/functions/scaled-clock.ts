/**
 * Preloaded into a function's process (`node --import`) when the machine runs on a virtual clock: `Date` then returns
 * its time. The clock of the environment is that of the start; each invocation brings the current one. Timers stay real,
 * so a pause of a second is a second at any speed, unless the clock says that it scales pauses.
 */
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { type Invocation, VIRTUAL_CLOCK_VARIABLE } from './function-messages.ts';
import type { VirtualClock } from './virtual-clock.ts';
import { installVirtualDate } from './virtual-clock.ts';

const setting = process.env[VIRTUAL_CLOCK_VARIABLE];
if (setting !== undefined) run(JSON.parse(setting) as VirtualClock);

function run(first: VirtualClock): void {
  let clock = first;
  installVirtualDate(() => clock);
  // Before the listener that runs the handler.
  process.on('message', (invocation: Partial<Invocation>) => {
    clock = invocation.clock ?? clock;
  });
  if (first.scalesPauses === true) scalePauses(() => clock.speed);
}

/** Of functions, which pause with `node:timers/promises`. Timeouts of requests use other timers and stay real. */
function scalePauses(speed: () => number): void {
  const pause = timers.setTimeout;
  timers.setTimeout = ((milliseconds = 0, ...rest) =>
    pause(milliseconds / speed(), ...rest)) as typeof timers.setTimeout;
  syncBuiltinESMExports();
}
