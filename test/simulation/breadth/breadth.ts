import type { Faults } from '../faults.ts';
import { Random } from '../random.ts';
import { MINUTE_MS, type Settings } from '../settings.ts';
import { type Company, drawCompany } from '../world/company.ts';
import { type AbsenceSettings, drawAbsences } from './absences.ts';
import { drawFormSpell, type FormSpell } from './form-spell.ts';
import { drawHabits, type Habits } from './habits.ts';
import { drawReminders, type Reminders } from './reminders.ts';
import { drawTakenFact, type TakenFact } from './taken-facts.ts';

/** Further features of a history. Each is off in most histories. */
export interface Breadth {
  readonly form: FormSpell | null;
  readonly takenFact: TakenFact | null;
  /** Share of the events of records that the topics refuse for good. */
  readonly refusedShare: number;
  /** Days that events and removals are kept; null: the default, longer than any history. */
  readonly retentionDays: number | null;
  /** When all rows become shorter by a watched field, as if it had been appended then; null: never. */
  readonly widenedAt: number | null;
  /** For how long follow-ups repeat the scans of a poll; 0: not at all. */
  readonly repeatForSeconds: number;
  /** The option for missing clockings. */
  readonly absences: AbsenceSettings | null;
  /** Its events are delivered to an endpoint and to people, and checked there. */
  readonly delivered: boolean;
  /** Deadlines and daily summaries; null: nobody is reminded. */
  readonly reminders: Reminders | null;
  /** Its pay periods are tidy; null: they are at random. */
  readonly company: Company | null;
  readonly habits: Habits;
  /** Watermarks are told. */
  readonly watermark: boolean;
}

export const NO_BREADTH: Breadth = {
  form: null,
  takenFact: null,
  refusedShare: 0,
  retentionDays: null,
  widenedAt: null,
  repeatForSeconds: 0,
  absences: null,
  delivered: false,
  reminders: null,
  company: null,
  habits: { rewrites: false, doubled: null, limited: false, clockStep: null },
  watermark: false,
};

const SHARES = {
  form: 0.6,
  refused: 0.06,
  retention: 0.12,
  widened: 0.05,
  repeated: 0.08,
  delivered: 0.1,
  takenFact: 0.02,
  absences: 0.4,
  reminders: 0.3,
  company: 0.4,
  watermark: 0.2,
} as const;
const REFUSED_SHARES = [0.03, 0.2] as const;
const REPEATS = [10, 20, 45] as const;
/** A separate stream of random numbers for the same seed. */
const OWN_STREAM = 0x5bd1_e995;

export function drawBreadth(seed: number, settings: Settings, faults: Faults): Breadth {
  const random = new Random(seed ^ OWN_STREAM);
  // Each feature draws from its own stream, so that another share of one does not change the others.
  const draw = <Drawn>(share: number, off: Drawn, on: (random: Random) => Drawn): Drawn => {
    const own = random.fork();
    return own.chance(share) ? on(own) : off;
  };
  const { renewal, ticks, rosterSize } = settings;
  const someTick = (own: Random) => own.pick(ticks.slice(1)) - own.between(1, MINUTE_MS / 2);
  const form = draw(rosterSize > 0 ? SHARES.form : 0, null, (own) => drawFormSpell(settings, own));
  const refusedShare = draw(SHARES.refused, 0, (own) => own.pick(REFUSED_SHARES));
  // Clocks of polls set times to live: a clock that is a day off deletes in another order.
  const retention = faults.has('clock_a_day_off') ? 0 : SHARES.retention;
  const retentionDays = draw(retention, null, (own) => {
    const minutes = own.chance(0.7) ? own.between(1, 4) : own.between(60, 480);
    return minutes / (24 * 60);
  });
  const widenedAt = draw(renewal === null ? SHARES.widened : 0, null, someTick);
  // The streams of the features below, and with them the seeds at which faults are caught, stay as they are.
  random.fork();
  const repeatForSeconds = draw(SHARES.repeated, 0, (own) => own.pick(REPEATS));
  const delivered = draw(SHARES.delivered, false, () => true);
  const takenFact = draw(settings.wide ? 0 : SHARES.takenFact, null, (own) => drawTakenFact(settings, own));
  // Shorter rows hold no missing clockings, and events of another table no sequence of them.
  const canMiss = renewal === null && widenedAt === null;
  const absences = draw(canMiss ? SHARES.absences : 0, null, (own) => drawAbsences(settings, own));
  const reminders = draw(SHARES.reminders, null, (own) => drawReminders(settings, own));
  const company = draw(SHARES.company, null, drawCompany);
  const bearsLargeSteps = renewal === null && retentionDays === null;
  const habits = drawHabits(seed, { settings, faults, bearsLargeSteps });
  return {
    form,
    refusedShare,
    retentionDays,
    widenedAt,
    repeatForSeconds,
    delivered,
    takenFact,
    absences,
    reminders,
    company,
    habits,
    watermark: Random.of(seed, 'watermark').chance(SHARES.watermark),
  };
}

/** Applies the features of a history to its settings. */
export function broaden(
  settings: Settings,
  { retentionDays, widenedAt, takenFact, absences, reminders, company, watermark }: Breadth,
): Settings {
  const connection = {
    ...settings.connection,
    ...(retentionDays === null ? {} : { retentionDays }),
    ...(reminders === null ? {} : { calendars: reminders.calendars }),
    watermark,
  };
  return {
    ...settings,
    connection,
    takenFact,
    absences,
    company,
    unchanging: widenedAt === null ? [] : LAST_FIELDS,
  };
}

/** The last watched field of each feed, by its name at the source. */
const LAST_FIELDS = ['details', 'payRollProvider'] as const;
