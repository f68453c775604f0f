import * as z from 'zod';
import { type Language, languageOf, sayCount, sayFirst } from '#shared/languages/language.ts';
import { findEntry, say } from '#shared/languages/text.ts';
import { cleanText } from '../core/messages/clean-text.ts';
import {
  describeAgreement,
  describeDifference,
  describeLeftovers,
  describeSums,
  describeWaiting,
  listLeftovers,
} from '../core/messages/closing-numbers.ts';
import { formatDay, type MessageTimeContext } from '../core/messages/moments.ts';
import { formatChange, formatHours, formatNumber } from '../core/messages/numbers.ts';
import { describeNotes, describePayment, describePeriodOf } from '../core/messages/pay-period-sentences.ts';
import { type Audience, envelope, recordData, toTimeContext } from '../core/messages/record-events.ts';
import { nameOf } from '../core/messages/timesheet-fields.ts';
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

/** What it says of a pay period, as a whole sentence and below a heading that names the period. */
export function describeStatement(
  { data, time }: StatementEvent,
  audience: Audience,
): Readonly<Record<'sentence' | 'facts', string>> {
  const { statement } = data;
  const language = languageOf(audience);
  const { statements: words } = language;
  const timeContext = toTimeContext(time, audience);
  const manifest = { ...statement, hoursToPay: statement.hours };
  const seen = { ...audience, timeContext, time };
  const left = describeLeftovers(manifest, language, describeWaiting(manifest, seen));
  const notes = describeNotes(manifest, seen);
  const values = {
    period: describePeriodOf(data, timeContext),
    corrected: statement.corrects === true ? words.inCorrectedNumbers : '',
    difference: statement.change == null ? '' : `, ${describeDifference(statement.change.hours, language)}`,
    why: describeSettling(statement.settledBy, language),
    sinceClose: describeSinceClose(statement.sinceClose, seen),
    numbers: `${describeSums(manifest, language)}; ${left}${describeAgreement(manifest, audience)}${notes}`,
  };
  const { sentence, facts } = words.stages[toStage(statement.stage)];
  return { sentence: say<string>(sentence, values), facts: say<string>(facts, values) };
}

/** One of a later version reads like the last. */
function toStage(stage: Statement['stage']): 'closed' | 'closed_again' | 'final' {
  return (['closed', 'closed_again'] as const).find((each) => each === stage) ?? 'final';
}

function describeSettling(settledBy: Statement['settledBy'], { statements }: Language): string {
  if (settledBy === 'next_closing') return statements.byNextClosing;
  return settledBy === 'age' ? statements.byAge : '';
}

/** `closed at 976.5 h, +2 h in 2 timesheets after it (Ana Lee Thu 12 Nov +2 h), +1 h in 1 after reopening`. */
function describeSinceClose(
  { closedHours, changes, timesheets }: Statement['sinceClose'],
  seen: SeenBy | null,
): string {
  const language = languageOf(seen?.timeContext ?? {});
  const { closedAt, unchanged } = language.statements;
  const clauses = changes.map((change, index) => {
    const moved = timesheets.filter(({ reason }) => reason === change.reason);
    const said = describeChange(change, index === 0, language);
    return `${said}${seen === null ? '' : describeMoved(moved, change, seen)}`;
  });
  const since = clauses.length === 0 ? [unchanged] : clauses;
  return [say(closedAt, { hours: formatHours(closedHours, language) }), ...since].join(', ');
}

function describeChange({ reason, hours, timesheets }: Change, isFirst: boolean, language: Language): string {
  const { reasons, otherReason, inTimesheets } = language.statements;
  const format = (n: number) =>
    isFirst ? sayCount(language.forms.timesheets, n, language) : formatNumber(n, language);
  const count = timesheets === null ? '' : say(inTimesheets, { timesheets: format(timesheets) });
  const change = formatChange(hours, language);
  const text = findEntry<string>(reasons, reason) ?? otherReason;
  return say<string>(text, { change, count, reason: cleanText(reason) });
}

/** Whose hours moved, up to this many of a reason. */
const MAX_MOVED = 5;

/** ` (Ana Lee Thu 12 Nov +2 h, Ben Fox Fri 13 Nov -1 h and 3 more)`; empty when it is not known whose they are. */
function describeMoved(
  moved: Statement['sinceClose']['timesheets'],
  { timesheets }: Change,
  { names, timeContext }: SeenBy,
): string {
  const language = languageOf(timeContext);
  const named = moved.slice(0, MAX_MOVED).flatMap(({ employeeId, date, hours }) => {
    if (employeeId == null || date == null) return [];
    const who = nameOf(names.employees, employeeId, language.timesheets.employee);
    const day = formatDay(date, timeContext);
    return [say(language.closings.hoursOf, { who, day, hours: formatChange(hours, language) })];
  });
  const left = (timesheets ?? moved.length) - named.length;
  return named.length === 0 ? '' : ` (${sayFirst(named, left, language)})`;
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
  const language = languageOf(audience);
  const { statements: words } = language;
  const { stage, corrects } = statement;
  const { heading } = words.stages[toStage(stage)];
  return say(heading, {
    period: describePeriodOf(data, toTimeContext(time, audience)),
    corrected: corrects === true ? words.corrected : '',
    hours: formatHours(statement.hours, language),
    since: describeMove(statement, language),
    left: listLeftovers(statement, language)
      .map((each) => `, ${each}`)
      .join(''),
  });
}

/** `, +3 h since it closed`; empty where nothing moved. */
function describeMove({ hours, sinceClose }: Statement, language: Language): string {
  const moved = hours - sinceClose.closedHours;
  return moved === 0 ? '' : say(language.statements.since, { change: formatChange(moved, language) });
}

/** Null where something is left to do that no payment waits for, or where numbers are in doubt. */
function describeAction({ data, time }: StatementEvent, audience: Audience): string | null {
  const { statement } = data;
  const { stage, corrects } = statement;
  const language = languageOf(audience);
  const hours = formatHours(statement.hours, language);
  const period = describePeriodOf(data, toTimeContext(time, audience));
  const isDone = statement.unapproved === 0 && statement.unprocessed === 0;
  const payment = describePayment({ ...statement, hoursToPay: statement.hours }, period, language);
  if (payment === null || (stage === 'final' && !isDone)) return null;
  const action = corrects === true ? say(language.closings.actions.correct, { period, hours }) : payment;
  return `${action}${describeMove(statement, language)}`;
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
