import type { Limiter } from '#test/shared/adapters/workforce-api/limiters.ts';
import { concurrencyCap, fixedWindow, tokenBucket } from '#test/shared/adapters/workforce-api/limiters.ts';
import type { Faults } from '../faults.ts';
import { Random } from '../random.ts';
import { MINUTE_MS, type Settings } from '../settings.ts';
import type { RawRecord } from '../world/truth.ts';

/** How the source and the clocks of polls are in a history. Each is off in most histories. */
export interface Habits {
  /** It writes the instant of a closing in another notation in each list. */
  readonly rewrites: boolean;
  /** Its list has a pay period twice, open and closed, in turn. */
  readonly doubled: { readonly id: string; readonly from: number; readonly to: number } | null;
  /** It admits so many requests; the polls send them through their rate limiter. */
  readonly limited: boolean;
  /** The clocks of all polls are set back or ahead for some time, and are right again. */
  readonly clockStep: { readonly from: number; readonly to: number; readonly ms: number } | null;
}

const SHARES = { rewrites: 0.2, doubled: 0.08, limited: 0.06, clockStep: 0.06 } as const;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** No more than other clocks are apart. */
const SMALL_STEPS_MS = [-4_000, 4_000] as const;
const LARGE_STEPS_MS = [-DAY_MS, -90 * MINUTE_MS, 90 * MINUTE_MS, DAY_MS] as const;
const MAX_PERIODS = 6;

export interface HabitsOf {
  readonly settings: Settings;
  readonly faults: Faults;
  /** Nothing in the history depends on times that another clock noted. */
  readonly bearsLargeSteps: boolean;
}

export function drawHabits(seed: number, { settings, faults, bearsLargeSteps }: HabitsOf): Habits {
  const draw = <Drawn>(name: keyof typeof SHARES, off: Drawn, on: (random: Random) => Drawn): Drawn => {
    const random = Random.of(seed, name);
    return random.chance(SHARES[name]) ? on(random) : off;
  };
  const isPlain = !settings.wide && settings.rosterSize === 0;
  return {
    rewrites: draw('rewrites', false, () => true),
    doubled: draw('doubled', null, (random) => ({
      id: `${random.between(1, MAX_PERIODS)}_2`,
      ...spanOf(settings, random),
    })),
    limited: draw('limited', false, () => isPlain),
    clockStep: draw('clockStep', null, (random) => ({
      ...spanOf(settings, random),
      ms: random.pick(
        bearsLargeSteps && !faults.has('clock_a_day_off') && random.chance(0.4)
          ? LARGE_STEPS_MS
          : SMALL_STEPS_MS,
      ),
    })),
  };
}

function spanOf({ ticks, quietFrom }: Settings, random: Random): { from: number; to: number } {
  const from = random.pick(ticks.slice(1)) - random.between(1, MINUTE_MS / 2);
  return { from, to: Math.min(quietFrom - 1, from + random.between(2, 60) * MINUTE_MS) };
}

/** How a limited source admits requests: so few that most polls meet the limit. */
export function limiterOf(seed: number): Limiter {
  const random = Random.of(seed, 'limiter');
  return random.pick([
    () => tokenBucket(random.between(2, 6), 0.5),
    () => tokenBucket(3, 1, { silent: true }),
    () => fixedWindow(random.between(4, 12), 10_000),
    () => fixedWindow(random.between(10, 30), MINUTE_MS),
    () => concurrencyCap(1),
  ])();
}

/** A list with a pay period once more, closed where it is open and open where it is closed: before it or after it. */
export function listedTwice(answers: readonly unknown[], one: RawRecord, at: number): readonly unknown[] {
  const other = { ...one, closed: one.closed ? null : new Date(at).toISOString() };
  return Math.floor(at) % 2 === 0 ? [other, ...answers] : [...answers, other];
}

/** A pay period whose closing is written otherwise; a date has one notation alone. */
export function withOtherNotation(raw: RawRecord, random: Random): RawRecord {
  const closed = inOtherNotation(raw.closed, random);
  return closed === raw.closed ? raw : { ...raw, closed };
}

function inOtherNotation(closed: unknown, random: Random): unknown {
  const written = /^(?<instant>[^T]+T[^Z]+)Z$/.exec(String(closed))?.groups?.instant;
  if (written === undefined) return closed;
  const [whole = '', digits = ''] = written.split('.');
  const utc = new Date(`${written}Z`).getTime();
  const inIndia = new Date(utc + 330 * MINUTE_MS).toISOString().slice(0, -1);
  return random.pick([
    `${whole}.${digits.padEnd(3, '0')}Z`,
    `${whole}.${digits.padEnd(7, '0')}Z`,
    `${written}+00:00`,
    `${inIndia}+05:30`,
  ]);
}
