/**
 * Preloaded into the process of a function or a command (`node --import`): its clock stands at the instant in a file, in
 * milliseconds since 1970. So two notifiers that do the same see the same times. Whoever slept sees the time at which it
 * woke; after a short sleep, such as that between two requests, the clock is back where it stood, because their number
 * differs from run to run. Whoever waits for an answer waits longer than he would.
 */
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

/** A sleep takes no longer than this in real time. */
const MAX_SLEEP_MS = 5;
/** A longer sleep moves the clock for good. */
const MAX_SHORT_SLEEP_MS = 1_000;
/** A timer of this length or more ends somebody's patience with an answer. */
const MIN_PATIENCE_MS = 5_000;
/** By a clock that stands still no answer takes long, but this machine may have much else to do. */
const PATIENCE = 20;

const file = process.env.HELD_CLOCK_FILE;
if (file !== undefined) hold(file);

function hold(clockFile: string): void {
  const RealDate = Date;
  const sleep = timers.setTimeout;
  let held = '';
  let slept = 0;
  const now = (): number => {
    const text = readFileSync(clockFile, 'utf8');
    if (text !== held) slept = 0;
    held = text;
    return Number(held) + slept;
  };
  timers.setTimeout = async <T>(ms = 0, value?: T, options?: Parameters<typeof sleep>[2]): Promise<T> => {
    const before = slept;
    const wakesAt = now() + Math.ceil(ms);
    const woken = (await sleep(Math.min(ms, MAX_SLEEP_MS), value, options)) as T;
    slept = Math.max(slept, wakesAt - Number(held));
    // A tick comes after the promises that wait for this one, and before any answer from outside.
    if (ms <= MAX_SHORT_SLEEP_MS) process.nextTick(() => (slept = before));
    return woken;
  };
  syncBuiltinESMExports();
  const startTimer = globalThis.setTimeout;
  globalThis.setTimeout = Object.assign(
    (work: (...values: unknown[]) => void, ms = 0, ...values: unknown[]) =>
      startTimer(work, ms < MIN_PATIENCE_MS ? ms : ms * PATIENCE, ...values),
    startTimer,
  );
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as object,
    apply: () => new RealDate(now()).toString(),
    get: (target, property) => (property === 'now' ? now : Reflect.get(target, property)),
  });
}
