import { parseMidnightDate } from '../../core/dates.ts';
import type { PayPeriodState } from '../../core/records/pay-period.ts';
import { roundNumber } from '../../core/records/values.ts';
import { readText } from '../event-state.ts';
import { bold, type Line, type Spans } from '../message.ts';
import { listChanged, listNotApproved } from '../messages/account-lines.ts';
import {
  type AccountReader,
  formatPeople,
  listReasons,
  listReserves,
  sayChanges,
  sayNotApproved,
  sayVerdict,
} from '../messages/account-sentences.ts';
import { cleanText } from '../messages/clean-text.ts';
import { listChanges } from '../messages/field-changes.ts';
import {
  describeOccurrence,
  formatDay,
  formatMoment,
  formatWhen,
  type MessageTimeContext,
} from '../messages/moments.ts';
import { formatChange, formatCount, formatHours, formatNumber } from '../messages/numbers.ts';
import { capitalize } from '../messages/wording.ts';
import { describePeriod } from '../period-name.ts';
import type { DueEvent, MomentEvent, PeriodRecordEvent, ToldAccount } from '../read-events.ts';
import { nameService, type Reader, toTimeContext } from '../reader.ts';
import { sayDue, sayDueHeading, sayDueLines } from './due.ts';
import type { TypeEntry } from './entry.ts';

const LABELS = {
  calendar: 'calendar',
  startDate: 'first day',
  finishDate: 'last day',
  payRollCompanyId: 'payroll company',
  payRollProvider: 'payroll provider',
} as const satisfies Record<Exclude<keyof PayPeriodState, 'closed'>, string>;

function sayRecord(facts: (event: PeriodRecordEvent, timeContext: MessageTimeContext) => string) {
  return (event: PeriodRecordEvent, reader: Reader): Spans => {
    const timeContext = toTimeContext(event.time, reader);
    const late = event.data.late.includes('close') ? ', after it closed' : '';
    return [bold(describePeriod(event.data, timeContext)), ` ${facts(event, timeContext)}${late}`];
  };
}

function sayFieldChanges({ data }: PeriodRecordEvent, timeContext: MessageTimeContext): string {
  const day = (date: string) => formatDay(date, timeContext);
  const formats = { startDate: day, finishDate: day } as Readonly<Record<string, (text: string) => string>>;
  const changes = listChanges(data, (field) =>
    Object.hasOwn(LABELS, field)
      ? {
          label: LABELS[field as keyof typeof LABELS],
          valueText: (value) => (typeof value === 'string' ? (formats[field] ?? cleanText)(value) : null),
        }
      : undefined,
  );
  return changes.length === 0 ? 'changed' : `changed: ${changes.join(', ')}`;
}

interface Told {
  readonly event: MomentEvent;
  readonly account: ToldAccount;
  readonly period: string;
  readonly reader: Reader & AccountReader;
  readonly timeContext: MessageTimeContext;
}

type OfAccount<Said> = (told: Told) => Said;

/** A moment with its account; `otherwise` where there was no time to count. */
function ofAccount<Said>(say: OfAccount<Said>, otherwise: (period: string) => Said) {
  return (event: MomentEvent, reader: Reader): Said => {
    const timeContext = toTimeContext(event.time, reader);
    const period = describePeriod(event.data, timeContext);
    const { account } = event.data;
    if (account === null) return otherwise(period);
    const now = reader.now ?? Date.parse(event.time);
    return say({ event, account, period, reader: { ...reader, now }, timeContext });
  };
}

/** `Weekly 9-15 Nov closed: pay 739.5 h now; +3 h in 1 timesheet since the last figures`. */
function sayMoment(happened: string, since: Parameters<typeof sayChanges>[1] = 'the last figures') {
  return ofAccount<Spans>(
    ({ account, period, reader }) => {
      const { verdict, state, ready } = account;
      const changes = account.changes === null ? '' : `; ${sayChanges(account, since)}`;
      const said = sayVerdict(account, reader);
      const pay = `${said.slice(0, 1).toLowerCase()}${said.slice(1)}`;
      const reasons = listReasons(account, reader).join('; ');
      const figures =
        state === 'reopened' ? `: ${formatHours(ready.hours)} ready` : `, not yet to pay: ${reasons}`;
      return [bold(period), ` ${happened}${verdict === 'pay' ? `: ${pay}` : figures}${changes}`];
    },
    (period) => [bold(period), ` ${happened}: its hours could not be counted yet`],
  );
}

