import { roundNumber } from '../core/records/values.ts';
import { readNumber } from './event-state.ts';
import { isSurelyAfterPay } from './late.ts';
import { formatHours } from './messages/numbers.ts';
import type { TimesheetEvent } from './read-events.ts';
import { foldStates, isReadyState, isStamped, type States } from './timesheet-states.ts';

/** What somebody has to do about the hours of a timesheet: `Hold back`, `3 h`, ` of`, `its processing was undone`. */
export interface Action {
  readonly verb: string;
  readonly hours: number;
  readonly link: ' of' | ' from' | ' more to';
  readonly why: string | null;
}

/** `Hold back 3 h of Ana Lee, Kitchen, Thu 12 Nov: its processing was undone`. */
export function sayAction({ verb, hours, link, why }: Action, who: string): string {
  return `${verb} ${formatHours(hours)}${link} ${who}${why === null ? '' : `: ${why}`}`;
}

/** What somebody has to do, by what stood before and stands now: of what came in time nobody is asked anything. */
export function findAction(events: readonly TimesheetEvent[], facts: string): Action | null {
  const open = dropPaid(events);
  const states = foldStates(open);
  const { before, after } = states;
  const late = open.filter(({ data }) => isSurelyAfterPay(data));
  const [was, hours] = [readNumber(before, 'hoursToPay'), readNumber(after, 'hoursToPay')];
  if (after === null) return askAfterRemoval(was, late);
  if (hours === null) return null;
  // Nobody can pay no hours, or hold them back.
  const ask = (verb: string, why: string, asked = hours): Action | null =>
    asked === 0 ? null : { verb, hours: asked, link: ' of', why };
  const undone = findUndone(states, late.length > 0);
  if (undone !== null) return ask('Hold back', undone, was ?? hours);
  if (late.length === 0) return null;
  // It may have been processed at the same look.
  if (!isStamped(after, 'processed') && isToDo(states)) return askForMore(states, ask);
  if (isReadyState(after) && isElsewhere(states, late)) return ask('Check', facts);
  if (was !== null && was !== hours) return isReadyState(after) ? askForDifference(hours - was) : null;
  return late.some(({ type }) => type.includes('.clock')) ? ask('Check', facts) : null;
}

/** What is processed is paid as it was then, also what changed while it was not: only what came later is left. */
function dropPaid(events: readonly TimesheetEvent[]): readonly TimesheetEvent[] {
  if (!isStamped(events.at(-1)?.data.current ?? null, 'processed')) return events;
  return events.slice(events.findLastIndex(({ type }) => type === 'workforce.timesheet.processed') + 1);
}

/** Why hours that were ready are not any more. */
function findUndone({ before, after }: States, isLate: boolean): string | null {
  const wasUndone = (field: string) => isStamped(before, field) && !isStamped(after, field);
  if (wasUndone('processed')) return 'its processing was undone';
  if (!isLate) return null;
  if (wasUndone('approvedHours')) return 'no longer approved';
  return wasUndone('approvedPayroll') ? 'no longer approved for payroll' : null;
}

type Ask = (verb: string, why: string) => Action | null;

function wasDone({ before, after }: States, field: string): boolean {
  return !isStamped(before, field) && isStamped(after, field);
}

/** Whether it is new, or newly approved. */
function isToDo(states: States): boolean {
  return states.before === null || wasDone(states, 'approvedHours') || wasDone(states, 'approvedPayroll');
}

function askForMore(states: States, ask: Ask): Action | null {
  if (wasDone(states, 'approvedHours')) return ask('Pay', 'approved after closing');
  if (wasDone(states, 'approvedPayroll')) return ask('Process', 'approved for payroll after closing');
  return ask('Approve', 'added after closing');
}

/** Whether its hours are somebody else's now, or another period's: no difference of hours says what to pay. */
function isElsewhere({ before, after }: States, late: readonly TimesheetEvent[]): boolean {
  if (before === null) return false;
  if (before.employeeId !== after?.employeeId) return true;
  const periods = late.flatMap(({ data }) => data.closedPeriods ?? []);
  return (
    before.date !== after?.date && periods.some(({ effect }) => effect === 'gains' || effect === 'loses')
  );
}

function askForDifference(difference: number): Action {
  const hours = roundNumber(Math.abs(difference));
  if (difference > 0) return { verb: 'Pay', hours, link: ' more to', why: null };
  return { verb: 'Recover', hours, link: ' from', why: null };
}

function askAfterRemoval(hours: number | null, late: readonly TimesheetEvent[]): Action | null {
  if (hours === null || hours === 0 || late.length === 0) return null;
  const isPaid = late.some(({ data }) => data.late.includes('processing'));
  return isPaid
    ? { verb: 'Recover', hours, link: ' from', why: 'removed' }
    : { verb: 'Do not pay', hours, link: ' of', why: 'removed' };
}
