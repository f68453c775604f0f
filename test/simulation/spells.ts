import { addDays, toLocalDate } from '#shared/core/dates.ts';
import { SOURCE_ERROR_CODES, type SourceErrorCode } from '#shared/core/errors.ts';
import type { EventTopic } from '#shared/core/event-types.ts';
import type { Faults } from './faults.ts';
import { POISONS, type Poison } from './ports/written.ts';
import type { Random } from './random.ts';
import { MINUTE_MS, type Settings } from './settings.ts';

/** Includes `from`, excludes `to`. */
export interface Spell {
  readonly from: number;
  readonly to: number;
}

/** Failures of a single date: the source answers 500 or 403, answers nonsense, or does not answer in time. */
export const DATE_FAILURES = [
  'source_failed',
  'source_bad_response',
  'source_unreachable',
] as const satisfies readonly SourceErrorCode[];

/** Every list that covers this date fails. */
interface DateSpell extends Spell {
  readonly date: string;
  readonly failure: (typeof DATE_FAILURES)[number];
}

/** Failures of a single record that is requested by id. */
export const RECORD_FAILURES = [
  'source_failed',
  'source_conflict',
] as const satisfies readonly SourceErrorCode[];

/** A record that lists leave out, that fails by id, or both. */
interface RecordSpell extends Spell {
  readonly id: string;
  readonly hidden: boolean;
  readonly failure: (typeof RECORD_FAILURES)[number] | null;
}

export type { DateSpell, RecordSpell };

/** Faults that last: of a date, a record, a topic, or the whole source. */
export interface Spells {
  readonly dates: readonly DateSpell[];
  readonly records: readonly RecordSpell[];
  /** One topic refuses every event. */
  readonly topics: readonly (Spell & { readonly topic: EventTopic })[];
  readonly outages: readonly (Spell & { readonly code: SourceErrorCode })[];
  /** The source does not say of some employees which timesheets are of a pay period. */
  readonly members: readonly Spell[];
  /** A record is served broken. */
  readonly poisons: readonly (Spell & { readonly id: string; readonly poison: Poison })[];
}

const TOPICS = ['timesheets', 'timesheets', 'pay-periods', 'directory', 'operations'] as const;
/** Hidden records of a roster. */
const MAX_HIDDEN = 30;
const MAX_PERIODS = 6;

export function drawSpells(settings: Settings, random: Random, faults: Faults): Spells {
  const several = <Drawn>(most: number, draw: () => Drawn): Drawn[] =>
    Array.from({ length: random.between(1, most) }, draw);
  const dates = DATE_FAILURES.filter((failure) => faults.has(`date:${failure}`));
  const records = RECORD_FAILURES.filter((failure) => faults.has(`by_id:${failure}`));
  return {
    dates: dates.flatMap((failure) =>
      random.chance(0.5) ? several(2, () => ({ ...dateSpell(settings, random), failure })) : [],
    ),
    records: [
      ...records.flatMap((failure) =>
        several(3, () => recordSpell(settings, random, { failure, hidden: random.chance(0.5) })),
      ),
      ...(faults.has('hidden_record') ? hiddenRecords(settings, random) : []),
    ],
    topics: faults.has('topic_refused')
      ? several(2, () => ({ ...spell(settings, random), topic: random.pick(TOPICS) }))
      : [],
    outages: faults.has('outage')
      ? [{ ...spell(settings, random, 240), code: random.pick(SOURCE_ERROR_CODES) }]
      : [],
    poisons: faults.has('poison_record')
      ? several(3, () => ({
          ...spell(settings, random),
          id: `${random.between(1, 8)}_${random.pick([1, 1, 1, 2, 3, 4])}`,
          poison: random.pick(POISONS),
        }))
      : [],
    members: faults.has('members_of_some')
      ? [random.chance(0.5) ? fromStart(settings) : spell(settings, random)]
      : [],
  };
}

/** As long as anything fails. */
function fromStart({ startAt, quietFrom }: Settings): Spell {
  return { from: startAt - 1, to: quietFrom - 1 };
}

function dateSpell(settings: Settings, random: Random): Omit<DateSpell, 'failure'> {
  const { timeZone, window } = settings.connection;
  const today = toLocalDate(settings.startAt, timeZone);
  const distance = random.chance(0.4)
    ? random.between(-1, 1)
    : random.between(-window.backDays, window.forwardDays);
  return { ...spell(settings, random), date: addDays(today, distance) };
}

function recordSpell(
  settings: Settings,
  random: Random,
  trouble: Pick<RecordSpell, 'failure' | 'hidden'>,
): RecordSpell {
  const id = random.chance(0.2) ? `${random.between(1, MAX_PERIODS)}_2` : `${random.between(1, 8)}_1`;
  return { ...spell(settings, random), id, ...trouble };
}

function hiddenRecords(settings: Settings, random: Random): RecordSpell[] {
  const { rosterSize } = settings;
  const shared = spell(settings, random);
  const ids =
    rosterSize > 0 && random.chance(0.7)
      ? Array.from({ length: Math.min(MAX_HIDDEN, rosterSize) }, () => random.between(1, rosterSize + 10))
      : [random.between(1, 8), random.between(1, 8)];
  const period = `${random.between(1, MAX_PERIODS)}_2`;
  const all = [...ids.map((number) => `${number}_1`), ...(random.chance(0.3) ? [period] : [])];
  return [...new Set(all)].map((id) => ({ ...shared, id, hidden: true, failure: null }));
}

/** Often from the start, while the baseline is installed; mostly longer than the time between two looks. */
function spell({ ticks, startAt, quietFrom }: Settings, random: Random, most = 12 * 60): Spell {
  const from = random.chance(0.4) ? startAt - 1 : random.pick(ticks) - random.between(1, MINUTE_MS);
  const to = from + random.between(3, random.chance(0.5) ? 60 : most) * MINUTE_MS;
  return { from, to: Math.min(quietFrom - 1, to) };
}

/** Whether a spell lasts at an instant. */
export function lasts({ from, to }: Spell, at: number): boolean {
  return from <= at && at < to;
}