/** `Pay 739.5 h for Weekly 26 Oct - 1 Nov (23 people)`, or what of it is not ready, or not certain. */
function sayPayment(happened: string) {
  return ofAccount<string>(
    ({ account, period }) => {
      const { verdict, ready, notReady } = account;
      const hours = formatHours(ready.hours);
      if (verdict === 'pay' && ready.hours === 0) return `Nothing to pay for ${period}`;
      if (verdict === 'pay')
        return `Pay ${hours} for ${period}${ready.people === 0 ? '' : ` (${formatPeople(ready.people)})`}`;
      if (notReady.timesheets > 0)
        return `${period} ${happened}: ${hours} ready, ${formatHours(notReady.hours)} not approved`;
      return `Check ${period} before you pay ${hours}`;
    },
    (period) => `${period} ${happened}: its hours could not be counted yet`,
  );
}

/** What is to be settled, what is in doubt, what it comes to, and what changed since it was told. */
const listClosing = ofAccount<Line[]>(
  (told) => [
    ...listOpen(told),
    ...listDoubts(told),
    ...sayTotal(told),
    ...listSince(told),
    ...sayFormer(told),
  ],
  () => [{ spans: ['It is counted again within minutes, and told then.'] }],
);

function listOpen({ account, reader }: Told): Line[] {
  const { notReady } = account;
  if (notReady.timesheets === 0) return [];
  const title = `${formatNumber(notReady.timesheets)} to settle, or leave to the next run:`;
  return [{ spans: [title] }, ...listNotApproved(account, reader)];
}

function listDoubts({ account, reader }: Told): Line[] {
  return listReserves(account, reader).map((reserve) => ({ spans: [`In doubt: ${reserve}`] }));
}

/** `Total 738 h in 100 timesheets of 23 people, the same in Workforce.` A difference is said as a doubt. */
function sayTotal({ account, reader }: Told): Line[] {
  const { hours, timesheets, people, difference, reserves } = account;
  // Of dates that were never read nobody knows.
  if (timesheets === 0) return reserves.length > 0 ? [] : [{ spans: ['It has no timesheets.'] }];
  const isSame = difference !== null && reserves.every(({ kind }) => kind !== 'totals_differ');
  const agrees = isSame ? `, the same in ${nameService(reader)}` : '';
  const of = people === 0 ? '' : ` of ${formatPeople(people)}`;
  return [
    { spans: [`Total ${formatHours(hours)} in ${formatCount(timesheets, 'timesheet')}${of}${agrees}.`] },
  ];
}

/** Of a period that was told before: `Since Tue 3 Nov 10:30: +1.5 h in 2 timesheets`, and which. */
function listSince({ account: { changes }, reader, timeContext }: Told): Line[] {
  if (changes === null || changes.timesheets === 0) return [];
  const { since, hours, timesheets, listed, complete } = changes;
  const known = complete ? '' : ', as far as known';
  const sum = `${formatChange(hours)} in ${formatCount(timesheets, 'timesheet')}${known}`;
  return [
    { spans: [`Since ${formatMoment(Date.parse(since), timeContext)}, in these figures: ${sum}`] },
    ...listChanged(listed, { timesheets, reader }),
  ];
}

/** When it closed, if on another day than it is read, and that it had been closed before. */
function sayFormer({ event: { type, data }, timeContext }: Told): Line[] {
  const on = formatClosing(data.occurredAt, timeContext);
  const before = formatClosing(readText(data.previous, 'closed'), timeContext);
  if (!type.endsWith('.closed') || (on === null && before === null)) return [];
  const former = before === null ? '' : `, before that ${before}`;
  return [{ spans: [`Closed ${on ?? 'today'}${former}.`] }];
}

/** Null for the day that goes without saying. Some sources write a date as its midnight; its time of day is dropped. */
function formatClosing(closed: string | null, timeContext: MessageTimeContext): string | null {
  if (closed === null) return null;
  const date = parseMidnightDate(closed, timeContext.timeZone) ?? closed;
  return date === timeContext.day ? null : formatWhen(date, timeContext);
}

/** What the last closing says in the other figures, what became of what was open, and what is left. */
const listSettlement = ofAccount<Line[]>(
  (told) => [
    ...sayWhySettled(told),
    ...listOpen(told),
    ...listDoubts(told),
    ...listAgainstClosing(told),
    ...sayTotal(told),
  ],
  () => [],
);

function sayWhySettled({ event: { data }, account }: Told): Line[] {
  const why = { next_closing: 'the next one closed', age: 'it closed 35 days ago' };
  const reason = why[data.settledBy as keyof typeof why];
  const left = account.unprocessed === 0 ? '' : ` ${formatNumber(account.unprocessed)} not processed.`;
  return reason === undefined ? [] : [{ spans: [`Settled since ${reason}.${left}`] }];
}

/**
 * `1.5 h more than at the close:` with each timesheet, and `The 6 that were open (45.5 h) are approved and in this total.`
 */
