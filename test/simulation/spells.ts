import { addDays, toLocalDate } from '#shared/core/dates.ts';
import type { SourceErrorCode } from '#shared/core/errors.ts';
import type { Faults } from './faults.ts';
import { Random } from './random.ts';
import { MINUTE_MS, type Settings } from './settings.ts';

/** Includes `from`, excludes `to`. */
interface Spell {
  readonly from: number;
  readonly to: number;
}

/** Failures of a single date: the source answers 500 or 403, answers nonsense, or does not answer in time. */
export const DATE_FAILURES = [
  'source_failed',
  'source_forbidden',
  'source_bad_response',
  'source_unreachable',
] as const satisfies readonly SourceErrorCode[];

/** Every list that covers this date fails. */
export interface DateSpell extends Spell {
  readonly date: string;
  readonly failure: (typeof DATE_FAILURES)[number];
}

/** Failures of a single record that is requested by id. */
export const RECORD_FAILURES = [
  'source_failed',
  'source_forbidden',
] as const satisfies readonly SourceErrorCode[];

/** A record that lists leave out, that fails by id, or both. */
export interface RecordSpell extends Spell {
  readonly id: string;
  readonly hidden: boolean;
  readonly failure: (typeof RECORD_FAILURES)[number] | null;
}

/** Topics with events of polls. */
const TOPICS = ['timesheets', 'clockings', 'pay-periods', 'operations'] as const;
export type Topic = (typeof TOPICS)[number] | 'directory';

/** One topic refuses every event. */
export interface TopicSpell extends Spell {
  readonly topic: Topic;
}

/** Long faults of a single date, record or topic: they excuse nothing else. */
export interface Spells {
  readonly dates: readonly DateSpell[];
  readonly records: readonly RecordSpell[];
  readonly topics: readonly TopicSpell[];
}

/** Hidden records of a roster: more than one poll requests when answers by id are slow. */
const MAX_HIDDEN = 30;

export function drawSpells(settings: Settings, random: Random, faults: Faults): Spells {
  const several = <Drawn>(most: number, draw: () => Drawn): Drawn[] =>
    Array.from({ length: random.between(1, most) }, draw);
  return {
    dates: DATE_FAILURES.filter((failure) => faults.has(`date:${failure}`)).flatMap((failure) =>
      random.chance(0.5) ? several(2, () => dateSpell(settings, random, failure)) : [],
    ),
    records: [
      ...RECORD_FAILURES.filter((failure) => faults.has(`by_id:${failure}`)).flatMap((failure) =>
        several(3, () => recordSpell(settings, random, { failure, hidden: random.chance(0.5) })),
      ),
      ...(faults.has('hidden_record') ? hiddenRecords(settings, random) : []),
    ],
    topics: faults.has('topic_refused') ? [{ ...spell(settings, random), topic: random.pick(TOPICS) }] : [],
  };
}

/** Share of histories in which the list leaves out pay periods, which are there by their ids, or answer with errors. */
const HIDDEN_PERIODS_SHARE = 0.12;
const MAX_PERIODS = 6;
/** A separate stream of random numbers for the same seed. */
const OWN_STREAM = 0x1b87_3593;

/** The spells of a history, and those in which pay periods are hidden. */
export function hidePayPeriods(spells: Spells, settings: Settings, seed: number): Spells {
  const random = new Random(seed ^ OWN_STREAM);
  if (!random.chance(HIDDEN_PERIODS_SHARE)) return spells;
  const hidden = Array.from({ length: random.between(1, 2) }, (): RecordSpell => {
    const failure = random.pick([null, null, ...RECORD_FAILURES]);
    return { ...spell(settings, random), id: `${random.between(1, MAX_PERIODS)}_2`, hidden: true, failure };
  });
  return { ...spells, records: [...spells.records, ...hidden] };
}

function dateSpell(settings: Settings, random: Random, failure: DateSpell['failure']): DateSpell {
  const { timeZone, window } = settings.connection;
  const today = toLocalDate(settings.startAt, timeZone);
  const distance = random.chance(0.4)
    ? random.between(-1, 1)
    : random.between(-window.backDays, window.forwardDays);
  return { ...spell(settings, random), date: addDays(today, distance), failure };
}

function recordSpell(
  settings: Settings,
  random: Random,
  trouble: Pick<RecordSpell, 'failure' | 'hidden'>,
): RecordSpell {
  return { ...spell(settings, random), id: `${random.between(1, 8)}_1`, ...trouble };
}

function hiddenRecords(settings: Settings, random: Random): RecordSpell[] {
  const { rosterSize } = settings;
  const shared = spell(settings, random);
  const ids =
    rosterSize > 0 && random.chance(0.7)
      ? Array.from({ length: Math.min(MAX_HIDDEN, rosterSize) }, () => random.between(1, rosterSize + 10))
      : [random.between(1, 8), random.between(1, 8)];
  return [...new Set(ids)].map((number) => ({ ...shared, id: `${number}_1`, hidden: true, failure: null }));
}

/** Often from the start, while the baseline is installed; mostly longer than the time between two scans. */
function spell({ ticks, startAt, quietFrom }: Settings, random: Random): Spell {
  const from = random.chance(0.4) ? startAt - 1 : random.pick(ticks) - random.between(1, MINUTE_MS);
  const to = from + random.between(3, random.chance(0.5) ? 60 : 12 * 60) * MINUTE_MS;
  return { from, to: Math.min(quietFrom - 1, to) };
}

/** Whether a spell lasts at an instant. */
export function lasts({ from, to }: Spell, at: number): boolean {
  return from <= at && at < to;
}
