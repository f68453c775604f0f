import { planCommit } from '../core/commit-plan.ts';
import { type Answer, type Comparison, compare } from '../core/compare.ts';
import { doubtAbsences } from '../core/doubt.ts';
import { type ToldChange, tell } from '../core/events.ts';
import { differingLeaves, hideoutsOf, type Snapshot } from '../core/look.ts';
import { openQuestions } from '../core/questions.ts';
import { isComplete, type Scan } from '../core/scan.ts';
import { type Leaf, type LeafRef, leafRefOf, type SliceHead } from '../core/snapshot.ts';
import { adoptNewSlices, regrowCrowdedSlices, withLeaves } from './adopt.ts';
import { askForAbsent } from './ask.ts';
import { commitSteps } from './commit.ts';
import { countClosed } from './count-closed.ts';
import { readLeaves } from './leaves.ts';
import { noteComparison, noteScan } from './note.ts';
import { withoutStaleSlices } from './poll/stale-slices.ts';
import { dateCommit, type Run } from './run.ts';

/**
 * One scan, from what was seen to what is committed: which leaves differ, who is new or missing, what changed,
 * what there is to tell of it, and how it becomes transactions. `null` for what another poll got to first.
 */
export async function compareScan(
  fetched: Scan,
  asOf: ReadonlyMap<string, SliceHead>,
  run: Run,
): Promise<void> {
  const scan = withoutStaleSlices(fetched, asOf, run);
  noteScan(scan, run);
  const before = await readDiffering(scan, run);
  if (before === null) return;
  const adopted = await adoptNewSlices(scan, before.leaves, run);
  const snapshot = await readStrangers(scan, withAdopted(scan, { before, adopted }, run), run);
  if (snapshot === null) return;
  const questions = openQuestions(scan, snapshot);
  const doubt = doubtAbsences(questions.absent, run.heads, {
    vanishing: run.connection.vanishing,
    shrunk: run.state.shrunk,
    now: run.ports.clock.now(),
  });
  const answers = await askForAbsent(doubt.askable, run);
  const complete = await readAnswered(answers, snapshot, run);
  if (complete === null) return;
  const { coverage } = run.state;
  const { timeZone } = run.connection;
  const comparison = compare({ scan, snapshot: complete, questions, answers, coverage, timeZone });
  const manifests = await countClosed(comparison.changes, run);
  const told = comparison.changes.map((change) => tell(change, { ...run.eventContext, manifests }));
  const committed = await commit(scan, { snapshot: complete, comparison, told }, run);
  noteComparison({ scan, questions, doubt, answers, comparison, told, committed }, run);
  if (committed) await regrowCrowdedSlices(scan.slices, run);
}

async function readDiffering(scan: Scan, run: Run): Promise<Snapshot | null> {
  return await readInto({ heads: run.heads, leaves: new Map() }, differingLeaves(scan, run.heads), run);
}

/** The leaves that were just written need not be read; those of them that differ are compared. */
function withAdopted(
  scan: Scan,
  { before, adopted }: { readonly before: Snapshot; readonly adopted: readonly Leaf[] },
  run: Run,
): Snapshot {
  const differing = new Set(differingLeaves(scan, run.heads).map(({ slice, index }) => `${slice}/${index}`));
  const own = adopted.filter(({ slice, index }) => differing.has(`${slice}/${index}`));
  const current = [...before.leaves.values()].filter(
    ({ slice, generation }) => run.heads.get(slice)?.generation === generation,
  );
  return { heads: run.heads, leaves: withLeaves(new Map(), [...current, ...own]) };
}

async function readStrangers(scan: Scan, snapshot: Snapshot, run: Run): Promise<Snapshot | null> {
  const whole = await readInto(snapshot, differingLeaves(scan, run.heads), run);
  if (whole === null) return null;
  const strangers = openQuestions(scan, whole).strangers.map(({ id }) => id);
  return await readInto(whole, hideoutsOf(strangers, scan, whole), run);
}

/** A record that was found on another date goes into a leaf there. */
async function readAnswered(
  answers: ReadonlyMap<string, Answer>,
  snapshot: Snapshot,
  run: Run,
): Promise<Snapshot | null> {
  const refs: LeafRef[] = [];
  for (const [id, answer] of answers) {
    const head = answer.outcome === 'found' ? run.heads.get(answer.record.slice) : undefined;
    if (head !== undefined) refs.push(leafRefOf(head, id));
  }
  return await readInto(snapshot, refs, run);
}

/** Reads the leaves that are not there yet; null when one does not match its head (rule 1). */
async function readInto(snapshot: Snapshot, refs: readonly LeafRef[], run: Run): Promise<Snapshot | null> {
  const missing = refs.filter((ref) => !snapshot.leaves.has(`${ref.slice}/${ref.generation}/${ref.index}`));
  const leaves = await readLeaves(missing, run);
  return leaves === null ? null : { heads: snapshot.heads, leaves: withLeaves(snapshot.leaves, leaves) };
}

interface Found {
  readonly snapshot: Snapshot;
  readonly comparison: Comparison;
  readonly told: readonly ToldChange[];
}

async function commit(scan: Scan, { snapshot, comparison, told }: Found, run: Run): Promise<boolean> {
  const plan = planCommit({
    feed: run.feed,
    definition: run.definition,
    snapshot,
    told,
    observed: observedWhole(scan, comparison),
    runId: run.id,
    now: dateCommit(run),
    retentionMs: run.retentionMs,
  });
  return await commitSteps(plan.steps, run);
}

function observedWhole(scan: Scan, { unseen }: Comparison): Map<string, number> {
  const { startedAt } = scan;
  if (!isComplete(scan) || startedAt === null) return new Map();
  return new Map([...scan.slices].filter((slice) => !unseen.has(slice)).map((slice) => [slice, startedAt]));
}
