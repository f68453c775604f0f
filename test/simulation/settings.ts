import type { Connection } from '#shared/config/schema/connection.ts';
import type { Faults } from './faults.ts';
import type { Random } from './random.ts';

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

/** Spread over two years, so that clocks are also moved forward and back. */
const FIRST_DAY = Date.UTC(2026, 0, 1);
const DAYS = 730;

/** With pages of fewer records a single date of a slow source could take longer than a poll has. */
const LEAST_WIDE_PAGE = 3;

/** A roster of more than this makes a history slow: it gets fewer polls. */
const MANY = 100;
/** Shares of histories with a wide window at a slow source, and with real items. */
const WIDE_SHARE = 0.05;
const PACKED_SHARE = 0.05;
/** Share of histories in which the table is restored, or the notifier installed anew. */
const RENEWAL_SHARE = 0.04;
/** Some of them let a poll ask for nine pages, some for three times as many. */
const SLOW_LATENCIES = [
  [500, 1_000],
  [1_000, 3_000],
] as const;

/** What a history is about besides its faults. */
export interface Settings {
  /** As configured at the start. */
  readonly connection: Connection;
  /** Another window that is deployed at an instant; null when nobody does. */
  readonly redeployed: { readonly at: number; readonly window: Connection['window'] } | null;
  /**
   * From `at` on another table is used: a backup of `backupAt`, or an empty one where the notifier is installed anew.
   * Null in most histories.
   */
  readonly renewal: { readonly at: number; readonly backupAt: number | null } | null;
  /** Records come, go and move while lists are read. */
  readonly busy: boolean;
  /** Where lists hardly move: some timesheets pass through a date while polls that overlap read. */
  readonly passing: boolean;
  /** Timesheets that a roster brings to one date at once; 0 when there are no rosters. */
  readonly rosterSize: number;
  /** A window of the usual size at a source so slow that one poll cannot look at all of it. */
  readonly wide: boolean;
  /** What is kept is packed into the items of the real table, and held against its sizes. */
  readonly packed: boolean;
  /** Milliseconds that one way of a request takes, from and to. */
  readonly latency: readonly [number, number];
  readonly startAt: number;
  /** Records per page of the source. */
  readonly pageSize: number;
  /** Times at which the source is polled until it becomes quiet. */
  readonly ticks: readonly number[];
  /** From here on nothing changes and nothing fails. */
  readonly quietFrom: number;
  /** Members of records that keep the value they were made with. */
  readonly unchanging?: readonly string[];
}

/** Draws the settings of a history. */
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
    connection: drawConnection(random, wide),
    startAt,
    redeployed:
      !wide && random.chance(0.12) ? { at: random.pick(ticks) - 1, window: drawWindow(random) } : null,
    // What two installations have in common is the time of day alone.
    renewal: wide || faults.has('clock_a_day_off') ? null : drawRenewal(ticks, random),
    busy: faults.has('moving_list'),
    passing: !faults.has('moving_list') && faults.has('overlapping_polls') && rosterSize === 0,
    rosterSize,
    wide,
    packed: random.chance(PACKED_SHARE),
    latency: wide ? random.pick(SLOW_LATENCIES) : [20, 200],
    pageSize: Math.max(random.between(1, 6), Math.ceil(rosterSize / 3), wide ? LEAST_WIDE_PAGE : 1),
    ticks,
    quietFrom: at + 5 * MINUTE_MS,
  };
}

/** The connection as it is configured at an instant. */
export function connectionAt({ connection, redeployed }: Settings, instant: number): Connection {
  return redeployed === null || instant < redeployed.at
    ? connection
    : { ...connection, window: redeployed.window };
}

/** More timesheets on a date than one leaf holds; now and then more than one transaction can change. */
function drawRosterSize(random: Random): number {
  if (random.chance(0.002)) return random.between(1_800, 2_000);
  return random.chance(0.06) ? random.between(15, 60) : 0;
}

/** At some tick, and a backup of some tick before it. */
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

function drawConnection(random: Random, wide: boolean): Connection {
  return {
    name: 'acme',
    baseUrl: 'https://acme.workforce.example',
    timeZone: random.pick(ZONES),
    secretName: 'acme',
    window: wide ? { backDays: 35, forwardDays: 14 } : drawWindow(random),
    requests: {
      pageSize: 200,
      timeoutMs: random.pick([1_000, 5_000, 20_000]),
      maxResponseBytes: 1_000_000,
      maxPerSecond: 20,
    },
    vanishing: { share: 0.5, records: random.between(2, 6), minutes: random.pick([0, 2, 30]) },
    health: {
      unreachableAfterPolls: random.between(1, 3),
      stalledAfterMinutes: random.pick([2, 10, 60]),
    },
    retentionDays: 90,
  };
}
