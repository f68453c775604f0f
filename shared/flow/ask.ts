import type { Answer } from '../core/compare.ts';
import { SourceError } from '../core/errors.ts';
import { idOf } from '../core/pages.ts';
import type { KnownRow } from '../core/questions.ts';
import { checkRow, readRow } from '../core/records/feed-definition.ts';
import { isRecord } from '../core/records/fields.ts';
import type { Lookup } from '../ports.ts';
import { hasTimeLeft, type Run } from './run.ts';

/** Questions by id in one poll: what is left over is asked by the next one. */
const MOST_LOOK_UPS = 200;

/** Asks the source for absent records one by one: only a 404 proves that one is gone (rule 6). */
export async function askForAbsent(absent: readonly KnownRow[], run: Run): Promise<Map<string, Answer>> {
  const answers = new Map<string, Answer>();
  for (const { row } of absent) {
    if (run.tally.lookUps >= MOST_LOOK_UPS || !hasTimeLeft(run)) break;
    run.tally.lookUps += 1;
    const answer = await ask(row.id, run);
    if (answer === null) break;
    answers.set(row.id, answer);
  }
  return answers;
}

/** One answer; null when the source does not answer, so that there is no point in asking on. */
async function ask(id: string, run: Run): Promise<Answer | null> {
  try {
    return answerOf(await run.ports.source.lookUp(run.feed.feed, id), { id, run });
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    run.tally.reasons.add(error.message);
    run.tally.errorCode = error.code;
    if (error.refused) run.tally.refused = true;
    return null;
  }
}

function answerOf(lookup: Lookup, { id, run }: { readonly id: string; readonly run: Run }): Answer {
  const { requestedAt, receivedAt } = lookup;
  if (lookup.outcome === 'gone') return { outcome: 'gone', requestedAt, receivedAt };
  const { record } = lookup;
  if (!isRecord(record) || idOf(record) !== id) return { outcome: 'unknown' };
  const slice = run.definition.sliceOf(record);
  const row = readRow(run.definition, record);
  if (slice === null || checkRow(run.definition, row).outcome === 'bad') return { outcome: 'unknown' };
  if (slice < run.takesFrom) {
    // Its head was not read before it was asked for (rule 1), or may soon not be. The next poll reads that far back.
    const { extendTo } = run.tally;
    run.tally.extendTo = extendTo === null || slice < extendTo ? slice : extendTo;
    run.tally.reasons.add(`a record moved back to ${slice}; the next poll reads that far and tells of it`);
    return { outcome: 'unknown' };
  }
  return { outcome: 'found', record: { id, slice, row, requestedAt, receivedAt } };
}
