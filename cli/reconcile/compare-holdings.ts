import { comparePositions, type EventPosition } from '#shared/core/events/event-order.ts';
import { roundNumber } from '#shared/core/records/values.ts';
import { computeStatementDigest } from '#shared/statements/statement-digest.ts';
import type { Holding } from './read-holdings.ts';

/** A timesheet as it is stored. */
export interface StoredTimesheet extends EventPosition {
  readonly id: string;
  readonly hoursToPay: number;
}

/** What is stored of a pay period. */
export interface StoredPeriod {
  readonly timesheets: ReadonlyMap<string, StoredTimesheet>;
  /** Removed from its dates, by id. */
  readonly removed: ReadonlyMap<string, EventPosition>;
  /** Ids that are stored, but not of this period, as far as they were looked for. */
  readonly elsewhere?: ReadonlySet<string>;
}

/** A timesheet on which the two differ. */
export interface Difference {
  readonly id: string;
  /** The position that is stored; null where nothing is. */
  readonly stored: EventPosition | null;
  readonly have: EventPosition | null;
  /** Stored hours minus theirs, nothing counting as 0; null when theirs are not known. */
  readonly hours: number | null;
  /** The subscriber still has what was removed. */
  readonly removed?: true;
}

export interface Comparison {
  readonly equal: number;
  /** Stored, and not among theirs. */
  readonly missing: readonly Difference[];
  /** Theirs is older than what is stored. */
  readonly behind: readonly Difference[];
  /** Theirs is newer than what is stored. */
  readonly ahead: readonly Difference[];
  /** Theirs, and not stored. */
  readonly unknown: readonly Difference[];
  /** Theirs, and stored of other periods: not compared. */
  readonly elsewhere: readonly string[];
  /** At the same position with other hours, where they said theirs. */
  readonly contradicting: readonly Difference[];
  /** Sum of the differences in hours, and of how many they are not known. */
  readonly hours: number;
  readonly hoursUnknown: number;
  /** Of both sides, as `statementDigest` computes it; theirs is null while hours of theirs are not known. */
  readonly digests: { readonly stored: string; readonly have: string | null };
}

/** Hours of a holding that says none; null when they cannot be found. */
export type FindHours = (holding: Holding, stored: StoredTimesheet | null) => number | null;

const KINDS = ['missing', 'behind', 'ahead', 'unknown', 'contradicting'] as const;

/** Compares what a subscriber has with what is stored, timesheet by timesheet. */
export function compareHoldings(
  all: ReadonlyMap<string, Holding>,
  period: StoredPeriod,
  findHours: FindHours,
): Comparison {
  const isElsewhere = (id: string) => !period.timesheets.has(id) && period.elsewhere?.has(id) === true;
  const holdings = new Map([...all].filter(([id]) => !isElsewhere(id)));
  const found = new Map<(typeof KINDS)[number], Difference[]>(KINDS.map((kind) => [kind, []]));
  let equal = 0;
  const note = (kind: (typeof KINDS)[number], difference: Difference) => found.get(kind)?.push(difference);
  const theirs = new Map<string, number | null>();
  for (const [id, holding] of holdings) {
    const stored = period.timesheets.get(id) ?? null;
    const hours = readHours(holding, stored, findHours);
    theirs.set(id, hours);
    const kind = classify(holding, stored, period);
    if (kind === 'equal' && (hours === null || hours === stored?.hoursToPay)) equal += 1;
    else note(kind === 'equal' ? 'contradicting' : kind, describe(holding, hours, period));
  }
  for (const [id, { hoursToPay, ...rest }] of period.timesheets) {
    if (!holdings.has(id)) note('missing', { id, stored: toPosition(rest), have: null, hours: hoursToPay });
  }
  const differences = [...found.values()].flat();
  return {
    equal,
    missing: sortById(found.get('missing')),
    behind: sortById(found.get('behind')),
    ahead: sortById(found.get('ahead')),
    unknown: sortById(found.get('unknown')),
    contradicting: sortById(found.get('contradicting')),
    elsewhere: [...all.keys()].filter(isElsewhere).sort(),
    hours: roundNumber(differences.reduce((sum, { hours }) => sum + (hours ?? 0), 0)),
    hoursUnknown: differences.filter(({ hours }) => hours === null).length,
    digests: {
      stored: computeStatementDigest(period.timesheets.values()),
      have: digestHoldings(holdings, theirs),
    },
  };
}

/** Whether the two agree on every timesheet. */
export function isEqual(comparison: Comparison): boolean {
  return KINDS.every((kind) => comparison[kind].length === 0);
}

function classify(
  holding: Holding,
  stored: StoredTimesheet | null,
  { removed }: StoredPeriod,
): 'equal' | 'behind' | 'ahead' | 'unknown' {
  if (stored === null) {
    const tombstone = removed.get(holding.id);
    return tombstone !== undefined && comparePositions(holding, tombstone) < 0 ? 'behind' : 'unknown';
  }
  const order = comparePositions(holding, stored);
  if (order === 0) return 'equal';
  return order < 0 ? 'behind' : 'ahead';
}

function readHours(holding: Holding, stored: StoredTimesheet | null, findHours: FindHours): number | null {
  if (holding.hoursToPay !== undefined) return holding.hoursToPay;
  if (stored !== null && comparePositions(holding, stored) === 0) return stored.hoursToPay;
  return findHours(holding, stored);
}

function describe(holding: Holding, hours: number | null, { timesheets, removed }: StoredPeriod): Difference {
  const { id } = holding;
  const stored = timesheets.get(id);
  const tombstone = stored === undefined ? removed.get(id) : undefined;
  const position = stored ?? tombstone;
  return {
    id,
    stored: position === undefined ? null : toPosition(position),
    have: toPosition(holding),
    hours: hours === null ? null : roundNumber((stored?.hoursToPay ?? 0) - hours),
    ...(tombstone === undefined ? {} : { removed: true }),
  };
}

function toPosition({ epoch, sequence }: EventPosition): EventPosition {
  return epoch === undefined ? { sequence } : { epoch, sequence };
}

function digestHoldings(
  holdings: ReadonlyMap<string, Holding>,
  hours: ReadonlyMap<string, number | null>,
): string | null {
  const members = [...holdings.values()].flatMap((holding) => {
    const hoursToPay = hours.get(holding.id) ?? null;
    return hoursToPay === null ? [] : [{ ...holding, hoursToPay }];
  });
  return members.length === holdings.size ? computeStatementDigest(members) : null;
}

function sortById(differences: readonly Difference[] = []): Difference[] {
  return differences.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
