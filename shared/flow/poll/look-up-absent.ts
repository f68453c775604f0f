import { type Absence, addFound, type Difference } from '#shared/core/compare/compare.ts';
import { SourceError } from '#shared/core/errors.ts';
import { checkRow, parseRow, readRecordText } from '#shared/core/records/feed-definition.ts';
import { isRecord } from '#shared/core/records/fields.ts';
import { openDoor } from '#shared/core/records/values.ts';
import type { Head } from '#shared/core/snapshot/head.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import type { Compared } from './compared.ts';
import { keepLease } from './lease.ts';
import { hasTimeLeft, noteReason, type PollRun } from './run.ts';

export type Answers = Map<string, Absence>;

/** The believed differences of a look, and what became of their absent records. */
export interface Resolved {
  readonly believed: readonly Difference[];
  readonly answers: ReadonlyMap<string, Absence>;
  readonly unlisted: Head['unlisted'];
  /** Every absent record that was to be asked for was. */
  readonly isWhole: boolean;
}

/** Requests by id that are under way at once. */
const AT_ONCE = 6;
/** A record that its list leaves out although it answers by id is asked for so often. */
const ASK_AGAIN_MS = 30 * 60_000;

/**
 * Asks by id for the records that a complete look does not show: only a 404 is a removal (rule 6). A bucket whose records
 * could not all be asked for in time waits whole, so that a doubt that two looks confirmed stays confirmed.
 */
export async function lookUpAbsent(compared: Compared, answers: Answers, run: PollRun): Promise<Resolved> {
  const { head, differences, verdict } = compared;
  const known = findRecentlyAsked(head, run);
  const believed: Difference[] = [];
  let isWhole = true;
  for (const difference of differences) {
    if (verdict.held.has(difference.index)) continue;
    const asked = difference.absent.filter(({ id }) => !known.has(id));
    const isAsked = await askAll(asked, compared, answers, run);
    const isSettled = asked.every(({ id }) => answers.get(id)?.outcome !== 'unknown');
    // What two looks would take away stays in doubt until that is proved.
    if (isAsked && (isSettled || !isDoubted(head, difference)))
      believed.push(addFound(difference, answers, compared));
    else isWhole = false;
  }
  const isAnswered = [...answers.values()].every(({ outcome }) => outcome !== 'unknown');
  return {
    believed,
    answers,
    unlisted: noteUnlisted(compared, answers, run),
    isWhole: isWhole && isAnswered,
  };
}

function isDoubted({ doubt, buckets }: Head, { index }: Difference): boolean {
  return doubt?.losses.some(({ from }) => from === buckets[index]?.from) === true;
}

/** A pay period whose closing waits is asked for each time: another look is to show it. */
function findRecentlyAsked({ unlisted, pending = [] }: Head, { ports }: PollRun): ReadonlySet<string> {
  const isRecent = unlisted !== null && ports.clock.now() - unlisted.askedAt < ASK_AGAIN_MS;
  const waiting = new Set(pending.map(({ id }) => id));
  return new Set(isRecent ? unlisted.ids.filter((id) => !waiting.has(id)) : []);
}

/** False when there was no time for all of them. */
async function askAll(
  rows: readonly StoredRow[],
  compared: Compared,
  answers: Answers,
  run: PollRun,
): Promise<boolean> {
  const open = rows.filter(({ id }) => !answers.has(id));
  for (let start = 0; start < open.length; start += AT_ONCE) {
    if (!hasTimeLeft(run)) {
      noteReason(run, 'no_time', compared.look);
      return false;
    }
    await keepLease(run);
    const group = open.slice(start, start + AT_ONCE);
    const found = await Promise.all(group.map(({ id }) => ask(id, compared, run)));
    for (const [place, absence] of found.entries()) answers.set(group[place]?.id ?? '', absence);
  }
  return true;
}

async function ask(id: string, { look, definition }: Compared, run: PollRun): Promise<Absence> {
  const { ports, connection } = run;
  try {
    const answer = await ports.source.lookUp(look.feed, id);
    if (answer.outcome === 'gone') return { outcome: 'gone', at: answer.requestedAt };
    const record = isRecord(answer.record) ? answer.record : {};
    const text = readRecordText(definition, record, openDoor(connection.timeZone, answer.requestedAt));
    const checked = checkRow(definition, parseRow(text));
    const issues = checked.outcome === 'good' ? [] : checked.issues;
    return {
      outcome: 'found',
      at: answer.requestedAt,
      slice: definition.sliceOf(record) ?? look.slice,
      text,
      issues,
    };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    noteReason(run, error.code, look);
    return { outcome: 'unknown' };
  }
}

/** Records of this slice that answer by id although the list leaves them out. */
function noteUnlisted(
  { head, look, differences }: Compared,
  answers: Answers,
  { ports }: PollRun,
): Head['unlisted'] {
  const absent = differences.flatMap((difference) => difference.absent.map(({ id }) => id));
  const isHere = (id: string) => {
    const answer = answers.get(id);
    if (answer === undefined) return head.unlisted?.ids.includes(id) === true;
    return answer.outcome === 'found' && answer.slice === look.slice;
  };
  const ids = look.problem === null ? absent.filter(isHere) : (head.unlisted?.ids ?? []);
  if (ids.length === 0) return null;
  const isAsked = ids.some((id) => answers.has(id));
  return { ids, askedAt: isAsked ? ports.clock.now() : (head.unlisted?.askedAt ?? 0) };
}
