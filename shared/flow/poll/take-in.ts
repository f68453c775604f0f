import { bucketSize, divideBucket, isOverfull } from '#shared/core/commit/steps.ts';
import { compare, findDiffering } from '#shared/core/compare/compare.ts';
import { judge } from '#shared/core/compare/doubt.ts';
import type { Look } from '#shared/core/look/look.ts';
import { isHotDate } from '#shared/core/plan/cadence.ts';
import { findDueInstants } from '#shared/core/records/absences.ts';
import { feedDefinition, parseRow, toState } from '#shared/core/records/feed-definition.ts';
import { findBucket, hashId, nameSlice } from '#shared/core/snapshot/head.ts';
import { commitStep } from './commit.ts';
import { commitChanges, listsUnknown } from './commit-changes.ts';
import type { Compared } from './compared.ts';
import { addMovedIn, findElsewhere, listUnknown } from './find-elsewhere.ts';
import { findHead } from './find-head.ts';
import { type Answers, lookUpAbsent } from './look-up-absent.ts';
import { listMoves, moveRecords } from './move-records.ts';
import type { PollRun } from './run.ts';

/** Divisions and moves change the head that a look is compared with; so often it is compared anew at most. */
const MAX_ROUNDS = 6;

/**
 * Takes a look in: compares it with what is stored, and commits and publishes what changed. False when something of it is
 * still to be found out: then the slice counts as not looked at.
 */
export async function takeIn(look: Look, run: PollRun): Promise<boolean> {
  const answers: Answers = new Map();
  for (let round = 1; ; round += 1) {
    const isLast = round === MAX_ROUNDS;
    const differing = await compareWithStored(look, run);
    if (!isLast && (await divideOverfull(differing, run))) continue;
    const compared = await judgeLook(differing, run);
    const resolved = await lookUpAbsent(compared, answers, run);
    const moves = listMoves(compared, resolved);
    if (!isLast && moves.length > 0) {
      await moveRecords(moves, run);
      continue;
    }
    await commitChanges(compared, resolved, run);
    return look.problem === null && resolved.isWhole;
  }
}

type Differing = Pick<Compared, 'look' | 'head' | 'definition' | 'differences'>;

async function compareWithStored(look: Look, run: PollRun): Promise<Differing> {
  const { ports, lease } = run;
  const { feed, slice } = look;
  const definition = feedDefinition(feed);
  const head = findHead(look, run);
  const due = findNewlyDue(look, run).map((id) => findBucket(head.buckets, hashId(id)));
  const indexes = [...new Set([...findDiffering(look, head), ...due])].sort((a, b) => a - b);
  const filled = indexes.filter((index) => (head.buckets[index]?.count ?? 0) > 0);
  const keys = filled.map((index) => ({ feed, slice, from: head.buckets[index]?.from ?? 0 }));
  const read = keys.length === 0 ? [] : await ports.store.readBuckets(lease.connection, keys);
  const rows = new Map(filled.map((index, place) => [index, read[place] ?? []]));
  const buckets = indexes.map((index) => ({ index, rows: rows.get(index) ?? [] }));
  return { look, head, definition, differences: compare({ look, head, definition }, buckets) };
}

/** Ids of timesheets of a hot date whose clocking became due since the last look: their rows say what was told. */
function findNewlyDue(look: Look, { absences, today, memory }: PollRun): string[] {
  const before = memory.state.lookedAt[nameSlice(look)];
  const isHot = look.feed === 'timesheets' && isHotDate(look.slice, today);
  if (absences === null || before === undefined || !isHot) return [];
  const definition = feedDefinition(look.feed);
  const isNewlyDue = (text: string) => {
    const { clockIn, clockOut } = findDueInstants(toState(definition, parseRow(text)), absences);
    return [clockIn, clockOut].some((at) => at !== undefined && before < at && at <= look.startedAt);
  };
  return [...look.texts].filter(([, text]) => isNewlyDue(text)).map(([id]) => id);
}

/** Divides buckets that would take more rows than one transaction divides; true when there were any. */
async function divideOverfull({ look, head, differences }: Differing, run: PollRun): Promise<boolean> {
  if (!listsUnknown(look, head, run)) return false;
  const mostRows = bucketSize(look.texts.size);
  const full = differences.filter(({ stored, unknown }) =>
    isOverfull(stored.length + unknown.size, mostRows),
  );
  let divided = head;
  // The last first: the indexes of those before it stay.
  for (const { index, stored } of full.toReversed()) {
    const step = divideBucket(divided, index, stored);
    await commitStep(step, look, run);
    divided = step.head;
  }
  return full.length > 0;
}

/** Looks for unknown records on other dates, and decides what of the look is believed. */
async function judgeLook(differing: Differing, run: PollRun): Promise<Compared> {
  const { look, head, differences } = differing;
  const isSearched = look.feed === 'timesheets' && listsUnknown(look, head, run);
  const unknown = isSearched ? listUnknown(differences) : [];
  const elsewhere = await findElsewhere(unknown, look, run);
  const all = addMovedIn(differences, elsewhere);
  const lookedAt = run.memory.state.lookedAt[nameSlice(look)] ?? null;
  const verdict = judge({ ...differing, guards: run.guards, lookedAt }, all);
  return { ...differing, head, differences: all, elsewhere, verdict };
}
