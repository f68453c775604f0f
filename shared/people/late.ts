import { listAll } from './messages/wording.ts';
import type { TimesheetEvent } from './read-events.ts';

type Data = Pick<TimesheetEvent['data'], 'late' | 'closedPeriods'>;

/** Whether it is not known of any of its closed pay periods that the change came after the closing. */
export function isPerhapsLate({ late, closedPeriods = [] }: Data): boolean {
  return (
    late.includes('close') &&
    closedPeriods.length > 0 &&
    closedPeriods.every(({ certain }) => certain === false)
  );
}

/** Whether somebody was paid before it, or is about to be: no later event undoes that. */
export function isAfterPay({ late }: Pick<Data, 'late'>): boolean {
  return late.some((each) => each === 'processing' || each === 'close');
}

/** The same, where it is certain. */
export function isSurelyAfterPay(data: Data): boolean {
  return isAfterPay(data) && (!isPerhapsLate(data) || data.late.includes('processing'));
}

/**
 * `, after it was processed and its pay period closed`; empty in time. `implied`: what the line, or the heading above it,
 * says anyway.
 */
export function sayLate(data: Data, implied: readonly string[] = []): string {
  const isPerhaps = isPerhapsLate(data);
  const stood = data.late.filter((each) => !implied.includes(each));
  const done = [
    ...(stood.includes('approval') ? ['approved'] : []),
    ...(stood.includes('processing') ? ['processed'] : []),
  ];
  const reasons = [
    ...(done.length === 0 ? [] : [`it was ${listAll(done)}`]),
    ...(stood.includes('close') && !isPerhaps ? ['its pay period closed'] : []),
  ];
  const certain = reasons.length === 0 ? '' : `, after ${listAll(reasons)}`;
  return `${certain}${stood.includes('close') && isPerhaps ? ', perhaps after its pay period closed' : ''}`;
}
