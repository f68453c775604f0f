import { planCommit } from '#shared/core/commit/commit-plan.ts';
import type { KnownRow } from '#shared/core/compare/classify-records.ts';
import { relocated } from '#shared/core/compare/rewriting.ts';
import { tell } from '#shared/core/events/events.ts';
import { isComplete, type Scan } from '#shared/core/fetch/scan.ts';
import { stateOf } from '#shared/core/records/feed-definition.ts';
import { AFAR } from '#shared/core/snapshot/distant-slice.ts';
import { type Leaf, leafKey, leafRefOf } from '#shared/core/snapshot/snapshot.ts';
import { commitSteps } from '../publish/commit-steps.ts';
import { dateCommit, type Run } from '../run.ts';
import { allLeavesOf, batchesOf, readLeaves } from './read-leaves.ts';

/** Every date of the window is looked at daily: one that was not for this long has just come into it. */
const AWAY_MS = 48 * 60 * 60_000;

/**
 * Records that stand afar go to their own dates when those come into the window, so that whoever is not there any
 * more is missed. False when another poll got in between.
 */
export async function bringHome(scan: Scan, run: Run): Promise<boolean> {
  const afar = run.heads.get(AFAR);
  if (afar === undefined || afar.recordCount === 0 || !isComplete(scan)) return true;
  const dates = new Set([...scan.slices].filter((slice) => hasJustCome(slice, run)));
  if (dates.size === 0) return true;
  for (const refs of batchesOf(allLeavesOf(afar))) {
    const leaves = await readLeaves(refs, run);
    if (leaves === null) return false;
    const home = leaves
      .flatMap(({ rows }) => rows)
      .flatMap((row) => {
        const date = String(stateOf(run.definition, row.state).date);
        return dates.has(date) ? [{ date, known: { slice: AFAR, row } }] : [];
      });
    if (home.length > 0 && !(await moveHome(home, leaves, run))) return false;
  }
  return true;
}

function hasJustCome(slice: string, { heads, startedAt }: Run): boolean {
  const head = heads.get(slice);
  return head?.baselinedAt == null || startedAt - (head.observedAt ?? 0) > AWAY_MS;
}

interface Homeward {
  readonly date: string;
  readonly known: KnownRow;
}

async function moveHome(home: readonly Homeward[], leaves: readonly Leaf[], run: Run): Promise<boolean> {
  const refs = home.flatMap(({ date, known }) => {
    const head = run.heads.get(date);
    return head === undefined ? [] : [leafRefOf(head, known.row.id)];
  });
  const targets = await readLeaves([...new Map(refs.map((ref) => [leafKey(ref), ref])).values()], run);
  if (targets === null) return false;
  const plan = planCommit({
    feed: run.feed,
    definition: run.definition,
    snapshot: {
      heads: run.heads,
      leaves: new Map([...leaves, ...targets].map((leaf) => [leafKey(leaf), leaf])),
    },
    told: home.map(({ date, known }) => tell(relocated(known, date), run.eventContext)),
    observed: new Map(),
    runId: run.id,
    now: dateCommit(run),
    retentionMs: run.retentionMs,
  });
  return await commitSteps(plan.steps, run);
}
