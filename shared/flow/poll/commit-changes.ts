import { bucketSize, type Patch, planSteps } from '#shared/core/commit/steps.ts';
import type { Difference } from '#shared/core/compare/compare.ts';
import { settleDoubt } from '#shared/core/compare/doubt.ts';
import {
  type ChangeRules,
  findFirstReason,
  toChanges,
  type UnknownMode,
} from '#shared/core/compare/to-changes.ts';
import { checkEvents } from '#shared/core/definitions/check-event.ts';
import { type Misfit, toEvents } from '#shared/core/events/events.ts';
import type { Look } from '#shared/core/look/look.ts';
import { type BadRecords, type Head, nameSlice } from '#shared/core/snapshot/head.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import { NO_CLOSINGS, type SeenClosings, seeClosings } from '#shared/period/flow/see-closings.ts';
import { addBad, removeBad } from './bad-records.ts';
import { commit, commitStep } from './commit.ts';
import type { Compared } from './compared.ts';
import { toEventContext } from './event-context.ts';
import type { Resolved } from './look-up-absent.ts';
import { findSeenAt, noteReason, type PollRun, tick } from './run.ts';

/** What is done with records that a slice does not know. */
function chooseMode(look: Look, head: Head, { memory, connection }: PollRun): UnknownMode {
  const baselinedAt = memory.state.baselined[look.feed];
  if (head.baselinedAt !== null) return baselinedAt === undefined ? 'baseline_open' : 'created';
  if (look.problem !== null) return 'baseline_open';
  if (baselinedAt === undefined || look.feed !== 'timesheets') return 'baseline';
  return findFirstReason(look.slice, baselinedAt, connection);
}

/** Whether records that the slice does not know are stored by this look. */
export function listsUnknown(look: Look, head: Head, run: PollRun): boolean {
  return chooseMode(look, head, run) !== 'baseline_open';
}

/** What a patch does to the note of bad records. */
interface BadChanges {
  readonly newlyBad: readonly { readonly id: string; readonly cause: string }[];
  readonly noLongerBad: readonly string[];
}

interface NotedPatch extends Patch, BadChanges {
  readonly changes: number;
}

/** Commits what changed of a slice, in steps; each publishes its events before the next one is committed. */
export async function commitChanges(compared: Compared, resolved: Resolved, run: PollRun): Promise<void> {
  const { look, head, verdict } = compared;
  const { believed } = resolved;
  const closings =
    look.feed === 'pay-periods' ? await seeClosings({ look, head, believed }, run) : NO_CLOSINGS;
  const patches = believed.length === 0 ? [] : await buildPatches(compared, resolved, closings, run);
  noteWaiting(compared, resolved, closings, run);
  let { bad } = head;
  let { doubt } = verdict;
  const marks = new Map<number, BadChanges>();
  // Events are made when their step is planned: all those of a large slice would fill the memory.
  const steps = planSteps(head, countPatches(patches, head, { marks, run }), bucketSize(look.texts.size));
  let next = steps.next();
  const isUnchanged = next.done === true;
  while (next.done !== true) {
    const step = next.value;
    next = steps.next();
    for (const from of step.patched) bad = noteBad(bad, marks.get(from), look);
    if (look.problem === null) doubt = settleDoubt(doubt, step.patched);
    const changedAt = step.texts.length > 0 ? look.startedAt : head.changedAt;
    const noted = { ...step.head, bad, doubt, changedAt };
    const isLast = next.done === true;
    await commitStep(
      { ...step, head: isLast ? finish(noted, compared, resolved, closings) : noted },
      look,
      run,
    );
  }
  if (!isUnchanged) return;
  const settled = finish({ ...head, doubt }, compared, resolved, closings);
  const isMended = run.memory.mended.has(nameSlice(look));
  if (isMended || JSON.stringify(settled) !== JSON.stringify(head)) await commit({ heads: [settled] }, run);
}

/** Counts patches as they are made, and keeps what they do to the note of bad records, by the bounds of their buckets. */
function* countPatches(
  patches: Iterable<NotedPatch>,
  head: Head,
  { marks, run }: { readonly marks: Map<number, BadChanges>; readonly run: PollRun },
): Generator<Patch, void> {
  const { counts } = run.memory;
  for (const patch of patches) {
    counts.changes += patch.changes;
    counts.quarantined += patch.newlyBad.length;
    const { newlyBad, noLongerBad } = patch;
    marks.set(head.buckets[patch.index]?.from ?? 0, { newlyBad, noLongerBad });
    yield patch;
  }
}

/** What of a look waits, and what of it is set aside. */
function noteWaiting(
  { look, head, verdict }: Compared,
  { believed, unlisted }: Resolved,
  { held }: SeenClosings,
  run: PollRun,
): void {
  const isOpen = head.baselinedAt !== null && chooseMode(look, head, run) === 'baseline_open';
  if (isOpen && believed.some(({ unknown }) => unknown.size > 0)) noteReason(run, 'baseline_open', look);
  if (verdict.held.size > 0) noteReason(run, 'doubtful', look);
  if (held.size > 0) noteReason(run, 'closing_pending', look);
  if (unlisted !== null) noteReason(run, 'unlisted', look);
  if (head.bad !== null) noteReason(run, 'records_unreadable', look);
}

