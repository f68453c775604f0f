/**
 * Preloaded into a function's process (`node --import`) when the machine runs on a virtual clock: `Date` then returns
 * its time. Timers stay real, so a pause of a second is a second at any speed.
 */
import { VIRTUAL_CLOCK_VARIABLE } from './function-messages.ts';
import { toVirtualTime, type VirtualClock } from './virtual-clock.ts';

const setting = process.env[VIRTUAL_CLOCK_VARIABLE];
if (setting !== undefined) globalThis.Date = createScaledDate(JSON.parse(setting) as VirtualClock);

function createScaledDate(clock: VirtualClock): DateConstructor {
  const RealDate = Date;
  const now = () => Math.floor(toVirtualTime(clock, RealDate.now()));
  return new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as object,
    apply: () => new RealDate(now()).toString(),
    get: (target, property) => (property === 'now' ? now : Reflect.get(target, property)),
  });
}
