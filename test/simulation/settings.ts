import { type Connection, connectionSchema } from '#shared/config/schema/connection.ts';
import type { Guards } from '#shared/core/compare/doubt.ts';
import { FEED_NAMES, type FeedName } from '#shared/core/feeds.ts';
import type { Faults } from './faults.ts';
import type { Random } from './random.ts';
import { type Company, drawCompany } from './world/pay-periods.ts';

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
/** A larger roster makes a history slow: it gets fewer polls. */
const MANY = 100;
/** Shares of histories. */
const COMPANY_SHARE = 0.75;
const DIRECTORY_SHARE = 0.4;
const PERIODS_SHARE = 0.8;
const ABSENCES_SHARE = 0.3;
const WATERMARK_SHARE = 0.4;
const REDEPLOYED_SHARE = 0.1;
const RENEWAL_SHARE = 0.06;
const ROSTER_SHARE = 0.12;
const REMINDED_SHARE = 0.6;

/** What a history draws besides its faults. */
export interface Settings {
  /** As configured at the start. */
  readonly connection: Connection;
  readonly feeds: readonly FeedName[];
  readonly guards: Guards;
  /** Another window that is deployed at an instant; null without a deployment. */
  readonly redeployed: { readonly at: number; readonly window: Connection['window'] } | null;
  /** From `at` on polls use another table: a backup of `backupAt`, or an empty one after a new installation. */
  readonly renewal: { readonly at: number; readonly backupAt: number | null } | null;
  /** Records come, go and move while lists are read. */
  readonly busy: boolean;
  /** Timesheets that a roster brings to one date at once; 0 when there are no rosters. */
  readonly rosterSize: number;
  /** Milliseconds that one way of a request takes, from and to. */
  readonly latency: readonly [number, number];
  readonly startAt: number;
  /** Records on a page of the source at most. */
  readonly pageSize: number;
  /** Times at which the source is polled until it becomes quiet. */
  readonly ticks: readonly number[];
  /** From then on nothing changes and nothing fails. */
  readonly quietFrom: number;
  /** Its pay periods are tidy, as most companies' are; null otherwise. */
  readonly company: Company | null;
  /** The option for missing clockings; null for none. */
  readonly absences: Connection['absences'] | null;
  /** Times of the daily summaries. */
  readonly summaries: readonly string[];
  /** Stamps have no milliseconds. */
  readonly wholeSeconds: boolean;
}

export function drawSettings(random: Random, faults: Faults): Settings {
  const startAt = FIRST_DAY + random.between(0, DAYS * 24 * 60) * MINUTE_MS;
  const rosterSize = drawRosterSize(random);
  const ticks = drawTicks(startAt, rosterSize, random, faults);
  const hasPeriods = random.chance(PERIODS_SHARE);
  const hasDirectory = random.chance(DIRECTORY_SHARE);
  const isDirectory = (feed: FeedName) => feed === 'employees' || feed === 'departments';
  const absences = random.chance(ABSENCES_SHARE)
    ? { clockInMinutes: random.pick([5, 15, 60]), clockOutHours: random.pick([0.25, 2]) }
    : null;
  return {
    connection: drawConnection(random, absences),
    feeds: FEED_NAMES.filter((feed) =>
      isDirectory(feed) ? hasDirectory : feed !== 'pay-periods' || hasPeriods,
    ),
    guards: { share: 0.5, records: random.between(2, 6), waitMs: MINUTE_MS },
    redeployed: random.chance(REDEPLOYED_SHARE)
      ? { at: random.pick(ticks) - 1, window: drawWindow(random) }
      : null,
    // Two installations share nothing but the time of day.
    renewal: faults.has('clock_a_day_off') ? null : drawRenewal(ticks, random),
    busy: faults.has('moving_list'),
    rosterSize,
    latency: random.pick([
      [20, 200],
      [20, 200],
      [200, 1_500],
    ]),
    startAt,
    pageSize: Math.max(random.between(1, 6), Math.ceil(rosterSize / 3)),
    ticks,
    quietFrom: (ticks.at(-1) ?? startAt) + 5 * MINUTE_MS,
    company: hasPeriods && random.chance(COMPANY_SHARE) ? drawCompany(random) : null,
    absences,
    wholeSeconds: random.chance(0.4),
    summaries: hasPeriods ? drawSummaries(random) : [],
  };
}

/** The configured connection at an instant. */
export function connectionAt({ connection, redeployed }: Settings, instant: number): Connection {
  return redeployed === null || instant < redeployed.at
    ? connection
    : { ...connection, window: redeployed.window };
}

function drawTicks(startAt: number, rosterSize: number, random: Random, faults: Faults): number[] {
  const ticks = [startAt];
  const count = rosterSize > MANY ? random.between(4, 7) : random.between(5, 18);
  let at = startAt;
  for (let tick = 1; tick < count; tick += 1) {
    at += faults.happens('downtime') ? random.between(2, 60) * HOUR_MS : gap(random);
    ticks.push(at);
  }
  return ticks;
}

function gap(random: Random): number {
  if (random.chance(0.1)) return random.between(1, 12) * HOUR_MS;
  return random.chance(0.25) ? 5 * MINUTE_MS : MINUTE_MS;
}

/** More timesheets than one bucket holds; now and then more than one transaction can change. */
function drawRosterSize(random: Random): number {
  if (random.chance(0.002)) return random.between(1_800, 2_000);
  if (random.chance(0.01)) return random.between(100, 300);
  return random.chance(ROSTER_SHARE) ? random.between(12, 60) : 0;
}

/** At one tick, with a backup of an earlier one. */
function drawRenewal(ticks: readonly number[], random: Random): Settings['renewal'] {
  if (ticks.length < 4 || !random.chance(RENEWAL_SHARE)) return null;
  const at = random.between(2, ticks.length - 1);
  const backupAt = random.chance(0.7) ? (ticks[random.between(1, at - 1)] ?? 0) - 1 : null;
  return { at: (ticks[at] ?? 0) - 1, backupAt };
}

/** Each hour, so that some of them are due in a history of hours. */
function drawSummaries(random: Random): string[] {
  if (!random.chance(REMINDED_SHARE)) return [];
  const minute = String(random.between(0, 59)).padStart(2, '0');
  return Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:${minute}`);
}

function drawWindow(random: Random): Connection['window'] {
  return { backDays: random.between(2, 5), forwardDays: random.between(2, 5) };
}

function drawConnection(random: Random, absences: Settings['absences']): Connection {
  return connectionSchema.parse({
    name: 'acme',
    baseUrl: 'https://acme.workforce.example',
    timeZone: random.pick(ZONES),
    secretName: 'acme',
    window: drawWindow(random),
    requests: { pageSize: random.pick([200, 1_000]) },
    watermark: random.chance(WATERMARK_SHARE),
    calendars: ['Weekly', 'Fortnightly'].map((calendar) => ({
      name: calendar,
      closesAt: '+1d 10:00',
      remindBefore: ['1d', '4h'],
    })),
    ...(absences === null ? {} : { absences }),
  });
}
