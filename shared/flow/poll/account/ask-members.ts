import type { PeriodMembers } from '#shared/core/account/period-account.ts';
import { Asking, forEachInTurn } from '../membership/ask-source.ts';
import { hasTimeLeft, type PollRun } from '../poll-run.ts';

/** Employees asked about for one closing: a request each, so that its news is not late for long. */
export const MAX_EMPLOYEES_ASKED = 1_000;
/** Requests under way; the rate limiter decides how fast they are. */
const MAX_REQUESTS = 8;

/** What the source answered, employee by employee. */
export interface AskedMembers extends PeriodMembers {
  /** Ids of the period's timesheets by employee; null when the source failed for that employee. */
  readonly answers: ReadonlyMap<string, ReadonlySet<string> | null>;
}

/**
 * Which timesheets of these employees belong to a pay period (docs/source-api.md, Pay periods). An employee for whom
 * the source does not answer is unknown, and nothing else waits for that (rule 13). Null when it answers for none.
 */
export async function askMembers(
  payPeriodId: string,
  employees: readonly string[],
  run: PollRun,
): Promise<AskedMembers | null> {
  const listMembers = run.ports.source.listMembers?.bind(run.ports.source);
  if (listMembers === undefined) return null;
  const answers = new Map<string, ReadonlySet<string> | null>();
  const unknownEmployees = new Set(employees);
  const asking = new Asking();
  const isOver = () => asking.isOver || !hasTimeLeft(run);
  const toAsk = employees.slice(0, MAX_EMPLOYEES_ASKED);
  await forEachInTurn(toAsk, { atOnce: MAX_REQUESTS, isOver }, async (employeeId) => {
    const ids = await asking.ask(() => listMembers(employeeId, payPeriodId));
    if (ids === undefined) return;
    answers.set(employeeId, ids === null ? null : new Set(ids));
    if (ids !== null) unknownEmployees.delete(employeeId);
  });
  if (asking.answers === 0 && employees.length > 0) return null;
  const timesheets = new Set([...answers.values()].flatMap((ids) => [...(ids ?? [])]));
  return { timesheets, unknownEmployees, answers };
}
