import type { History } from '../history.ts';
import { MINUTE_MS } from '../settings.ts';
import { KNOT_FEATURES, type KnotFeature } from './features.ts';

/** When something was under way in a history, in virtual time. */
interface Span {
  readonly feature: KnotFeature;
  readonly from: number;
  readonly to: number;
}

/** Two features meet where one begins while the other is under way, or within this after it: the next polls see both. */
const MEETS_WITHIN_MS = 5 * MINUTE_MS;

/** Histories by pair of features that met in them. */
export type Pairs = Map<string, number>;

/** Counts the pairs of features that met in a history, each once. */
export function countPairs(pairs: Pairs, history: History): void {
  const spans = spansOf(history);
  for (const [place, one] of KNOT_FEATURES.entries()) {
    for (const other of KNOT_FEATURES.slice(place + 1)) {
      if (!haveMet(spans, one, other)) continue;
      const name = nameOf(one, other);
      pairs.set(name, (pairs.get(name) ?? 0) + 1);
    }
  }
}

/** How often the rarest pair met. */
export function rarestOf(pairs: Pairs): number {
  const counts = KNOT_FEATURES.flatMap((one, place) =>
    KNOT_FEATURES.slice(place + 1).map((other) => pairs.get(nameOf(one, other)) ?? 0),
  );
  return Math.min(...counts);
}

/** A table: one line for each feature, with the counts of those after it. */
export function describePairs(pairs: Pairs): string {
  const width = Math.max(...KNOT_FEATURES.map((name) => name.length));
  const lines = KNOT_FEATURES.map((one, row) => {
    const counts = KNOT_FEATURES.map((other, column) =>
      column <= row ? '' : String(pairs.get(nameOf(one, other)) ?? 0),
    );
    return `  ${one.padEnd(width)} ${counts.map((count) => count.padStart(6)).join('')}`;
  });
  const heads = KNOT_FEATURES.map((name) => name.slice(0, 5).padStart(6)).join('');
  return [
    `histories in which two features met, at least ${rarestOf(pairs)} of each pair:`,
    `  ${' '.repeat(width)} ${heads}`,
    ...lines,
  ].join('\n');
}

function nameOf(one: KnotFeature, other: KnotFeature): string {
  return `${one} and ${other}`;
}

function haveMet(spans: readonly Span[], one: KnotFeature, other: KnotFeature): boolean {
  const others = spans.filter(({ feature }) => feature === other);
  return spans.some(
    ({ feature, from, to }) =>
      feature === one &&
      others.some((each) => each.from <= to + MEETS_WITHIN_MS && from <= each.to + MEETS_WITHIN_MS),
  );
}

function spansOf(history: History): Span[] {
  const { settings, journal, world } = history;
  const at = (feature: KnotFeature, instants: readonly number[]): Span[] =>
    instants.map((instant) => ({ feature, from: instant, to: instant }));
  const { renewal, redeployed, knot } = settings;
  const { clockStep } = history.breadth.habits;
  const { closings, reopenings } = turnsOf(history);
  const isOff = (apart: number) => Math.abs(apart) > 1_000;
  return [
    ...holdsOf(history),
    ...at('restore', renewal?.backupAt == null ? [] : [renewal.at]),
    ...at('closing', closings),
    ...at('reopen', reopenings),
    ...at('move', movesOf(history)),
    ...at('change of calendar', [...world.books.changes.values()].flat()),
    ...at('reminder', remindersOf(history)),
    ...at('sending again', journal.sentAgain === null ? [] : [journal.sentAgain.to]),
    ...at('snapshot', journal.snapshot === null ? [] : [journal.snapshot.at]),
    ...(clockStep === null ? [] : [{ ...clockStep, feature: 'clock step' } as const]),
    ...at('config change', redeployed === null ? [] : [redeployed.at]),
    ...at(
      'clock step',
      knot?.features.has('clock step') === true
        ? journal.polls
            .filter((each) => isOff(each.clockAtStart - each.startedAt))
            .map((each) => each.startedAt)
        : [],
    ),
    ...at(
      'killed poll',
      journal.polls.filter(({ endedAt }) => endedAt === null).map(({ startedAt }) => startedAt),
    ),
    ...failuresOf(history),
  ];
}

/** Losses and removals that are held, from what the world lost. */
function holdsOf({ world, settings, journal }: History): Span[] {
  const { takenFact } = settings;
  const taken = takenFact == null || world.takenFacts === 0 ? [] : [takenFact.at];
  const shrunk = journal.committed
    .filter(({ text }) => text.includes('"cause":"records_missing"'))
    .map(({ at }) => at);
  return [...taken, ...shrunk].map((from) => ({ feature: 'hold', from, to: from + MINUTE_MS }));
}

function turnsOf({ world }: History): { readonly closings: number[]; readonly reopenings: number[] } {
  const closings: number[] = [];
  const reopenings: number[] = [];
  for (const { versions } of world.truth['pay-periods'].values()) {
    for (const [index, { at, record }] of versions.entries()) {
      const before = versions[index - 1]?.record ?? null;
      if (before === null || record === null || Boolean(before.closed) === Boolean(record.closed)) continue;
      (record.closed ? closings : reopenings).push(at);
    }
  }
  return { closings, reopenings };
}

function movesOf({ world }: History): number[] {
  return [...world.truth.timesheets.values()].flatMap(({ versions }) =>
    versions.flatMap(({ at, record }, index) => {
      const before = versions[index - 1]?.record ?? null;
      return before !== null && record !== null && before.date !== record.date ? [at] : [];
    }),
  );
}

/** Moments of which something was told. */
function remindersOf({ journal }: History): number[] {
  return journal.committed.filter(({ text }) => text.includes('.pay_period.readiness"')).map(({ at }) => at);
}

/** Of the source, as far as polls came upon them. */
function failuresOf({ spells, outages, faults }: History): Span[] {
  const dates = faults.size === 0 ? [] : spells.dates;
  return [
    ...dates.map(({ from, to }): Span => ({ feature: 'unreadable date', from, to })),
    ...outages
      .filter(({ code }) => code === 'source_throttled')
      .map(({ from, to }): Span => ({ feature: 'throttling', from, to })),
  ];
}
