import type { Change } from '../core/compare/change.ts';
import type { Transition } from '../core/events/transitions.ts';
import type { FeedDefinition, State } from '../core/records/feed-definition.ts';
import { isSameValue } from '../core/records/notation.ts';
import type { LeafRow } from '../core/snapshot/snapshot.ts';
import type { CloseManifest } from './close-manifest.ts';
import type { StatementPlan } from './plan-statement.ts';

/** The statement of a pay period comes after what else happened to it, and changes nothing of the record. */
export function toStatementStep(plan: StatementPlan | undefined, after: State | null): Transition[] {
  if (plan === undefined || plan.statement === null) return [];
  const step = { type: 'pay_period.statement', kind: 'statement', marker: null, changed: [] } as const;
  return [{ ...step, from: after, to: after, collapsed: false }];
}

/** What the row remembers of its statements: as planned, or else as before. */
export function rememberStatement(
  { before, closing }: Change,
  plan: StatementPlan | undefined,
): Pick<LeafRow, 'statement'> {
  const memory = plan === undefined ? (before?.row ?? closing)?.statement : plan.memory;
  return memory == null ? {} : { statement: memory };
}

/** Whether a removed pay period returns as closed as it was: its closing and statement are told already. */
export function returnsClosed({ before, closing }: Change, after: State | null): boolean {
  return before === null && closing !== undefined && isSameValue(closing.closed, after?.closed ?? null);
}

/** The definition whose steps a change has: of a pay period that returns as closed as it was, without its closing. */
export function withoutToldClosing(
  definition: FeedDefinition,
  change: Change,
  after: State | null,
): FeedDefinition {
  if (!returnsClosed(change, after)) return definition;
  return { ...definition, markers: definition.markers.filter(({ field }) => field !== 'closed') };
}

/** Numbers of pay periods, by their ids. */
interface PeriodNumbers {
  readonly manifests: ReadonlyMap<string, CloseManifest>;
  readonly statements?: ReadonlyMap<string, StatementPlan>;
}

/** What `data` has besides: the manifest of a closing, or the statement. */
export function findNumbers(
  { type, kind }: Transition,
  id: string,
  { manifests, statements }: PeriodNumbers,
): object {
  if (kind === 'statement') return { statement: statements?.get(id)?.statement };
  const manifest = type === 'pay_period.closed' ? manifests.get(id) : undefined;
  return manifest === undefined ? {} : { closeManifest: manifest };
}
