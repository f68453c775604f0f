import type { Answer } from '#shared/core/compare/compare.ts';
import { type Absent, dueQuestions } from '#shared/core/compare/unlisted.ts';
import { SourceError } from '#shared/core/errors.ts';
import { idOf } from '#shared/core/fetch/pages.ts';
import { windowRange } from '#shared/core/plan/window.ts';
import { checkRow, readRow, WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import { isRecord } from '#shared/core/records/fields.ts';
import { standingSlice } from '#shared/core/snapshot/distant-slice.ts';
import type { Lookup } from '#shared/ports.ts';
import { hasTimeLeft, type Run } from '../run.ts';

/** Questions by id in one poll: what is left over is asked by the next one. */
const MAX_QUESTIONS = 200;
/** Failures in a row after which the source is not asked by id any more in this poll. */
const MAX_FAILURES_IN_A_ROW = 3;

/**
 * Asks the source for absent records one by one: only a 404 proves that one is gone (rule 6). Those that the list
 * leaves out although they are there are asked for ever more rarely. A record that the source forbids or fails on is
 * unknown for itself alone; a refused credential, throttling and a source that does not answer end the asking.
 */
export async function confirmRemovals(absent: readonly Absent[], run: Run): Promise<Map<string, Answer>> {
  const answers = new Map<string, Answer>();
  const { tally, ports } = run;
  let failures = 0;
  for (const { row } of dueQuestions(absent, ports.clock.now())) {
    if (failures >= MAX_FAILURES_IN_A_ROW || !mayAsk(run)) break;
    tally.lookUps += 1;
    const answer = await ask(row.id, run);
    if (!(answer instanceof SourceError)) {
      failures = 0;
      answers.set(row.id, answer);
      continue;
    }
    noteFailure(answer, row, run);
    if (endsAsking(answer)) break;
    failures = answer.code === 'source_failed' ? failures + 1 : 0;
    answers.set(row.id, { outcome: 'unknown', askedAt: ports.clock.now() });
  }
  return answers;
}

function mayAsk(run: Run): boolean {
  return run.tally.lookUps < MAX_QUESTIONS && !run.tally.refused && hasTimeLeft(run);
}

async function ask(id: string, run: Run): Promise<Answer | SourceError> {
  try {
    return answerOf(await run.ports.source.lookUp(run.feed.feed, id), { id, run });
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return error;
  }
}

function endsAsking({ code }: SourceError): boolean {
  return code === 'source_unauthorised' || code === 'source_unreachable' || code === 'source_throttled';
}

/** What fails for one record alone is said when it is asked for the first time. */
function noteFailure(error: SourceError, { unlisted }: Absent['row'], { tally }: Run): void {
  if (endsAsking(error)) {
    tally.reasons.add(error.message);
    tally.errorCode = error.code;
    if (error.code === 'source_unauthorised') tally.refused = true;
    if (error.code === 'source_throttled') tally.mustStop = true;
  } else if (unlisted === undefined) {
    tally.reasons.add(`some absent records could not be asked for by id (${error.code})`);
  }
}

function answerOf(lookup: Lookup, { id, run }: { readonly id: string; readonly run: Run }): Answer {
  const { requestedAt, receivedAt } = lookup;
  if (lookup.outcome === 'gone') return { outcome: 'gone', requestedAt, receivedAt };
  const { record } = lookup;
  const unknown: Answer = { outcome: 'unknown', askedAt: requestedAt };
  if (!isRecord(record) || idOf(record) !== id) return unknown;
  const date = run.definition.sliceOf(record);
  const row = readRow(run.definition, record);
  if (date === null || checkRow(run.definition, row).outcome === 'bad') return unknown;
  return { outcome: 'found', record: { id, slice: sliceOf(date, run), row, requestedAt, receivedAt } };
}

function sliceOf(date: string, { startedAt, connection, heads }: Run): string {
  if (date === WHOLE_LIST) return date;
  const window = windowRange(startedAt, connection.timeZone, connection.window);
  return standingSlice(date, { window, heads });
}
