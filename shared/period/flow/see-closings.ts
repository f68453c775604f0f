import type { Difference } from '#shared/core/compare/compare.ts';
import type { StatementPlan } from '#shared/core/events/plan-statement.ts';
import type { Look } from '#shared/core/look/look.ts';
import type { CloseManifest } from '#shared/core/periods/close-manifest.ts';
import type { Head } from '#shared/core/snapshot/head.ts';
import type { RowMemory } from '#shared/core/snapshot/row.ts';
import type { PollRun } from '#shared/flow/poll/run.ts';

/** What a look at the list of pay periods says of closings. */
export interface SeenClosings {
  /** Periods whose change waits until their dates were looked at. */
  readonly held: ReadonlySet<string>;
  readonly head: Pick<Head, 'openDates' | 'pending'> | null;
  /** What the rows of periods remember whose closing is told now. */
  readonly memory: ReadonlyMap<string, RowMemory>;
  readonly manifests: ReadonlyMap<string, CloseManifest>;
  readonly statements: ReadonlyMap<string, StatementPlan>;
}

export const NO_CLOSINGS: SeenClosings = {
  held: new Set(),
  head: null,
  memory: new Map(),
  manifests: new Map(),
  statements: new Map(),
};

export async function seeClosings(
  _seen: { readonly look: Look; readonly head: Head; readonly believed: readonly Difference[] },
  _run: PollRun,
): Promise<SeenClosings> {
  return NO_CLOSINGS;
}
