import { SourceError, type SourceErrorCode } from '#shared/core/errors.ts';
import type { PeriodMembers } from '#shared/core/events/close-count.ts';
import { hasTimeLeft, type PollRun } from '../poll-run.ts';

/** Employees asked about for one closing: a request each, so that its news is not late for long. */
const MAX_EMPLOYEES_ASKED = 1_000;
/** Requests under way; the rate limiter decides how fast they are. */
const MAX_REQUESTS = 8;
/** Failures, without any answer, after which the source is taken not to answer this at all. */
const MAX_FAILURES_UNANSWERED = 8;
/** Failures after which asking about others is pointless, or would cost them their requests. */
const ENDS_ASKING: ReadonlySet<SourceErrorCode> = new Set([
  'source_unauthorised',
  'source_throttled',
  'source_unreachable',
]);

type ListMembers = (employeeId: string) => Promise<readonly string[]>;

/** What is known so far. */
interface Asking {
  readonly timesheets: Set<string>;
  readonly unknownEmployees: Set<string>;
  answers: number;
  failures: number;
  isEnded: boolean;
}

/**
 * Which timesheets of these employees belong to a pay period (docs/source-api.md, Pay periods). An employee for whom
 * the source does not answer is unknown, and nothing else waits for that (rule 13). Null when it answers for none.
 */
export async function askMembers(
  payPeriodId: string,
  employees: readonly string[],
  run: PollRun,
): Promise<PeriodMembers | null> {
  const listMembers = run.ports.source.listMembers?.bind(run.ports.source);
  if (listMembers === undefined) return null;
  const list: ListMembers = (employeeId) => listMembers(employeeId, payPeriodId);
  const asking: Asking = {
    timesheets: new Set(),
    unknownEmployees: new Set(employees),
    answers: 0,
    failures: 0,
    isEnded: false,
  };
  const waiting = employees.slice(0, MAX_EMPLOYEES_ASKED).values();
  const askInTurn = async () => {
    for (const employeeId of waiting) {
      if (isOver(asking, run)) return;
      await askOne(employeeId, list, asking);
    }
  };
  await Promise.all(Array.from({ length: MAX_REQUESTS }, askInTurn));
  return asking.answers === 0 && employees.length > 0 ? null : asking;
}

function isOver({ isEnded, answers, failures }: Asking, run: PollRun): boolean {
  return isEnded || (answers === 0 && failures >= MAX_FAILURES_UNANSWERED) || !hasTimeLeft(run);
}

async function askOne(employeeId: string, list: ListMembers, asking: Asking): Promise<void> {
  try {
    for (const id of await list(employeeId)) asking.timesheets.add(id);
    asking.unknownEmployees.delete(employeeId);
    asking.answers += 1;
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    asking.failures += 1;
    asking.isEnded ||= ENDS_ASKING.has(error.code);
  }
}
