import { vi } from 'vitest';
import type * as Members from '#shared/core/periods/members.ts';
import type { KnownPeriod } from '#shared/core/records/pay-period.ts';
import type * as Accounts from '#shared/period/account.ts';
import type * as Counts from '#shared/period/flow/keep-count.ts';
import type * as Periods from '#shared/period/flow/periods-of-poll.ts';
import type * as Moments from '#shared/period/moments.ts';
import type * as Views from '#shared/period/view.ts';
import { planted, wrongWhen } from './planted.ts';

/** Reserves that an account leaves out, by the name of the mistake. */
const LEFT_OUT = {
  'takes a date that was never read for empty': 'dates_unread',
  'does not name looks from before the closing': 'dates_before_closing',
  'swallows that totals differ': 'totals_differ',
  'takes what it cannot read for what it read': 'records_unreadable',
  'does not say that the list leaves a period out': 'period_unlisted',
} as const;

/** Mistakes of the account of a pay period (rule 18). */
export const ACCOUNT_MISTAKES = [
  ...(Object.keys(LEFT_OUT) as (keyof typeof LEFT_OUT)[]),
  'ignores a doubt',
  'leaves the reserves out of a reminder',
  'counts hours that nobody approved as ready',
  'takes what was processed without an approval for not ready',
  'counts timesheets of another calendar',
  'counts timesheets of which nobody knows whose they are',
  'lets the earlier of two answers count',
  'settles by a closing that was not told',
  'settles what is not processed',
  'counts again what was whole',
  'pays what is in doubt',
  'holds what changed against an older count',
  'takes the department of the employee for that of the timesheet',
] as const;

vi.mock('#shared/period/view.ts', async (original) => {
  const right = await original<typeof Views>();
  const isReady: typeof right.isReady = (each) => {
    if (planted.name === 'counts hours that nobody approved as ready') return true;
    return planted.name.startsWith('takes what was processed') ? each.approved : right.isReady(each);
  };
  const viewDate = wrongWhen('ignores a doubt', right.viewDate, (...given) => ({
    ...right.viewDate(...given),
    doubtSince: null,
  }));
  return { ...right, isReady, viewDate };
});

vi.mock('#shared/core/periods/members.ts', async (original) => {
  const right = await original<typeof Members>();
  const belongsTo: typeof right.belongsTo = (timesheet, period, known) => {
    const isBackwards = planted.name === 'lets the earlier of two answers count';
    const answers = isBackwards ? withTimeBackwards(known.answers) : known.answers;
    const isOwn = right.belongsTo(timesheet, period, { ...known, answers });
    if (planted.name === 'counts timesheets of which nobody knows whose they are') return isOwn ?? true;
    const isOnDates = period.startDate <= timesheet.date && timesheet.date <= period.finishDate;
    return planted.name === 'counts timesheets of another calendar'
      ? isOwn === null
        ? null
        : isOnDates
      : isOwn;
  };
  return { ...right, belongsTo };
});

const END_OF_TIME = Date.UTC(2100, 0);

function withTimeBackwards(known: Members.KnownAnswers): Members.KnownAnswers {
  const turned = (answers: Members.MemberAnswers): Members.MemberAnswers =>
    new Map([...answers].map(([id, [at, own]]) => [id, [END_OF_TIME - at, own]]));
  return new Map([...known].map(([id, answers]) => [id, turned(answers)]));
}

vi.mock('#shared/period/account.ts', async (original) => {
  const right = await original<typeof Accounts>();
  const countPeriod: typeof right.countPeriod = (view) => {
    const isByEmployee = planted.name.startsWith('takes the department of the employee');
    const counted = right.countPeriod(isByEmployee ? withDepartmentsOfEmployees(view) : view);
    const { account } = counted;
    const isReminder = account.state === 'open' || account.state === 'reopened';
    const isLeftOut = ({ kind }: { readonly kind: string }) =>
      kind === (LEFT_OUT as Readonly<Record<string, string>>)[planted.name] ||
      (isReminder && planted.name === 'leaves the reserves out of a reminder');
    const reserves = account.reserves.filter((each) => !isLeftOut(each));
    const isPaid = planted.name === 'pays what is in doubt' || reserves.length === 0;
    const isWrong = reserves.length < account.reserves.length || planted.name === 'pays what is in doubt';
    const isToPay = isPaid && !isReminder && account.notReady.timesheets === 0;
    const verdict = isWrong ? (isToPay ? 'pay' : 'not_yet') : account.verdict;
    return { ...counted, account: { ...account, verdict, reserves } };
  };
  return { ...right, countPeriod };
});

/** Each timesheet in the department of the first one of its employee. */
function withDepartmentsOfEmployees(view: Accounts.PeriodView): Accounts.PeriodView {
  const departments = new Map(
    view.timesheets.toReversed().map(({ employeeId, departmentId }) => [employeeId, departmentId]),
  );
  const timesheets = view.timesheets.map((each) => ({
    ...each,
    departmentId: departments.get(each.employeeId) ?? null,
  }));
  return { ...view, timesheets };
}

vi.mock('#shared/period/flow/periods-of-poll.ts', async (original) => {
  const right = await original<typeof Periods>();
  class PeriodsOfPoll extends right.PeriodsOfPoll {
    override async list(
      memory: Parameters<Periods.PeriodsOfPoll['list']>[0],
    ): Promise<readonly KnownPeriod[]> {
      const told = await super.list(memory);
      if (planted.name !== 'settles by a closing that was not told') return told;
      return [...new Map([...told, ...(this.seen ?? [])].map((period) => [period.id, period])).values()];
    }
  }
  return { ...right, PeriodsOfPoll };
});

vi.mock('#shared/period/moments.ts', async (original) => {
  const right = await original<typeof Moments>();
  const findDueMoment: typeof right.findDueMoment = (account, due) => {
    if (planted.name === 'settles what is not processed')
      return right.findDueMoment({ ...account, unprocessed: 0 }, due);
    if (planted.name === 'counts again what was whole')
      return right.findDueMoment(account, { ...due, memory: { ...due.memory, hasReserve: true } });
    return right.findDueMoment(account, due);
  };
  return { ...right, findDueMoment };
});

vi.mock('#shared/period/flow/keep-count.ts', async (original) => {
  const right = await original<typeof Counts>();
  type Kept = Awaited<ReturnType<typeof right.keepCount>>;
  /** The first count of each period, by the connections of histories. */
  const first = new WeakMap<object, Map<string, Kept>>();
  const keepCount: typeof right.keepCount = async (id, counted, run) => {
    const kept = await right.keepCount(id, counted, run);
    if (planted.name !== 'holds what changed against an older count') return kept;
    const ofHistory = first.get(run.connection) ?? new Map<string, Kept>();
    first.set(run.connection, ofHistory);
    ofHistory.set(id, ofHistory.get(id) ?? kept);
    return ofHistory.get(id) ?? kept;
  };
  return { ...right, keepCount };
});
