import { replaceFile } from '#shared/adapters/system/replace-file.ts';

const PRELOAD = new URL('./held-clock.ts', import.meta.url).href;

/** The clock of functions and commands: it stands still until it is set. */
export interface HeldClock {
  /** Environment of a process that uses it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  now(): number;
  set(instant: number): void;
}

export function createHeldClock(file: string, instant: number): HeldClock {
  let now = instant;
  const set = (at: number) => {
    now = at;
    replaceFile(file, String(at));
  };
  set(instant);
  const environment = { NODE_OPTIONS: `--import=${PRELOAD}`, HELD_CLOCK_FILE: file };
  return { environment, now: () => now, set };
}