/** The head once all of a look is committed. */
function finish(
  head: Head,
  { look, head: before, verdict }: Compared,
  { believed, unlisted }: Resolved,
  closings: SeenClosings,
): Head {
  const committed = new Set(believed.map(({ index }) => before.buckets[index]?.from ?? 0));
  return {
    ...head,
    unlisted,
    // Half a look neither confirms nor denies what is in doubt.
    doubt: look.problem === null ? settleDoubt(head.doubt, committed) : head.doubt,
    // A first look that waits for a second one is none yet: who is on it is no news when it is confirmed.
    baselinedAt:
      head.baselinedAt ?? (look.problem === null && verdict.held.size === 0 ? look.startedAt : null),
    ...closings.head,
  };
}

async function buildPatches(
  { look, head }: Compared,
  { believed, answers }: Resolved,
  { held, memory, moments }: SeenClosings,
  run: PollRun,
): Promise<Iterable<NotedPatch>> {
  const context = { ...(await toEventContext(look.feed, run)), moments };
  const rules: ChangeRules = {
    definition: context.definition,
    mode: chooseMode(look, head, run),
    ...findObserved(look, head, run),
    waiting: new Map((head.pending ?? []).map(({ id, after }) => [id, after])),
    clock: tick(run),
    absences:
      run.absences === null || look.feed !== 'timesheets'
        ? null
        : { rules: run.absences, at: look.startedAt },
    memory,
  };
  return makeEach(believed, (difference) => {
    const { changes, rows } = toChanges(difference, answers, rules, held);
    const { fitting, misfits } = checkEvents(changes.map((change) => toEvents(change, context)));
    const stored = [...rows, ...misfits.flatMap(toMisfitRow), ...fitting.flatMap(({ row }) => row ?? [])];
    const removed = fitting.filter(({ row }) => row === null).map(({ change }) => change.id);
    if (stored.length + removed.length === 0) return null;
    const texts = fitting.flatMap((each) => each.texts);
    return toPatch(difference, { stored, removed, texts, changes: fitting.length });
  });
}

function* makeEach(
  differences: readonly Difference[],
  make: (difference: Difference) => NotedPatch | null,
): Generator<NotedPatch, void> {
  for (const difference of differences) {
    const made = make(difference);
    if (made !== null) yield made;
  }
}

/** When the slice was seen before: what waited since then for a second look, or for the baseline, was seen then as it was. */
function findObserved(look: Look, head: Head, run: PollRun): Pick<ChangeRules, 'observed' | 'unknownAfter'> {
  const after = findSeenAt(look, run);
  const baselinedAt = run.memory.state.baselined[look.feed] ?? 0;
  const isOpen = after === null || after < baselinedAt;
  return { observed: { after, by: look.at }, unknownAfter: isOpen ? head.baselinedAt : after };
}

/** A record whose event nobody could read keeps its last state, and is bad. */
function toMisfitRow({ change, issues, row }: Misfit): StoredRow[] {
  const text = change.text ?? '';
  if (change.before !== null) return [{ ...change.before, bad: { text, issues } }];
  return row === null ? [] : [{ ...row, sequence: 0, sent: {}, text: null, bad: { text, issues } }];
}

interface PatchParts {
  readonly stored: readonly StoredRow[];
  readonly removed: readonly string[];
  readonly texts: readonly string[];
  readonly changes: number;
}

function toPatch(
  { index, stored: before }: Difference,
  { stored, removed, texts, changes }: PatchParts,
): NotedPatch {
  const replaced = new Set([...stored.map(({ id }) => id), ...removed]);
  const kept = before.filter(({ id }) => !replaced.has(id));
  const wasBad = new Set(before.filter(({ bad }) => bad !== undefined).map(({ id }) => id));
  const isBad = stored.filter(({ bad }) => bad !== undefined);
  const stillBad = new Set(isBad.map(({ id }) => id));
  return {
    index,
    rows: [...kept, ...stored],
    texts,
    changes,
    newlyBad: isBad
      .filter(({ id }) => !wasBad.has(id))
      .map(({ id, bad }) => ({ id, cause: bad?.issues[0] ?? 'unreadable' })),
    noLongerBad: [...wasBad].filter((id) => replaced.has(id) && !stillBad.has(id)),
  };
}

function noteBad(
  bad: BadRecords | null,
  patch: BadChanges | undefined,
  { startedAt }: Look,
): BadRecords | null {
  if (patch === undefined) return bad;
  return addBad(removeBad(bad, patch.noLongerBad), patch.newlyBad, startedAt);
}
