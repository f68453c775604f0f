import { addDays, toLocalDate } from '#shared/core/dates.ts';
import type { Breadth } from '../breadth/breadth.ts';
import { drawReminders, type Reminders } from '../breadth/reminders.ts';
import { drawTakenFact, type TakenFact } from '../breadth/taken-facts.ts';
import type { Faults } from '../faults.ts';
import { Random } from '../random.ts';
import type { HistoryPlan, PlannedPoll } from '../schedule.ts';
import { MAX_POLL_MS } from '../schedule.ts';
import { MINUTE_MS, type Settings } from '../settings.ts';
import { DATE_FAILURES } from '../spells.ts';
import { drawCompany } from '../world/company.ts';
import { KNOT_FEATURES, type KnotFeature } from './features.ts';

/** Several features that meet within some minutes. */
export interface Knot {
  /** A poll begins soon after it. */
  readonly at: number;
  readonly features: ReadonlySet<KnotFeature>;
  /** Clocks of its polls are wrong by this. */
  readonly stepMs: number;
}

const SHARE = 0.6;
const FEATURES_AT_ONCE = 7;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** What is no more than other clocks are apart. */
const SMALL_STEP_MS = 4_000;
const DAY_STEP_SHARE = 0.3;
/** Of the polls of a knot after its instant: those that see it, and those that see what was held. */
const POLLS_AFTER_MINUTES = [0, 1, 2, 4, 7] as const;
const WEIGHTS: Partial<Record<KnotFeature, number>> = {
  restore: 1.8,
  reminder: 2.6,
  'change of calendar': 1.5,
  'sending again': 1.2,
  throttling: 1.3,
  closing: 0.8,
  'config change': 1.2,
  'clock step': 1.1,
  move: 0.5,
  snapshot: 0.7,
};
const OWN_STREAM = 0x2545_f491;

/** In half of the histories. Null where one poll takes long, or two tables share nothing but the time of day. */
export function drawKnot(seed: number, { settings }: HistoryPlan, faults: Faults): Knot | null {
  const random = new Random(seed ^ OWN_STREAM);
  const { ticks, wide, rosterSize } = settings;
  if (!random.chance(SHARE) || wide || rosterSize > 0 || ticks.length < 4) return null;
  const features = new Set(pickFeatures(random));
  if (faults.has('clock_a_day_off')) features.delete('restore');
  const isFar = random.chance(DAY_STEP_SHARE) && !features.has('restore');
  const stepMs = isFar ? random.pick([-DAY_MS, DAY_MS]) : random.pick([-SMALL_STEP_MS, SMALL_STEP_MS]);
  return { at: ticks[random.between(2, ticks.length - 2)] ?? 0, features, stepMs };
}

/** Those that often have no effect are picked more often. */
function pickFeatures(random: Random): KnotFeature[] {
  return KNOT_FEATURES.map((feature) => ({ feature, place: random.next() ** (1 / (WEIGHTS[feature] ?? 1)) }))
    .sort((a, b) => b.place - a.place)
    .slice(0, FEATURES_AT_ONCE)
    .map(({ feature }) => feature);
}

/** The plan of a history with its knot: polls around it, and what fails then. */
export function tiePlan(plan: HistoryPlan, knot: Knot | null, seed: number): HistoryPlan {
  if (knot === null) return plan;
  const random = new Random(seed ^ (OWN_STREAM + 1));
  const { at, features } = knot;
  const until = Math.min(plan.settings.quietFrom - 1, at + random.between(2, 20) * MINUTE_MS);
  const today = toLocalDate(at, plan.settings.connection.timeZone);
  const failing = {
    from: at - MINUTE_MS / 2,
    to: Math.max(at + 1, until),
    date: addDays(today, random.between(-1, 1)),
    failure: random.pick(DATE_FAILURES),
  };
  const throttled = { from: at + random.between(0, MINUTE_MS), to: until, code: 'source_throttled' as const };
  const settings = { ...plan.settings, ...tieSettings(plan.settings, knot, random) };
  return {
    ...plan,
    settings,
    polls: [...plan.polls, ...pollsAround(knot, settings, random)].sort((a, b) => a.at - b.at),
    spells: features.has('unreadable date')
      ? { ...plan.spells, dates: [...plan.spells.dates, failing] }
      : plan.spells,
    outages:
      features.has('throttling') && throttled.from < throttled.to
        ? [...plan.outages, throttled]
        : plan.outages,
  };
}

function tieSettings(settings: Settings, { at, features }: Knot, random: Random): Partial<Settings> {
  const window = { backDays: random.between(2, 5), forwardDays: random.between(2, 5) };
  const backupAt = at - random.between(1, 30) * MINUTE_MS;
  return {
    ...(features.has('config change') ? { redeployed: { at: at - 1, window } } : {}),
    // Of one restore alone it is known what came of it.
    renewal: features.has('restore')
      ? { at: at - 1, backupAt: Math.max(backupAt, settings.startAt + 1) }
      : null,
  };
}

function pollsAround({ at, features }: Knot, { quietFrom }: Settings, random: Random): PlannedPoll[] {
  const polls = POLLS_AFTER_MINUTES.flatMap((minutes): PlannedPoll[] => {
    const later = at + minutes * MINUTE_MS;
    const poll = (feed: PlannedPoll['feed'], after: number): PlannedPoll => {
      return { feed, at: later + after, scope: 'due', milliseconds: MAX_POLL_MS };
    };
    return [poll('timesheets', random.between(900, 2_000)), poll('pay-periods', random.between(900, 4_000))];
  });
  const killed = random.pick(polls.slice(0, 4));
  return polls
    .filter((each) => each.at < quietFrom)
    .map((each) =>
      features.has('killed poll') && each === killed
        ? { ...each, milliseconds: random.between(100, 2_000) }
        : each,
    );
}

/** The features of a history with its knot. */
export function tieBreadth(
  breadth: Breadth,
  knot: Knot | null,
  { settings, seed }: { readonly settings: Settings; readonly seed: number },
): Breadth {
  if (knot === null) return breadth;
  const random = new Random(seed ^ (OWN_STREAM + 2));
  const { at, features } = knot;
  const near = { ...settings, ticks: [at - 1, at] };
  return {
    ...breadth,
    company: features.has('change of calendar')
      ? { ...drawCompany(random), calendars: 2 }
      : (breadth.company ?? drawCompany(random)),
    takenFact: features.has('hold') ? takenNear(near, knot, random) : breadth.takenFact,
    reminders: features.has('reminder') ? remindersAt(at, settings, random) : breadth.reminders,
  };
}

/** Reminders count the days that are over, so there they lose it of the day before. */
function takenNear(near: Settings, { at, features }: Knot, random: Random): TakenFact {
  const today = toLocalDate(at, near.connection.timeZone);
  const taken = drawTakenFact(near, random);
  return features.has('reminder') ? { ...taken, date: addDays(today, -1) } : taken;
}

/** A summary of all open periods, and deadlines about which is told, too. */
function remindersAt(at: number, settings: Settings, random: Random): Reminders {
  const { calendars, summaries } = drawReminders({ ...settings, ticks: [at] }, random);
  const { timeZone } = settings.connection;
  const soon = at + random.between(-1, 1) * MINUTE_MS;
  const time = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    hour: '2-digit',
    minute: '2-digit',
  });
  return { calendars, summaries: [...new Set([...summaries, time.format(soon)])].sort() };
}
