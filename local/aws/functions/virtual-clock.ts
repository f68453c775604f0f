/**
 * The clock of a simulated company, with its own start and speed. Real time is that of the system clock.
 */
export interface VirtualClock {
  /** Virtual time at the anchor, milliseconds since 1970. */
  readonly startsAtMs: number;
  /** Real time of the anchor, milliseconds since 1970. */
  readonly anchorMs: number;
  /** Virtual seconds per real second. */
  readonly speed: number;
}

/** The virtual time at a real time. */
export function toVirtualTime({ startsAtMs, anchorMs, speed }: VirtualClock, realMs: number): number {
  return startsAtMs + (realMs - anchorMs) * speed;
}

/** The present time of a clock; real time without one. */
export function readClock(clock: VirtualClock | null): number {
  return clock === null ? Date.now() : toVirtualTime(clock, Date.now());
}

const RealDate = globalThis.Date;

/** Makes `Date` of this process return the time of a clock, which is asked each time. */
export function installVirtualDate(clock: () => VirtualClock): void {
  globalThis.Date = createVirtualDate(() => Math.floor(toVirtualTime(clock(), RealDate.now())));
}

function createVirtualDate(now: () => number): DateConstructor {
  return new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as object,
    apply: () => new RealDate(now()).toString(),
    get: (target, property) => (property === 'now' ? now : Reflect.get(target, property)),
  });
}
