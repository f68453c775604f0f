import { bucketSize, planSteps } from '#shared/core/commit/steps.ts';
import { hasFacts } from '#shared/core/compare/to-changes.ts';
import { checkEvents } from '#shared/core/definitions/check-event.ts';
import { toEvents } from '#shared/core/events/events.ts';
import {
  countRecords,
  findBucket,
  type Head,
  hashId,
  nameSlice,
  type SliceKey,
} from '#shared/core/snapshot/head.ts';
import { type StoredRow, toNewRow } from '#shared/core/snapshot/row.ts';
import { removeBad } from './bad-records.ts';
import { commit } from './commit.ts';
import type { Compared } from './compared.ts';
import { toEventContext } from './event-context.ts';
import { findHead } from './find-head.ts';
import type { Resolved } from './look-up-absent.ts';
import { findSeenAt, noteReason, type PollRun, topicOfFeed } from './run.ts';

/** Two heads and two buckets each, in one transaction. */
const MOVES_AT_ONCE = 15;

/** A record that left one date for another: one `changed`, its sequence going on (rule 6). */
export interface Move {
  readonly row: StoredRow;
  readonly from: SliceKey;
  readonly to: SliceKey;
  readonly text: string;
  /** When it was seen there. */
  readonly at: number;
}

/** Records that moved here from other dates, and absent ones that were found on another date. */
export function listMoves({ look, elsewhere }: Compared, { believed, answers }: Resolved): Move[] {
  const here = believed.flatMap(({ unknown }) =>
    [...unknown].flatMap(([id, text]): Move[] => {
      const known = elsewhere.get(id);
      return known === undefined ? [] : [{ row: known.row, from: known.key, to: look, text, at: look.at }];
    }),
  );
  const away = believed.flatMap(({ absent }) =>
    absent.flatMap((row): Move[] => {
      const answer = answers.get(row.id);
      if (answer?.outcome !== 'found' || answer.slice === look.slice || answer.issues.length > 0) return [];
      return [
        { row, from: look, to: { feed: look.feed, slice: answer.slice }, text: answer.text, at: answer.at },
      ];
    }),
  );
  return [...here, ...away];
}

/** Commits moves, some at a time; each is out of one date and into the other in one transaction. */
export async function moveRecords(moves: readonly Move[], run: PollRun): Promise<void> {
  for (let start = 0; start < moves.length; start += MOVES_AT_ONCE)
    await moveSome(moves.slice(start, start + MOVES_AT_ONCE), run);
}

async function moveSome(moves: readonly Move[], run: PollRun): Promise<void> {
  const { memory } = run;
  const context = await toEventContext('timesheets', run);
  // Of a record that was never readable nothing is known: its row goes, and where it is it is new, or no news.
  const unreadable = moves.filter(({ row }) => row.text === null);
  const told = moves
    .filter(({ row }) => row.text !== null)
    .map(({ row, from, text, at }) =>
      toEvents(
        {
          id: row.id,
          before: row,
          text,
          observed: { after: findSeenAt(from, run), by: at },
        },
        context,
      ),
    );
  const { fitting, misfits } = checkEvents(told);
  for (const { change } of misfits)
    noteReason(run, 'events_unpublishable', { feed: 'timesheets', slice: change.id });
  if (fitting.length + unreadable.length === 0) return;
  const edits = new Map<string, Edit>();
  for (const { row, from, to, text } of unreadable) {
    editOf(from, edits, run).removed.push(row);
    if (row.bad?.isOld === true && !hasFacts(context.definition, text))
      editOf(to, edits, run).added.push(toNewRow(row.id, text, context.clock));
  }
  for (const { change, row } of fitting) {
    const move = moves.find((each) => each.row.id === change.id);
    if (move === undefined || row === null) continue;
    editOf(move.from, edits, run).removed.push(move.row);
    editOf(move.to, edits, run).added.push(row);
  }
  const texts = fitting.flatMap((each) => each.texts);
  const steps = await Promise.all([...edits.values()].map((edit) => toStep(edit, run)));
  await commit(
    {
      heads: steps.map(({ head }) => head),
      buckets: steps.flatMap(({ head: { feed, slice }, buckets }) =>
        buckets.map((bucket) => ({ feed, slice, ...bucket })),
      ),
      feed: 'timesheets',
      ...(texts.length === 0 ? {} : { log: { topic: topicOfFeed('timesheets'), texts } }),
    },
    run,
  );
  memory.counts.changes += fitting.length;
}

interface Edit {
  readonly head: Head;
  readonly removed: StoredRow[];
  readonly added: StoredRow[];
}

function editOf({ feed, slice }: SliceKey, edits: Map<string, Edit>, run: PollRun): Edit {
  const name = nameSlice({ feed, slice });
  const edit = edits.get(name) ?? {
    head: findHead({ feed, slice }, run),
    removed: [],
    added: [],
  };
  edits.set(name, edit);
  return edit;
}

async function toStep({ head, removed, added }: Edit, { ports, lease }: PollRun) {
  const { feed, slice, buckets } = head;
  const ids = new Set([...removed, ...added].map(({ id }) => id));
  const indexes = [...new Set([...ids].map((id) => findBucket(buckets, hashId(id))))].sort((a, b) => a - b);
  const keys = indexes.map((index) => ({ feed, slice, from: buckets[index]?.from ?? 0 }));
  const stored = await ports.store.readBuckets(lease.connection, keys);
  const patches = indexes.map((index, place) => ({
    index,
    rows: [
      ...(stored[place] ?? []).filter(({ id }) => !ids.has(id)),
      ...added.filter(({ id }) => findBucket(buckets, hashId(id)) === index),
    ],
    texts: [],
  }));
  const wereBad = removed.filter(({ bad }) => bad !== undefined).map(({ id }) => id);
  const next = { ...head, bad: removeBad(head.bad, wereBad) };
  const [step, ...more] = [...planSteps(next, patches, bucketSize(countRecords(head)))];
  if (step === undefined || more.length > 0) throw new Error('moves of more than one transaction');
  return step;
}
