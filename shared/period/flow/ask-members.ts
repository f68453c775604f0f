import { SourceError, type SourceErrorCode } from '#shared/core/errors.ts';
import { type MembershipUpdate, updateBuckets } from '#shared/core/periods/membership.ts';
import { keepLease } from '#shared/flow/poll/lease.ts';
import { hasTimeLeft, type PollRun } from '#shared/flow/poll/run.ts';

/** Failures, without any answer, after which the source is taken not to answer this at all. */
const MAX_FAILURES_UNANSWERED = 8;
/** Failures after which asking about others is pointless, or would cost them their requests. */
const ENDS_ASKING: ReadonlySet<SourceErrorCode> = new Set([
  'source_unauthorised',
  'source_throttled',
  'source_unreachable',
]);

/** How asking the source about one employee after another goes. */
export class Asking {
  answers = 0;
  failures = 0;
  readonly #run: PollRun;
  #isEnded = false;

  constructor(run: PollRun) {
    this.#run = run;
  }

  /** The source wants no further question, or answers none; or there is no time. */
  get isOver(): boolean {
    const isUseless = this.answers === 0 && this.failures >= MAX_FAILURES_UNANSWERED;
    return this.#isEnded || isUseless || !hasTimeLeft(this.#run);
  }

  /** Whether the source was asked and answered for nobody. */
  get isUnanswered(): boolean {
    return this.answers === 0 && this.failures > 0;
  }

  /** Ids of his timesheets in a period; null when the source fails for him; undefined when it is not asked any more. */
  async ask(employeeId: string, payPeriodId: string): Promise<ReadonlySet<string> | null | undefined> {
    try {
      const ids = await this.#run.ports.source.listMembers(employeeId, payPeriodId);
      this.answers += 1;
      return new Set(ids);
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      this.failures += 1;
      if (!ENDS_ASKING.has(error.code)) return null;
      this.#isEnded = true;
      return undefined;
    }
  }
}

/** Works through values, several at a time, until it is over. */
export async function inGroups<Value>(
  values: Iterable<Value>,
  { size, isOver, run }: { readonly size: number; readonly isOver: () => boolean; readonly run: PollRun },
  work: (value: Value) => Promise<void>,
): Promise<void> {
  const all = [...values];
  for (let start = 0; start < all.length && !isOver(); start += size) {
    await keepLease(run);
    await Promise.all(all.slice(start, start + size).map(work));
  }
}

/** Employees asked about for one closing: a request each, so that its news is not late for long. */
export const MAX_EMPLOYEES_ASKED = 1_000;
/** Requests under way; the rate limiter decides how fast they are. */
const MAX_REQUESTS = 8;

/** Ids of a period's timesheets by employee; null when the source failed for that employee. */
export type MemberAnswers = ReadonlyMap<string, ReadonlySet<string> | null>;

/**
 * Which timesheets of these employees belong to a pay period (docs/source-api.md, Pay periods). An employee for whom
 * the source does not answer is unknown, and nothing else waits for that (rule 13). Null when it answers for none.
 */
export async function askMembers(
  payPeriodId: string,
  employees: readonly string[],
  run: PollRun,
): Promise<MemberAnswers | null> {
  const answers = new Map<string, ReadonlySet<string> | null>();
  const asking = new Asking(run);
  const toAsk = employees.slice(0, MAX_EMPLOYEES_ASKED);
  await inGroups(toAsk, { size: MAX_REQUESTS, isOver: () => asking.isOver, run }, async (employeeId) => {
    const ids = await asking.ask(employeeId, payPeriodId);
    if (ids !== undefined) answers.set(employeeId, ids);
  });
  return asking.answers === 0 && employees.length > 0 ? null : answers;
}

/** Saves what was learned of who belongs to which calendar. */
export async function saveLearned(
  update: MembershipUpdate,
  { ports, lease, memory }: PollRun,
): Promise<void> {
  const stored = await memory.periods.membership();
  await ports.store.saveMembership(lease.connection, updateBuckets(stored, update));
  const employees = new Map([...stored.employees, ...update.employees]);
  memory.periods.learn({ employees, surveys: update.surveys ?? stored.surveys });
}
