import { hash } from 'node:crypto';
import type { Look } from '../look/look.ts';
import { type FeedDefinition, parseRow } from '../records/feed-definition.ts';
import { countRecords, DIGEST_BYTES, type Doubt, type DoubtedLoss, type Head } from '../snapshot/head.ts';
import type { Difference } from './compare.ts';

/**
 * When a look is doubtful (rule 17): more than this share of its records, and at least so many, would go, lose the same
 * fact, or become unreadable at once. What two looks so long apart would both take away is believed.
 */
export interface Guards {
  readonly share: number;
  readonly records: number;
  readonly waitMs: number;
}

export const GUARDS: Guards = { share: 0.5, records: 10, waitMs: 60_000 };

/** What of a look is not committed yet. */
export interface Verdict {
  /** Indexes of buckets whose losses wait for another look; what else is new in them waits with these. */
  readonly held: ReadonlySet<number>;
  /** The note that its head has from now on; null for none. */
  readonly doubt: Doubt | null;
}

interface Doubted {
  readonly look: Look;
  readonly head: Head;
  readonly definition: FeedDefinition;
  readonly guards: Guards;
  /** Start of the last complete look before this one; null without one. */
  readonly lookedAt: number | null;
}

/** What of a look is believed. A loss is confirmed by the bucket, so that other news of the slice begins no wait anew. */
export function judge(doubted: Doubted, differences: readonly Difference[]): Verdict {
  const { look, head, definition, guards, lookedAt } = doubted;
  const lostFacts = new Map(differences.map((each) => [each, listLostFacts(definition, each)]));
  const losses = differences.flatMap((difference) => {
    const digest = digestLoss(difference, lostFacts.get(difference) ?? []);
    const from = head.buckets[difference.index]?.from ?? 0;
    return digest === null ? [] : [{ index: difference.index, from, digest, at: look.startedAt }];
  });
  if (head.doubt === null && !isDoubtful(doubted, differences, [...lostFacts.values()].flat()))
    return { held: new Set(), doubt: null };
  const noted = new Map(head.doubt?.losses.map((loss) => [loss.from, loss]));
  // Half a look neither confirms nor denies.
  if (look.problem !== null && head.doubt !== null)
    return { held: new Set(losses.map(({ index }) => index)), doubt: head.doubt };
  const held = losses.filter((loss) => !isConfirmed(loss, noted.get(loss.from), guards));
  // A confirmed one stays noted until it is committed: look-ups by id may take many polls.
  const next = losses.map(({ from, digest, at }): DoubtedLoss => {
    const before = noted.get(from);
    return before?.digest === digest ? before : { from, digest, at };
  });
  return {
    held: new Set(held.map(({ index }) => index)),
    doubt:
      next.length === 0
        ? null
        : {
            since: head.doubt?.since ?? look.startedAt,
            after: head.doubt === null ? lookedAt : head.doubt.after,
            records: head.doubt?.records ?? countLost(differences),
            losses: next,
          },
  };
}

function isConfirmed(loss: DoubtedLoss, noted: DoubtedLoss | undefined, { waitMs }: Guards): boolean {
  return noted !== undefined && noted.digest === loss.digest && loss.at - noted.at >= waitMs;
}

/** The note without buckets that are committed; null when none is left. */
export function settleDoubt(doubt: Doubt | null, committed: ReadonlySet<number>): Doubt | null {
  const losses = doubt?.losses.filter(({ from }) => !committed.has(from)) ?? [];
  return doubt === null || losses.length === 0 ? null : { ...doubt, losses };
}

/** Of what would be taken away from a bucket; null for nothing. */
function digestLoss({ absent, bad }: Difference, facts: readonly LostFact[]): string | null {
  const lines = [
    ...absent.map(({ id }) => id),
    ...bad.flatMap(({ id, row }) => (row?.text == null ? [] : [`${id} bad`])),
    ...facts.map(({ id, fact }) => `${id} ${fact}`),
  ];
  if (lines.length === 0) return null;
  return hash('sha256', lines.sort().join('\n'), 'hex').slice(0, 2 * DIGEST_BYTES);
}

/** A fact that a record had and has no more. */
interface LostFact {
  readonly id: string;
  readonly fact: string;
}

function listLostFacts(definition: FeedDefinition, { changed, movedIn }: Difference): LostFact[] {
  const places = findPlaces(definition);
  return [...changed, ...movedIn].flatMap(({ row: { id, text: before }, text }) => {
    if (before === null) return [];
    const [was, is] = [parseRow(before), parseRow(text)];
    return places
      .filter(([, place]) => was[place] != null && is[place] === null)
      .map(([fact]) => ({ id, fact }));
  });
}

/** Names of the facts, and where their values stand in a row. */
function findPlaces({ facts, fields }: FeedDefinition) {
  return facts.map(({ field }) => [field, fields.findIndex(({ name }) => name === field)] as const);
}

function isDoubtful(
  { look, head, definition, guards }: Doubted,
  differences: readonly Difference[],
  lostFacts: readonly LostFact[],
): boolean {
  const isMost = (lost: number, of: number) => lost >= guards.records && lost > of * guards.share;
  const sum = (count: (each: Difference) => number) =>
    differences.reduce((total, each) => total + count(each), 0);
  if (
    isMost(
      sum(({ absent }) => absent.length),
      countRecords(head),
    )
  )
    return true;
  if (
    isMost(
      sum(({ bad }) => bad.length),
      look.texts.size,
    )
  )
    return true;
  const lost = new Map<string, number>();
  for (const { fact } of lostFacts) lost.set(fact, (lost.get(fact) ?? 0) + 1);
  if ([...lost.values()].every((count) => count < guards.records)) return false;
  const kept = countFacts(definition, look);
  return [...lost].some(([fact, count]) => isMost(count, count + (kept.get(fact) ?? 0)));
}

/** How many records of a look have each fact. */
function countFacts(definition: FeedDefinition, look: Look): Map<string, number> {
  const places = findPlaces(definition);
  const counts = new Map<string, number>();
  for (const text of look.texts.values()) {
    const row = parseRow(text);
    for (const [field, place] of places)
      if (row[place] != null) counts.set(field, (counts.get(field) ?? 0) + 1);
  }
  return counts;
}

/** Records that would lose something. */
function countLost(differences: readonly Difference[]): number {
  return differences.reduce(
    (sum, { absent, bad, changed }) => sum + absent.length + bad.length + changed.length,
    0,
  );
}
