import { addDays } from '#shared/core/dates.ts';
import {
  belongsTo,
  findSharing,
  type KnownAnswers,
  type MemberAnswers,
  type PeriodSpan,
} from '#shared/core/periods/members.ts';
import type { PeriodMemory } from '#shared/core/periods/period-memory.ts';
import type { PayPeriodTotals } from '#shared/core/records/pay-period.ts';
import { isOfUsualLength } from '#shared/core/records/pay-period.ts';
import type { PollRun } from '#shared/flow/poll/run.ts';
import { type CountedPeriod, countPeriod, type PeriodView } from '../account.ts';
import { type ToldBefore, toToldBefore } from '../changes.ts';
import type { Counted } from '../view.ts';
import { askMembers } from './ask-members.ts';
import { type ReadDates, readDates, toDateSource, viewDates } from './read-dates.ts';

/** A pay period to count, besides its dates. */
export interface PeriodToCount
  extends Pick<PeriodView, 'state' | 'since' | 'closesAt' | 'closingSeenAt' | 'source' | 'isUnlisted'> {
  readonly period: PeriodSpan;
  /** The last date that counts; absent: the last of the period. */
  readonly through?: string;
  readonly memory: PeriodMemory | null;
}

/** Who answered longer ago is asked again where the figures differ from those of the source. */
const ASK_AGAIN_MS = 20 * 60 * 60_000;

/**
 * Counts a pay period as this poll knows it. Where periods share dates, employees are asked about of whom nobody said to which
 * one they belong; those of old answers again where the figures are not those of the source. Null when there is no time, or it is of no usual length.
 */
export async function countInPoll(toCount: PeriodToCount, run: PollRun): Promise<CountedPeriod | null> {
  const { period, memory, through = period.finishDate, ...rest } = toCount;
  if (!isOfUsualLength(period)) return null;
  const source = toDateSource(run);
  const read = await readDates(viewDates({ ...period, finishDate: through }, source), source);
  if (read === null) return null;
  const before = await loadBefore(period.id, memory, run);
  const periods = await run.memory.periods.spans(run.memory);
  const sharing = findSharing(period, periods);
  const count = async () => {
    const answers = await run.memory.periods.answers(sharing.length === 0 ? [] : [period, ...sharing]);
    const belongs = createJudge(period, { periods, answers, source: rest.source });
    return { belongs, counted: countPeriod({ ...rest, ...read, through, before, belongs }) };
  };
  let { belongs, counted } = await count();
  if (sharing.length === 0) return counted;
  const unknown = read.timesheets.filter((each) => belongs(each) === null);
  // An answer is about all dates of the period, also those that do not count yet.
  const later = await readDates(viewDates({ ...period, startDate: addDays(through, 1) }, source), source);
  if (later === null) return null;
  const timesheets = [...read.timesheets, ...later.timesheets];
  if ((await askMembers(period.id, groupByEmployee(unknown, { timesheets }), run)) > 0)
    ({ belongs, counted } = await count());
  const again = await selectOldAnswers(toCount, { counted, ...read }, run);
  if ((await askMembers(period.id, again, run)) > 0) ({ counted } = await count());
  return counted;
}

/** What a period was told with before; null when it was not, and where that is not stored any more. */
async function loadBefore(
  payPeriodId: string,
  memory: PeriodMemory | null,
  { lease, ports }: PollRun,
): Promise<ToldBefore | null> {
  if (memory?.count == null) return null;
  const { name } = memory.count;
  return toToldBefore(
    memory,
    await ports.store.loadCount({ connection: lease.connection, payPeriodId, name }),
  );
}

interface Members {
  readonly periods: readonly PeriodSpan[];
  readonly answers: KnownAnswers;
  readonly source: PayPeriodTotals | null;
}

/** Whether a timesheet is the period's own, by what the source answered. */
export function createJudge(
  period: PeriodSpan,
  { periods, answers, source }: Members,
): PeriodView['belongs'] {
  const judge = (known: KnownAnswers) => (timesheet: Counted) =>
    belongsTo(timesheet, period, { periods, answers: known });
  const belongs = judge(answers);
  // A source by all of whose answers nobody has anything in it does not answer this.
  const own = [...(answers.get(period.id)?.values() ?? [])];
  const isAnswered = source?.timesheets === 0 || own.some(([, claimed]) => claimed !== 'none');
  return isAnswered ? belongs : judge(new Map<string, MemberAnswers>([...answers, [period.id, new Map()]]));
}

/** Employees of some timesheets, each with all that are known of him. */
function groupByEmployee(
  some: readonly Counted[],
  { timesheets }: Pick<ReadDates, 'timesheets'>,
): ReadonlyMap<string, readonly string[]> {
  const all = Map.groupBy(timesheets, ({ employeeId }) => employeeId);
  const employees = new Set(some.flatMap(({ employeeId }) => employeeId ?? []));
  return new Map([...employees].sort().map((id) => [id, (all.get(id) ?? []).map((each) => each.id)]));
}

/**
 * Employees on the dates of a closed period whose answer about it is old, those asked longest ago first: where the figures differ from those of the
 * source, or it gives none that would show it.
 */
async function selectOldAnswers(
  { period, source, memory, closingSeenAt, state }: PeriodToCount,
  { counted: { account }, timesheets }: { readonly counted: CountedPeriod } & Pick<ReadDates, 'timesheets'>,
  run: PollRun,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const isClosed = state === 'closed' || state === 'settled';
  const kinds = account.reserves.map(({ kind }) => kind);
  // Dates that are missing, and employees without an answer, explain a difference.
  const isExplained = kinds.some((kind) => kind === 'dates_unread' || kind === 'members_unknown');
  const isInDoubt = source === null ? closingSeenAt !== null : kinds.includes('totals_differ');
  if (!isClosed || isExplained || !isInDoubt) return new Map();
  const since = Math.max(closingSeenAt ?? memory?.closedAt ?? 0, run.ports.clock.now() - ASK_AGAIN_MS);
  const answers = (await run.memory.periods.answers([period])).get(period.id) ?? new Map();
  // Who was not asked about it counted as of another period: he may have come to this one since.
  const askedAt = (id: string) => answers.get(id)?.[0] ?? 0;
  const all = [...groupByEmployee(timesheets, { timesheets })].filter(([id]) => askedAt(id) < since);
  return new Map(all.sort(([a], [b]) => askedAt(a) - askedAt(b)));
}
