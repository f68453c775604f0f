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
  const losses = differences.flatMap((difference) => {
    const digest = digestLoss(definition, difference);
    const from = head.buckets[difference.index]?.from ?? 0;
    return digest === null ? [] : [{ index: difference.index, from, digest, at: look.startedAt }];
  });
  if (head.doubt === null && !isDoubtful(doubted, differences)) return { held: new Set(), doubt: null };
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
function digestLoss(definition: FeedDefinition, difference: Difference): string | null {
  const lines = [
    ...difference.absent.map(({ id }) => id),
    ...difference.bad.flatMap(({ id, row }) => (row?.text == null ? [] : [`${id} bad`])),
    ...[...difference.changed, ...difference.movedIn].flatMap(({ row, text }) =>
      findLostFacts(definition, row.text, text).map((fact) => `${row.id} ${fact}`),
    ),
  ];
  if (lines.length === 0) return null;
  return hash('sha256', lines.sort().join('\n'), 'hex').slice(0, 2 * DIGEST_BYTES);
}

/** Names of the facts that a record had and has no more. */
function findLostFacts({ facts, fields }: FeedDefinition, before: string | null, after: string): string[] {
  if (before === null) return [];
  const [was, is] = [parseRow(before), parseRow(after)];
  return facts.flatMap(({ field }) => {
    const place = fields.findIndex(({ name }) => name === field);
    return was[place] != null && is[place] === null ? [field] : [];
  });
}

function isDoubtful(
  { look, head, definition, guards }: Doubted,
  differences: readonly Difference[],
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
  const lost = countLostFacts(definition, differences);
  if ([...lost.values()].every((count) => count < guards.records)) return false;
  const kept = countFacts(definition, look);
  return [...lost].some(([fact, count]) => isMost(count, count + (kept.get(fact) ?? 0)));
}

function countLostFacts(definition: FeedDefinition, differences: readonly Difference[]): Map<string, number> {
  const lost = new Map<string, number>();
  for (const { changed, movedIn } of differences)
    for (const { row, text } of [...changed, ...movedIn])
      for (const fact of findLostFacts(definition, row.text, text)) lost.set(fact, (lost.get(fact) ?? 0) + 1);
  return lost;
}

/** How many records of a look have each fact. */
function countFacts({ facts, fields }: FeedDefinition, look: Look): Map<string, number> {
  const places = facts.map(({ field }) => [field, fields.findIndex(({ name }) => name === field)] as const);
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
