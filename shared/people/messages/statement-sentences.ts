import * as z from 'zod';
import { statementSchema } from '../../core/periods/statement.ts';
import { type Tolerant, tolerant } from '../../core/tolerant.ts';
import type { Names } from '../names/names.ts';
import { cleanText } from './clean-text.ts';
import {
  describeAgreement,
  describeDifference,
  describeLeftovers,
  describeSums,
  describeWaiting,
  listLeftovers,
} from './closing-numbers.ts';
import { formatDay, type MessageTimeContext } from './moments.ts';
import { formatChange, formatCount, formatHours, formatNumber } from './numbers.ts';
import { describeNotes, describePayment, describePeriodOf } from './pay-period-sentences.ts';
import { type Audience, envelope, recordData, toTimeContext } from './record-events.ts';
import { nameOf } from './timesheet-fields.ts';
import { findEntry, listFirst } from './wording.ts';

type Statement = Tolerant<z.output<typeof statementSchema>>;
type Change = Statement['sinceClose']['changes'][number];

/** The statement of a pay period, as far as its sentence needs it. */
export const statementEventSchema = z.looseObject({
  ...envelope,
  type: z.literal('workforce.pay_period.statement'),
  data: z.looseObject({ payPeriodId: z.string(), ...recordData, statement: tolerant(statementSchema) }),
});
export type StatementEvent = z.output<typeof statementEventSchema>;

/** What it says of a pay period, as a whole sentence and below a heading that names the period. */
export function describeStatement(
  { data, time }: StatementEvent,
  audience: Audience,
): Readonly<Record<'sentence' | 'facts', string>> {
  const { statement } = data;
  const timeContext = toTimeContext(time, audience);
  const manifest = { ...statement, hoursToPay: statement.hours };
  const seen = { ...audience, timeContext, time };
  const left = describeLeftovers(manifest, describeWaiting(manifest, seen));
  const notes = describeNotes(manifest, seen);
  const corrected = statement.corrects === true ? ', in corrected numbers' : '';
  const difference = statement.change == null ? '' : `, ${describeDifference(statement.change.hours)}`;
  const why = describeSettling(statement.settledBy);
  const sinceClose = describeSinceClose(statement.sinceClose, seen);
  const numbers = `${describeSums(manifest)}; ${left}${describeAgreement(manifest, audience)}${notes}`;
  const stages = {
    closed: ['closed', `${corrected}: ${numbers}`],
    closed_again: ['closed again', `${difference}${corrected}: ${numbers}`],
    final: ['settled', `${why}${corrected}: ${sinceClose}; ${numbers}`],
  } as const;
  const stage = toStage(statement.stage);
  const [is, rest] = stages[stage];
  const period = describePeriodOf(data, timeContext);
  return {
    sentence: `Pay period ${period} ${stage === 'final' ? 'is ' : ''}${is}${rest}`,
    facts: `${is}${rest}`,
  };
}

/** One of a later version reads like the last. */
function toStage(stage: Statement['stage']): 'closed' | 'closed_again' | 'final' {
  return (['closed', 'closed_again'] as const).find((each) => each === stage) ?? 'final';
}

function describeSettling(settledBy: Statement['settledBy']): string {
  if (settledBy === 'next_closing') return ', since the next one closed';
  return settledBy === 'age' ? ', 35 days after it closed' : '';
}

/** `closed at 976.5 h, +2 h in 2 timesheets after it (Ana Lee Thu 12 Nov +2 h), +1 h in 1 after reopening`. */
function describeSinceClose(
  { closedHours, changes, timesheets }: Statement['sinceClose'],
  seen: SeenBy | null,
): string {
  const clauses = changes.map((change, index) => {
    const moved = timesheets.filter(({ reason }) => reason === change.reason);
    const said = describeChange(change, index === 0);
    return `${said}${seen === null ? '' : describeMoved(moved, change, seen)}`;
  });
  const since = clauses.length === 0 ? ['unchanged since'] : clauses;
  return [`closed at ${formatHours(closedHours)}`, ...since].join(', ');
}

/** Why hours are others than at the closing. */
const REASONS = {
  late: 'after it',
  reopened: 'after reopening',
  recounted: 'that only one count could see',
} as const;

