import { toVirtualTime, type VirtualClock } from './virtual-clock.ts';

const RealDate = globalThis.Date;

/** Makes `Date` of this process return the time of a clock, which is asked each time. */
export function installVirtualDate(clock: () => VirtualClock): void {
  globalThis.Date = createVirtualDate(() => Math.floor(toVirtualTime(clock(), RealDate.now())));
}

/** Real time in milliseconds since 1970, whatever `Date` returns. */
export function realNow(): number {
  return RealDate.now();
}

function createVirtualDate(now: () => number): DateConstructor {
  return new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as object,
    apply: () => new RealDate(now()).toString(),
    get: (target, property) => (property === 'now' ? now : Reflect.get(target, property)),
  });
}
