import { type ShortEventType, toEventType } from '#shared/core/event-types.ts';
import { exampleEvent } from '#test/support/example-event.ts';
import { EXAMPLE_NAMES, EXAMPLE_ZONE, waitingExample } from '#test/support/example-messages.ts';

export const CLOSED = [{ id: '9019_1', calendar: 'Weekly', effect: 'changes' }];
export const LATE = { late: ['close'], closedPeriods: CLOSED };
const PERIODS = new Map([
  ['9019_1', { calendar: 'Weekly', startDate: '2026-11-09', finishDate: '2026-11-15' }],
]);
export const IN_MAIN = {
  connections: new Map([['main', { timeZone: EXAMPLE_ZONE, names: EXAMPLE_NAMES, periods: PERIODS }]]),
};
export const STAMP = '2026-11-17T22:15:00.000Z';

export type Data = Readonly<Record<string, unknown>>;

/** A change of the timesheet of the example after its period closed; `sequence` says in which order. */
export function late(type: ShortEventType, sequence: number, data: Data = {}, subject = '101550_1') {
  return waitingExample(type, { subject, sequence, data: { ...LATE, ...data } }, { delay: 'hour' });
}

/** Its hours, before and after. */
export function hours(before: number, after: number) {
  const { current } = exampleEvent(toEventType('timesheet.changed')).data;
  return {
    current: { ...current, hoursToPay: after, approvedHours: STAMP },
    previous: { hoursToPay: before },
    changed: ['hoursToPay'],
  };
}
