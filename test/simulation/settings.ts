import type { Connection } from '#shared/config/schema/connection.ts';
import type { Guards } from '#shared/core/guards.ts';
import { type AbsenceSettings, absencesAt } from './breadth/absences.ts';
import type { TakenFact } from './breadth/taken-facts.ts';
import type { Faults } from './faults.ts';
import type { Knot } from './knots/knot.ts';
import type { Random } from './random.ts';
import type { Company } from './world/company.ts';

export const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const ZONES = [
  'UTC',
  'Pacific/Auckland',
  'America/New_York',
  'Asia/Kolkata',
  'Europe/London',
  'Pacific/Chatham',
  'America/Sao_Paulo',
] as const;

/** Two years, to include changes to and from daylight saving time. */
const FIRST_DAY = Date.UTC(2026, 0, 1);
const DAYS = 730;

/** With smaller pages a single date of a slow source could take longer than a poll. */
const MIN_WIDE_PAGE = 3;

/** A larger roster makes a history slow: it gets fewer polls. */
const MANY = 100;
/** Shares of histories with a wide window at a slow source, and with real items. */
const WIDE_SHARE = 0.05;
const PACKED_SHARE = 0.05;
/** Share of histories in which the table is restored, or the notifier installed anew. */
const RENEWAL_SHARE = 0.04;
/** The slower range allows about nine pages a poll, the faster one about three times as many. */
const SLOW_LATENCIES = [
  [500, 1_000],
  [1_000, 3_000],
] as const;

/** What a history draws besides its faults. */
export interface Settings {
  /** As configured at the start. */
  readonly connection: Connection;
  readonly guards: Guards;
  /** The source answers a request within this, or never. */
  readonly timeoutMs: number;
  /** Another window that is deployed at an instant; null without a deployment. */
  readonly redeployed: { readonly at: number; readonly window: Connection['window'] } | null;
  /**
   * From `at` on polls use another table: a backup of `backupAt`, or an empty one after a new installation. Null in
   * most histories.
   */
  readonly renewal: { readonly at: number; readonly backupAt: number | null } | null;
  /** Records come, go and move while lists are read. */
  readonly busy: boolean;
  /** Some timesheets pass through a date while overlapping polls read; only where lists hardly move. */
  readonly passing: boolean;
  /** Timesheets that a roster brings to one date at once; 0 when there are no rosters. */
  readonly rosterSize: number;
  /** The default window at a source so slow that one poll cannot read all of it. */
  readonly wide: boolean;
  /** The store packs items as the real table does and checks their sizes. */
  readonly packed: boolean;
  /** Milliseconds that one way of a request takes, from and to. */
  readonly latency: readonly [number, number];
  readonly startAt: number;
  /** Records per page of the source. */
  readonly pageSize: number;
  /** Times at which the source is polled until it becomes quiet. */
  readonly ticks: readonly number[];
  /** From then on nothing changes and nothing fails. */
  readonly quietFrom: number;
  /** Fields of records that never change. */
  readonly unchanging?: readonly string[];
  /** A fact that most timesheets of a date lose at once; null in most histories. */
  readonly takenFact?: TakenFact | null;
  /** Its pay periods are tidy, as most companies' are; null in most histories. */
  readonly company?: Company | null;
  /** What falls together in it; null where nothing does on purpose. */
  readonly knot?: Knot | null;
  /** It is about employees and departments, in place of timesheets and pay periods. */
  readonly directory?: true;
  /** The option for missing clockings; null in most histories. */
  readonly absences?: AbsenceSettings | null;
}

export function drawSettings(random: Random, faults: Faults): Settings {
  const startAt = FIRST_DAY + random.between(0, DAYS * 24 * 60) * MINUTE_MS;
  const ticks = [startAt];
  const rosterSize = drawRosterSize(random);
  const wide = rosterSize === 0 && random.chance(WIDE_SHARE);
  const count = rosterSize > MANY ? random.between(4, 7) : random.between(5, wide ? 30 : 16);
  let at = startAt;
  for (let tick = 1; tick < count; tick += 1) {
    at += faults.happens('downtime') ? random.between(2, 60) * HOUR_MS : gap(random);
    ticks.push(at);
  }
  return {
    ...drawSource(random, wide),
    startAt,
    redeployed:
      !wide && random.chance(0.12) ? { at: random.pick(ticks) - 1, window: drawWindow(random) } : null,
    // Two installations share nothing but the time of day.
    renewal: wide || faults.has('clock_a_day_off') ? null : drawRenewal(ticks, random),
    busy: faults.has('moving_list'),
    passing: !faults.has('moving_list') && faults.has('overlapping_polls') && rosterSize === 0,
    rosterSize,
    wide,
    packed: random.chance(PACKED_SHARE),
    latency: wide ? random.pick(SLOW_LATENCIES) : [20, 200],
    pageSize: Math.max(random.between(1, 6), Math.ceil(rosterSize / 3), wide ? MIN_WIDE_PAGE : 1),
    ticks,
    quietFrom: at + 5 * MINUTE_MS,
  };
}

/** The configured connection at an instant. */
export function connectionAt({ connection, redeployed, absences }: Settings, instant: number): Connection {
  const deployed =
    redeployed === null || instant < redeployed.at
      ? connection
      : { ...connection, window: redeployed.window };
  return absences == null ? deployed : { ...deployed, absences: absencesAt(absences, instant) };
}

/** More timesheets than one leaf holds; now and then more than one transaction can change. */
function drawRosterSize(random: Random): number {
  if (random.chance(0.002)) return random.between(1_800, 2_000);
  return random.chance(0.06) ? random.between(15, 60) : 0;
}

/** At one tick, with a backup of an earlier one. */
function drawRenewal(ticks: readonly number[], random: Random): Settings['renewal'] {
  if (ticks.length < 4 || !random.chance(RENEWAL_SHARE)) return null;
  const at = random.between(2, ticks.length - 1);
  const backupAt = random.chance(0.7) ? (ticks[random.between(1, at - 1)] ?? 0) - 1 : null;
  return { at: (ticks[at] ?? 0) - 1, backupAt };
}

function drawWindow(random: Random): Connection['window'] {
  return { backDays: random.between(2, 5), forwardDays: random.between(2, 5) };
}

function gap(random: Random): number {
  if (random.chance(0.12)) return random.between(1, 12) * HOUR_MS;
  return random.chance(0.3) ? 5 * MINUTE_MS : MINUTE_MS;
}

function drawSource(random: Random, wide: boolean): Pick<Settings, 'connection' | 'guards' | 'timeoutMs'> {
  const timeZone = random.pick(ZONES);
  const window = wide ? { backDays: 35, forwardDays: 14 } : drawWindow(random);
  const timeoutMs = random.pick([1_000, 5_000, 20_000]);
  const guards = {
    vanishing: { share: 0.5, records: random.between(2, 6), minutes: random.pick([0, 2, 30]) },
    unreachableAfterPolls: random.between(1, 3),
  };
  const connection = {
    name: 'acme',
    baseUrl: 'https://acme.workforce.example',
    timeZone,
    secretName: 'acme',
    window,
    requests: { pageSize: 200, maxPerSecond: 20 },
    watermark: false,
    retentionDays: 90,
  };
  return { connection, guards, timeoutMs };
}
