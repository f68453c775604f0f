import type { Difference } from '#shared/core/compare/compare.ts';
import type { StatementCause, StatementPlan } from '#shared/core/events/plan-statement.ts';
import type { Look } from '#shared/core/look/look.ts';
import type { CloseManifest } from '#shared/core/periods/close-manifest.ts';
import { parseRow, readStoredClosing, readStoredPeriod } from '#shared/core/records/feed-definition.ts';
import {
  isOfUsualLength,
  type PayPeriodState,
  type PayPeriodTotals,
  subtractTotals,
} from '#shared/core/records/pay-period.ts';
import type { Head, PendingClosing } from '#shared/core/snapshot/head.ts';
import type { RowMemory, StoredRow } from '#shared/core/snapshot/row.ts';
import { readKnownPeriod } from '#shared/core/snapshot/stored-state.ts';
import { findSeenAt, listFeeds, type PollRun } from '#shared/flow/poll/run.ts';
import { listOpenDates } from '../open-dates.ts';
import { judgeClosing } from '../standing.ts';
import { planCounted, wantsStatements } from './plan-counted.ts';
import { countPeriod, toAccountSource, viewPeriod } from './read-account.ts';

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

/** What of a look at the list is believed. `head`: as it was before. */
export interface SeenList {
  readonly look: Look;
  readonly head: Head;
  readonly believed: readonly Difference[];
  /** What became of the periods that the list leaves out. */
  readonly answers: ReadonlyMap<string, AnswerById>;
}

type AnswerById =
  | { readonly outcome: 'gone' | 'twin' | 'unknown' }
  /** `issues`: why it cannot be read, if so. */
  | { readonly outcome: 'found'; readonly text: string; readonly issues: readonly string[] };

/**
 * Which closings are told by a look, with what their periods come to. One waits some minutes for looks at its dates that
 * began after it was seen: else what was approved just before it would count as left over.
 */
export async function seeClosings(seen: SeenList, run: PollRun): Promise<SeenClosings> {
  const { look, head } = seen;
  const periods = [...look.texts].flatMap(([id, text]) => readKnownPeriod({ id, text }) ?? []);
  if (look.problem === null) run.memory.periods.see(periods);
  const told = { memory: new Map<string, RowMemory>(), manifests: new Map(), statements: new Map() };
  const pending: PendingClosing[] = [];
  for (const each of listClosedOrReopened(seen, run)) {
    if (each.pending !== null && waits(each, head, run)) pending.push(each.pending);
    else await tell(each, { seen, told }, run);
  }
  const held = new Set(pending.map(({ id }) => id));
  const listed = new Map(periods.map((period) => [period.id, period]));
  const openDates = look.problem === null ? listOpenDates(periods, run.today) : (head.openDates ?? []);
  const stillPending = (head.pending ?? []).filter(
    ({ id }) => !held.has(id) && !told.memory.has(id) && listed.get(id)?.closed !== false,
  );
  // What this look does not show, or shows in doubt, waits as it did: not for ever.
  const kept = stillPending.filter(({ by }) => look.startedAt - by < MAX_UNSEEN_MS);
  return { held, head: { openDates, pending: [...pending, ...kept] }, ...told };
}

/** So long a closing is remembered that no later look shows. */
const MAX_UNSEEN_MS = 10 * 60_000;

/** A pay period that a look shows as closed or reopened. */
interface ClosedOrReopened {
  readonly id: string;
  readonly row: StoredRow | null;
  readonly period: PayPeriodState;
  /** The closing; null for a reopening, and for a period that was closed when it was first seen. */
  readonly pending: PendingClosing | null;
}

