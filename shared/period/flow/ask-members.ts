import { SourceError, type SourceErrorCode } from '#shared/core/errors.ts';
import { addAnswers, type MemberAnswer, type MemberAnswers, toAnswer } from '#shared/core/periods/members.ts';
import { keepLease, LEASE_MS } from '#shared/flow/poll/lease.ts';
import { hasTimeLeft, type PollRun } from '#shared/flow/poll/run.ts';

/** Employees asked about in a poll: a request each, so that nothing else is late for long. */
const MAX_ASKED = 1_000;
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
/** What was answered is kept longer than a period waits for its settling and stays reopened. */
const ANSWERS_LAST_MS = 186 * 86_400_000;

/** Whom to ask about, and his known timesheets on the dates of the period. */
type EmployeesToAsk = ReadonlyMap<string, readonly string[]>;

/**
 * Asks which timesheets of these employees belong to a pay period (docs/source-api.md, Pay periods), and keeps the answers.
 * An employee for whom the source fails is not known, or as before, and nothing else waits for that (rule 13). How many
 * were answered.
 */
export async function askMembers(periodId: string, asked: EmployeesToAsk, run: PollRun): Promise<number> {
  const answers = new Map<string, MemberAnswer>();
  let failures = 0;
  let isEnded = false;
  const ask = async ([employeeId, known]: readonly [string, readonly string[]]) => {
    try {
      const members = new Set(await run.ports.source.listMembers(employeeId, periodId));
      answers.set(employeeId, toAnswer(members, known, run.ports.clock.now()));
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      failures += 1;
      isEnded ||= ENDS_ASKING.has(error.code);
    }
  };
  const all = [...asked].slice(0, MAX_ASKED);
  for (let start = 0; start < all.length && !isEnded && hasTimeLeft(run); start += MAX_REQUESTS) {
    if (answers.size === 0 && failures >= MAX_FAILURES_UNANSWERED) break;
    await keepLease(run);
    await Promise.all(all.slice(start, start + MAX_REQUESTS).map(ask));
  }
  if (answers.size > 0) await save(periodId, addAnswers(await loadKnown(periodId, run), answers), run);
  return answers.size;
}

/** Answers are about the dates that their period had then: with others it is asked again. */
export async function forgetAnswers(periodId: string, run: PollRun): Promise<void> {
  if ((await loadKnown(periodId, run)).size > 0) await save(periodId, new Map(), run);
}

async function loadKnown(id: string, { memory }: PollRun): Promise<MemberAnswers> {
  return (await memory.periods.answers([{ id }])).get(id) ?? new Map();
}

async function save(
  periodId: string,
  answers: MemberAnswers,
  { ports, lease, memory }: PollRun,
): Promise<void> {
  const now = ports.clock.now();
  const until = now + LEASE_MS;
  await ports.store.saveAnswers(lease, periodId, { answers, until, expiresAt: now + ANSWERS_LAST_MS });
  memory.periods.keep(periodId, answers);
  memory.leaseUntil = until;
}
