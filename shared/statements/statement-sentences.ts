import * as z from 'zod';
import { cleanText, fitLine } from '../core/messages/clean-text.ts';
import {
  describeAgreement,
  describeDifference,
  describeLeftovers,
  describeSums,
  describeWaiting,
} from '../core/messages/closing-numbers.ts';
import { MAX_HEADING_CHARACTERS } from '../core/messages/heading-length.ts';
import { formatDay, type MessageTimeContext } from '../core/messages/moments.ts';
import { formatChange, formatCount, formatHours, formatNumber } from '../core/messages/numbers.ts';
import { describeNotes, describePayment, describePeriodOf } from '../core/messages/pay-period-sentences.ts';
import { type Audience, envelope, recordData, toTimeContext } from '../core/messages/record-events.ts';
import { type Tolerant, tolerant } from '../core/tolerant.ts';
import type { Names } from '../names/names.ts';
import { statementSchema } from './statement.ts';

type Statement = Tolerant<z.output<typeof statementSchema>>;
type Change = Statement['sinceClose']['changes'][number];

/** The statement of a pay period, as far as its sentence needs it. */
export const statementEventSchema = z.looseObject({
  ...envelope,
  type: z.literal('workforce.pay_period.statement'),
  data: z.looseObject({ payPeriodId: z.string(), ...recordData, statement: tolerant(statementSchema) }),
});
export type StatementEvent = z.output<typeof statementEventSchema>;

export function toStatementSentence({ data, time }: StatementEvent, audience: Audience): string {
  const { statement } = data;
  const timeContext = toTimeContext(time, audience);
  const manifest = { ...statement, hoursToPay: statement.hours };
  const seen = { ...audience, timeContext, time };
  const left = describeLeftovers(manifest, describeWaiting(manifest, seen));
  const notes = describeNotes(manifest, seen);
  const numbers = `${describeSums(manifest)}; ${left}${describeAgreement(manifest, audience)}${notes}`;
  return fitLine(
    `Pay period ${describePeriodOf(data, timeContext)} ${describeStage(statement, seen)}${numbers}`,
    '.',
  );
}

/** Ends before the numbers. */
function describeStage({ stage, settledBy, sinceClose, change, corrects }: Statement, seen: SeenBy): string {
  const corrected = corrects === true ? ', in corrected numbers' : '';
  if (stage === 'closed') return `closed${corrected}: `;
  if (stage === 'closed_again')
    return `closed again${change == null ? '' : `, ${describeDifference(change.hours)}`}${corrected}: `;
  return `is settled${describeSettling(settledBy)}${corrected}: ${describeSinceClose(sinceClose, seen)}; `;
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
  const parts = changes.map((change, index) => {
    const moved = timesheets.filter(({ reason }) => reason === change.reason);
    return `${describeChange(change, index === 0)}${seen === null ? '' : describeMoved(moved, change, seen)}`;
  });
  const since = parts.length === 0 ? ['unchanged since'] : parts;
  return [`closed at ${formatHours(closedHours)}`, ...since].join(', ');
}

function describeChange({ reason, hours, timesheets }: Change, isFirst: boolean): string {
  const count =
    timesheets === null
      ? ''
      : ` in ${isFirst ? formatCount(timesheets, 'timesheet') : formatNumber(timesheets)}`;
  return `${formatChange(hours)}${count} ${REASONS[reason] ?? `for the reason ${cleanText(reason)}`}`;
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
    const name = cleanText(names.employees.get(employeeId) ?? '');
    const who = name === '' ? `employee ${cleanText(employeeId)}` : name;
    return [`${who} ${formatDay(date, timeContext)} ${formatChange(hours)}`];
  });
  if (named.length === 0) return '';
  const more = (timesheets ?? moved.length) - named.length;
  return ` (${named.join(', ')}${more > 0 ? ` and ${formatNumber(more)} more` : ''})`;
}

interface SeenBy {
  readonly names: Names;
  readonly timeContext: MessageTimeContext;
}

const REASONS: Readonly<Record<string, string>> = {
  late: 'after it',
  reopened: 'after reopening',
  recounted: 'that only one count could see',
};

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
  const { hours, sinceClose, stage, unapproved, unprocessed, corrects } = statement;
  const subject = `Pay period ${describePeriodOf(data, toTimeContext(time, audience))}`;
  const corrected = corrects === true ? ', corrected,' : '';
  const is = `${stage === 'final' ? 'is settled' : stage === 'closed' ? 'closed' : 'closed again'}${corrected}`;
  const moved = hours - sinceClose.closedHours;
  const since = moved === 0 ? '' : `, ${formatChange(moved)} since it closed`;
  const left = [
    ...(unapproved === 0 ? [] : [`, ${formatNumber(unapproved)} not approved`]),
    ...(unprocessed === 0 ? [] : [`, ${formatNumber(unprocessed)} not processed`]),
  ].join('');
  const full = `${subject} ${is} at ${formatHours(hours)}`;
  return (
    [`${full}${since}${left}`, `${full}${since}`, full].find(
      ({ length }) => length <= MAX_HEADING_CHARACTERS,
    ) ?? `A pay period ${is} at ${formatHours(hours)}${since}`
  );
}

/** Null where something is left to do that no payment waits for, where numbers are in doubt, or without room. */
function describeAction({ data, time }: StatementEvent, audience: Audience): string | null {
  const { statement } = data;
  const { hours, sinceClose, stage, corrects } = statement;
  const period = describePeriodOf(data, toTimeContext(time, audience));
  const isDone = statement.unapproved === 0 && statement.unprocessed === 0;
  const payment = describePayment({ ...statement, hoursToPay: hours }, period);
  if (payment === null || (stage === 'final' && !isDone)) return null;
  const moved = hours - sinceClose.closedHours;
  const action = corrects === true ? `Correct ${period} to ${formatHours(hours)}` : payment;
  const since = moved === 0 ? '' : `, ${formatChange(moved)} since it closed`;
  return [`${action}${since}`, action].find(({ length }) => length <= MAX_HEADING_CHARACTERS) ?? null;
}

/**
 * Whether the event of the closing says all of a statement: of one at a closing always, of a final one if nothing was
 * left to do and nothing changed since. Never of one that corrects what was told.
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