function listClosedOrReopened({ look, head, believed, answers }: SeenList, run: PollRun): ClosedOrReopened[] {
  // What is there at first is stored and not told.
  if (head.baselinedAt === null) return [];
  const changes = believed.flatMap((difference) => [
    ...difference.changed,
    ...[...difference.unknown].map(([id, text]) => ({ id, row: null, text })),
    ...difference.absent.flatMap((row) => {
      const answer = answers.get(row.id);
      return answer?.outcome === 'found' && answer.issues.length === 0 ? [{ row, text: answer.text }] : [];
    }),
  ]);
  return changes.flatMap(({ row, text, ...others }) => {
    const id = 'id' in others ? others.id : (row?.id ?? '');
    const period = readStoredPeriod(parseRow(text));
    const before = row?.text == null ? null : readStoredClosing(parseRow(row.text));
    if (period === null || period.closed === before) return [];
    const isFirst = row === null || period.closed === null;
    const pending = isFirst ? null : toPending({ id, row, period, by: look.at }, head, run);
    return [{ id, row, period, pending }];
  });
}

interface SeenClosed extends Pick<ClosedOrReopened, 'id' | 'period'> {
  readonly row: StoredRow;
  /** When the look showed it. */
  readonly by: number;
}

/** A closing that waits since an earlier look, or since this one. */
function toPending({ id, row, period, by }: SeenClosed, head: Head, run: PollRun): PendingClosing {
  const { startDate, finishDate } = period;
  const closed = String(period.closed);
  const known = head.pending?.find((each) => each.id === id);
  if (known !== undefined)
    return { ...known, ...{ startDate, finishDate, closed }, by: known.closed === closed ? known.by : by };
  const wasShown = row.bad === undefined && head.unlisted?.ids.includes(id) !== true;
  const after = wasShown ? findSeenAt(head, run) : null;
  return { id, startDate, finishDate, closed, after, by };
}

/** Whether a closing waits for looks at its dates. */
function waits({ id, period, pending }: ClosedOrReopened, head: Head, run: PollRun): boolean {
  const isWatched = listFeeds(run).includes('timesheets') && isOfUsualLength(period);
  if (pending === null || !isWatched) return false;
  const known = head.pending?.find((each) => each.id === id);
  const isRestamped = known !== undefined && known.closed !== pending.closed;
  const moment = { seenAt: pending.by, window: run.window, now: run.ports.clock.now() };
  const views = viewPeriod(period, toAccountSource(run));
  return judgeClosing(views, { ...moment, heldSince: isRestamped ? pending.after : null }) === 'wait';
}

interface Telling {
  readonly seen: SeenList;
  readonly told: Record<'memory' | 'manifests' | 'statements', Map<string, unknown>>;
}

/** Counts a period that has closed or was reopened, and plans its statement. */
async function tell(each: ClosedOrReopened, { seen, told }: Telling, run: PollRun): Promise<void> {
  const { id, row, period, pending } = each;
  const { closedBetween: _, ...others } = row?.memory ?? {};
  const by = pending?.by ?? seen.look.at;
  const between = period.closed === null ? {} : { closedBetween: { after: pending?.after ?? null, by } };
  told.memory.set(id, { ...others, ...between });
  const memory = others.statement ?? null;
  // Reopened, and nothing was said of its closing.
  if (period.closed === null && (memory === null || !wantsStatements(run))) return;
  const toCount = { id, period, source: seen.look.totals.get(id) ?? null, closedAt: pending?.by ?? null };
  const count = await countPeriod(toCount, await run.memory.periods.all(run.memory), run);
  if (count !== null && period.closed !== null)
    told.manifests.set(id, {
      ...count.manifest,
      change: compareToLast(count.manifest, memory?.last ?? null),
    });
  if (!wantsStatements(run)) return;
  const cause: StatementCause = period.closed === null ? { kind: 'reopening' } : { kind: 'closing', at: by };
  told.statements.set(id, await planCounted({ id, cause, memory }, count, run));
}

/** What a closing comes to, minus what the one before came to; null at the first one, or when that is not known. */
function compareToLast(manifest: CloseManifest, last: PayPeriodTotals | null): PayPeriodTotals | null {
  const { hoursToPay: hours, ...totals } = manifest;
  return last === null ? null : subtractTotals({ ...totals, hours }, last);
}
