/** Digits of an instant: enough until the year 2286. */
const INSTANT_DIGITS = 13;
const NUMBER_DIGITS = 4;

/** Where an item of the log lies: by the connection's clock, and numbered within one instant of it. */
export interface LogPosition {
  /** In milliseconds since 1970. */
  readonly clock: number;
  readonly number: number;
}

/** Sort key of an item of the log. The order of keys is the order of commits. */
export function toLogKey({ clock, number }: LogPosition): string {
  return `${logKeyAt(clock)}.${String(number).padStart(NUMBER_DIGITS, '0')}`;
}

/** A key in front of everything that was committed at an instant or later, in milliseconds since 1970. */
export function logKeyAt(instant: number): string {
  return String(Math.max(0, Math.trunc(instant))).padStart(INSTANT_DIGITS, '0');
}

/** When the item under a key was committed. */
export function instantOfLogKey(key: string): number {
  return Number(key.slice(0, INSTANT_DIGITS));
}

/** The place in front of everything that is committed at an instant. */
export function beginLog(clock: number): LogPosition {
  return { clock, number: -1 };
}

/** The place behind `last` for a commit at an instant: behind it also when the clock did not move on. */
export function followLog(last: LogPosition | undefined, clock: number): LogPosition {
  return last === undefined || clock > last.clock
    ? { clock, number: 0 }
    : { ...last, number: last.number + 1 };
}