function describeChange({ reason, hours, timesheets }: Change, isFirst: boolean): string {
  const format = (n: number) => (isFirst ? formatCount(n, 'timesheet') : formatNumber(n));
  const count = timesheets === null ? '' : ` in ${format(timesheets)}`;
  const change = formatChange(hours);
  return `${change}${count} ${findEntry<string>(REASONS, reason) ?? `for the reason ${cleanText(reason)}`}`;
}

/** Whose hours moved, up to this many of a reason. */
const MAX_MOVED = 5;

/** ` (Ana Lee Thu 12 Nov +2 h, Ben Fox Fri 13 Nov -1 h and 3 more)`; empty when it is not known whose they are. */
function describeMoved(
  moved: Statement['sinceClose']['timesheets'],
  { timesheets }: Change,
  { names, timeContext }: SeenBy,
): string {
  const named = moved.slice(0, MAX_MOVED).flatMap(({ employeeId, date, hours }) => {
    if (employeeId == null || date == null) return [];
    const who = nameOf(names.employees, employeeId, 'employee ');
    const day = formatDay(date, timeContext);
    return [`${who} ${day} ${formatChange(hours)}`];
  });
  const left = (timesheets ?? moved.length) - named.length;
  return named.length === 0 ? '' : ` (${listFirst(named, left)})`;
}

interface SeenBy {
  readonly names: Names;
  readonly timeContext: MessageTimeContext;
}

/**
 * `final: closed at 976.5 h, +2 h in 2 timesheets after it; 979.5 h`, from the `data` of an event; null when it has no
 * statement.
 */
export function summarizeStatement(data: object): string | null {
  const read = statementSchema.safeParse('statement' in data ? data.statement : null);
  if (!read.success) return null;
  const { stage, sinceClose, hours } = read.data;
  const since = stage === 'closed' ? '' : `${describeSinceClose(sinceClose, null)}; `;
  return `${cleanText(stage.replace('_', ' '))}: ${since}${formatHours(hours)}`;
}

/** `Pay 979.5 h for Weekly 9-15 Nov (51 people), +3 h since it closed`, or how it stands, for a mail's subject. */
export function buildStatementHeading(event: StatementEvent, audience: Audience): string {
  const { data, time } = event;
  const { statement } = data;
  const action = describeAction(event, audience);
  if (action !== null) return action;
  const period = describePeriodOf(data, toTimeContext(time, audience));
  const corrected = statement.corrects === true ? ', corrected,' : '';
  const left = listLeftovers(statement).map((each) => `, ${each}`);
  const is = { closed: 'closed', closed_again: 'closed again', final: 'is settled' }[
    toStage(statement.stage)
  ];
  const hours = `${formatHours(statement.hours)}${describeMove(statement)}`;
  return `Pay period ${period} ${is}${corrected} at ${hours}${left.join('')}`;
}

/** `, +3 h since it closed`; empty where nothing moved. */
function describeMove({ hours, sinceClose }: Statement): string {
  const moved = hours - sinceClose.closedHours;
  return moved === 0 ? '' : `, ${formatChange(moved)} since it closed`;
}

/** Null where something is left to do that no payment waits for, or where numbers are in doubt. */
function describeAction({ data, time }: StatementEvent, audience: Audience): string | null {
  const { statement } = data;
  const { stage, corrects } = statement;
  const hours = formatHours(statement.hours);
  const period = describePeriodOf(data, toTimeContext(time, audience));
  const isDone = statement.unapproved === 0 && statement.unprocessed === 0;
  const payment = describePayment({ ...statement, hoursToPay: statement.hours }, period);
  if (payment === null || (stage === 'final' && !isDone)) return null;
  const action = corrects === true ? `Correct ${period} to ${hours}` : payment;
  return `${action}${describeMove(statement)}`;
}

/**
 * Whether the event of the closing says all of a statement: of one at a closing always, of a final one if nothing was
 * left to do and nothing changed since. Never of one that corrects another.
 */
export function saysNothingNew({ data }: StatementEvent): boolean {
  const { stage, corrects, previous, sinceClose, unapproved, unprocessed } = data.statement;
  if (corrects === true) return false;
  if (stage !== 'final') return true;
  return (
    previous !== null &&
    previous.unprocessed === 0 &&
    unprocessed === 0 &&
    previous.unapproved === unapproved &&
    sinceClose.changes.length === 0
  );
}