function listAgainstClosing(told: Told): Line[] {
  const { changes } = told.account;
  if (changes === null) return [{ spans: ['What changed since it closed is not known.'] }];
  if (changes.timesheets === 0) return [{ spans: ['The same as at the close.'] }];
  const { listed, timesheets, complete } = changes;
  if (listed.length < timesheets || !complete) return listSince(told);
  const approved = listed.filter(({ reason }) => reason === 'approved');
  const others = listed.filter(({ reason }) => reason !== 'approved');
  const difference = addUp(others);
  const moved = difference > 0 ? 'more than' : 'less than';
  const title = `${formatHours(Math.abs(difference))} ${difference === 0 ? 'in all beside' : moved} at the close:`;
  return [
    ...(others.length === 0
      ? []
      : [{ spans: [title] }, ...listChanged(others, { timesheets: others.length, reader: told.reader })]),
    ...(approved.length === 0 ? [] : [{ spans: [sayApproved(approved.length, addUp(approved))] }]),
  ];
}

function sayApproved(count: number, hours: number): string {
  const were = count === 1 ? 'The one that was' : `The ${formatNumber(count)} that were`;
  return `${were} open (${formatHours(hours)}) ${count === 1 ? 'is' : 'are'} approved and in this total.`;
}

function addUp(changed: readonly { readonly difference: number }[]): number {
  return roundNumber(changed.reduce((sum, { difference }) => sum + difference, 0));
}

const listReopened = (event: MomentEvent, reader: Reader): Line[] => {
  const timeContext = toTimeContext(event.time, reader);
  const closed = formatClosing(readText(event.data.previous, 'closed'), { ...timeContext, day: null });
  const former = closed === null ? '' : `; it was closed ${closed}`;
  const reopened = capitalize(`reopened ${describeOccurrence(event.data, timeContext)}${former}.`);
  const { account } = event.data;
  if (account === null) return [{ spans: [reopened] }];
  const now = reader.now ?? Date.parse(event.time);
  const told = { event, account, period: '', reader: { ...reader, now }, timeContext };
  const left = account.notReady.timesheets === 0 ? '' : `, ${sayNotApproved(account)}`;
  return [
    { spans: [reopened] },
    { spans: [`${formatHours(account.ready.hours)} ready${left}.`] },
    ...listDoubts(told),
    ...listSince(told),
  ];
};

const CLOSING = { tells: 'closings', delay: 'now' } as const;

export const PAY_PERIODS = {
  'pay_period.created': {
    counted: ['pay period added', 'pay periods added'],
    says: sayRecord(() => 'was added'),
  } satisfies TypeEntry<PeriodRecordEvent>,
  'pay_period.changed': {
    counted: ['pay period changed', 'pay periods changed'],
    says: sayRecord(sayFieldChanges),
  } satisfies TypeEntry<PeriodRecordEvent>,
  'pay_period.due': {
    tells: 'approvals',
    counted: ['pay period to approve', 'pay periods to approve'],
    says: sayDue,
    heading: (event, reader) => sayDueHeading([event], reader),
    lines: (event, reader) => sayDueLines([event], reader),
  } satisfies TypeEntry<DueEvent>,
  'pay_period.closed': {
    ...CLOSING,
    counted: ['pay period closed', 'pay periods closed'],
    says: sayMoment('closed'),
    heading: sayPayment('closed'),
    lines: listClosing,
  } satisfies TypeEntry<MomentEvent>,
  'pay_period.recounted': {
    ...CLOSING,
    counted: ['pay period counted again', 'pay periods counted again'],
    says: sayMoment('was counted again'),
    heading: sayPayment('was counted again'),
    lines: listClosing,
  } satisfies TypeEntry<MomentEvent>,
  'pay_period.reopened': {
    ...CLOSING,
    urgent: true,
    counted: ['pay period reopened', 'pay periods reopened'],
    says: sayMoment('was reopened'),
    heading: (event, reader) =>
      `Hold the pay file of ${describePeriod(event.data, toTimeContext(event.time, reader))}: it was reopened`,
    lines: listReopened,
  } satisfies TypeEntry<MomentEvent>,
  'pay_period.settled': {
    ...CLOSING,
    counted: ['pay period settled', 'pay periods settled'],
    says: sayMoment('is settled', 'it closed'),
    heading: sayPayment('is settled'),
    lines: listSettlement,
  } satisfies TypeEntry<MomentEvent>,
  'pay_period.removed': {
    counted: ['pay period removed', 'pay periods removed'],
    says: sayRecord(({ data }, timeContext) => `was removed ${describeOccurrence(data, timeContext)}`),
  } satisfies TypeEntry<PeriodRecordEvent>,
};
