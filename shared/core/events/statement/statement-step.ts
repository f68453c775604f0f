import type { Change } from '../../compare/change.ts';
import type { State } from '../../records/feed-definition.ts';
import type { LeafRow } from '../../snapshot/snapshot.ts';
import type { CloseManifest } from '../close-manifest.ts';
import type { Transition } from '../transitions.ts';
import type { StatementPlan } from './plan-statement.ts';

/** The statement of a pay period comes after what else happened to it, and changes nothing of the record. */
export function toStatementStep(plan: StatementPlan | undefined, after: State | null): Transition[] {
  if (plan === undefined || plan.statement === null) return [];
  const step = { type: 'pay_period.statement', kind: 'statement', marker: null, changed: [] } as const;
  return [{ ...step, from: after, to: after, collapsed: false }];
}

/** What the row remembers of its statements: as planned, or else as before. */
export function rememberStatement(
  { before }: Change,
  plan: StatementPlan | undefined,
): Pick<LeafRow, 'statement'> {
  const memory = plan === undefined ? before?.row.statement : plan.memory;
  return memory == null ? {} : { statement: memory };
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
