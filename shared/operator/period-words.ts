import type { Account, LeftOver } from '#shared/core/periods/account-data.ts';
import { type AccountReader, toContext } from '#shared/people/messages/account-sentences.ts';
import { formatMoment, formatStamp } from '#shared/people/messages/moments.ts';
import { formatChange, formatCount } from '#shared/people/messages/numbers.ts';
import { nameService } from '#shared/people/reader.ts';
import type { PeriodReading } from '#shared/period/reading.ts';

/** `open`, `closed Mon 16 Nov 10:02`, `reopened Tue 17 Nov 09:30`, `settled Fri 20 Nov 11:00`. */
export function sayState(
  { period: { closed }, account: { state, since } }: Pick<PeriodReading, 'period' | 'account'>,
  reader: AccountReader,
): string {
  const context = { ...toContext(reader), day: null };
  if (state === 'open') return state;
  if (since !== null) return `${state} ${formatMoment(Date.parse(since), context)}`;
  // It closed before it was watched: the source says when.
  return closed === null ? state : `${state} ${formatStamp(closed, context)}`;
}

/** False of one that closed before it was watched: nobody counted it then. */
export function isWatched({ state, since }: Pick<Account, 'state' | 'since'>): boolean {
  return state !== 'closed' || since !== null;
}

/** What is still open since it was told: `3 timesheets, +4.5 h`, `nothing`; null of one that never closed. */
export function sayOpen({ state, changes }: Pick<Account, 'state' | 'changes'>): string | null {
  if (state === 'open') return null;
  if (changes === null) return 'not known';
  const { open, complete } = changes;
  if (open.timesheets === 0) return complete ? 'nothing' : 'not known';
  const said = `${formatCount(open.timesheets, 'timesheet')}, ${formatChange(open.hours)}`;
  return complete ? said : `${said}, as far as known`;
}

/** Whether it adds up with the source; null while it is open, and where they differ, which is a reserve. */
export function sayAgreement(
  { state, difference, reserves }: Pick<Account, 'state' | 'difference' | 'reserves'>,
  reader: AccountReader,
): string | null {
  if (state === 'open' || state === 'reopened' || reserves.some(({ kind }) => kind === 'totals_differ'))
    return null;
  const service = nameService(reader);
  return difference === null ? `not compared with the totals of ${service}` : `adds up with ${service}`;
}

/** How many timesheets are left over: the account lists the first of them. */
export function countLeftOver({
  state,
  notReady,
  unprocessed,
}: Pick<Account, 'state' | 'notReady' | 'unprocessed'>): number {
  return state === 'settled' ? unprocessed : notReady.timesheets;
}

/** `no clock-out, no approval`. */
export function sayMissing({ missing }: Pick<LeftOver, 'missing'>): string {
  return missing.map((each) => `no ${MISSING[each]}`).join(', ');
}

const MISSING: Readonly<Record<LeftOver['missing'][number], string>> = {
  clock_out: 'clock-out',
  approval: 'approval',
  payroll_approval: 'payroll approval',
  processing: 'processing',
};
