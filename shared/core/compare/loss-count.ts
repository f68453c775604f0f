import type { FeedDefinition, StateRow } from '../records/feed-definition.ts';
import {
  comparePublishedPositions,
  type PublishedPosition,
  toPublishedPosition,
} from '../snapshot/epochs.ts';
import type { RemovalCheck } from './change.ts';
import type { KnownRow, SeenRecord } from './classify-records.ts';

/** Number of records that lost a fact, by the slice that knows them and by field. */
export type Losses = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Fields of the facts that were set and are null now. */
export function findLostFacts(
  definition: FeedDefinition,
  before: StateRow,
  after: StateRow,
): readonly string[] {
  return listFacts(definition, before).filter((field) => after[indexOf(definition, field)] === null);
}

/** Fields of the facts that are set. */
function listFacts(definition: FeedDefinition, row: StateRow): readonly string[] {
  return definition.facts
    .filter(({ derived }) => derived !== true)
    .map(({ field }) => field)
    .filter((field) => row[indexOf(definition, field)] != null);
}

function indexOf({ fields }: FeedDefinition, field: string): number {
  return fields.findIndex(({ name }) => name === field);
}

/** The later one of the rows of a record, by its published events. */
export function findLatestRow(rows: readonly KnownRow[]): KnownRow | undefined {
  return rows.toSorted((a, b) => comparePublishedPositions(b.row, a.row))[0];
}

interface Facts extends Pick<KnownRow, 'slice'> {
  readonly fields: readonly string[];
}

/** Records that lost facts while they moved: the slices on which they were seen, by the slice that knows them. */
export type LossPlaces = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Counts lost facts while leaves are read: each record once, wherever it was seen, and on the slice that knows it. Of
 * rows only names of fields are kept (rule 15).
 */
export class LossCount {
  readonly #seen = new Map<string, Map<string, number>>();
  /** What records lost that were seen on another slice than their row's. */
  readonly #elsewhere = new Map<
    string,
    Facts & { readonly seenOn: string; readonly position: PublishedPosition }
  >();
  /** The facts of absent records: some are found by id. */
  readonly #absent = new Map<string, Facts>();
  readonly #definition: FeedDefinition;

  constructor(definition: FeedDefinition) {
    this.#definition = definition;
  }

  add({ slice, row }: KnownRow, after: SeenRecord['row']): void {
    if (row.untold === true) return;
    count(this.#seen, slice, findLostFacts(this.#definition, row.state, after));
  }

  /** A record seen on another slice; it counts unless that slice knows it too. */
  addElsewhere({ slice, row }: KnownRow, after: Pick<SeenRecord, 'slice' | 'row'>): void {
    const before = this.#elsewhere.get(row.id);
    if (before !== undefined && comparePublishedPositions(before.position, row) >= 0) return;
    const fields = row.untold === true ? [] : findLostFacts(this.#definition, row.state, after.row);
    const position = toPublishedPosition(row);
    this.#elsewhere.set(row.id, { slice, position, fields, seenOn: after.slice });
  }

  addAbsent({ slice, row }: KnownRow): void {
    if (row.untold === true) return;
    const fields = listFacts(this.#definition, row.state);
    if (fields.length > 0) this.#absent.set(row.id, { slice, fields });
  }

  /** `unknownIds`: ids that the slices on which they were seen do not know. `answers`: to requests by id. */
  sum(unknownIds: ReadonlySet<string>, answers: ReadonlyMap<string, RemovalCheck>): Losses {
    const losses = new Map([...this.#seen].map(([slice, fields]) => [slice, new Map(fields)]));
    for (const [id, { slice, fields }] of this.#elsewhere)
      if (unknownIds.has(id)) count(losses, slice, fields);
    for (const { slice, lost } of this.#findLosses(answers)) count(losses, slice, lost);
    return losses;
  }

  /** Where records that lost facts stand now, when that is another slice than the one that knows them. */
  places(unknownIds: ReadonlySet<string>, answers: ReadonlyMap<string, RemovalCheck>): LossPlaces {
    const moves = [...this.#elsewhere].flatMap(([id, { slice, fields, seenOn }]) =>
      unknownIds.has(id) ? [{ slice, lost: fields, seenOn }] : [],
    );
    const places = new Map<string, Set<string>>();
    for (const { slice, lost, seenOn } of [...moves, ...this.#findLosses(answers)]) {
      if (lost.length === 0 || seenOn === slice) continue;
      places.set(slice, (places.get(slice) ?? new Set()).add(seenOn));
    }
    return places;
  }

  /** What absent records lost that were found by id. */
  #findLosses(
    answers: ReadonlyMap<string, RemovalCheck>,
  ): { readonly slice: string; readonly lost: readonly string[]; readonly seenOn: string }[] {
    return [...answers].flatMap(([id, answer]) => {
      const facts = this.#absent.get(id);
      if (answer.outcome !== 'found' || facts === undefined) return [];
      const { row, slice: seenOn } = answer.record;
      const lost = facts.fields.filter((field) => row[indexOf(this.#definition, field)] === null);
      return [{ slice: facts.slice, lost, seenOn }];
    });
  }
}

function count(losses: Map<string, Map<string, number>>, slice: string, lost: readonly string[]): void {
  if (lost.length === 0) return;
  const fields = losses.get(slice) ?? new Map<string, number>();
  for (const field of lost) fields.set(field, (fields.get(field) ?? 0) + 1);
  losses.set(slice, fields);
}
