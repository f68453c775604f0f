import type { ShortEventType } from '#shared/core/event-types.ts';
import type { ComposeContext } from '#shared/people/compose.ts';
import type { WaitingEvent } from '#shared/people/waiting-event.ts';
import { exampleEvent } from '#test/support/example-event.ts';
import {
  compose,
  EXAMPLE_NAMES,
  EXAMPLE_ZONE,
  printAll,
  waitingExample,
} from '#test/support/example-messages.ts';

export const CLOSED = [{ id: '9019_1', calendar: 'Weekly', effect: 'changes' }];
export const LATE = { late: ['close'], closedPeriods: CLOSED };
export const STAMP = '2026-11-17T22:15:00.000Z';
const PERIODS = new Map([
  ['9019_1', { calendar: 'Weekly', startDate: '2026-11-09', finishDate: '2026-11-15' }],
]);

export type Data = Readonly<Record<string, unknown>>;

/** What happened, and what waits for a channel by then. */
export type Scene = readonly [
  what: string,
  events: readonly WaitingEvent[],
  context?: Partial<ComposeContext>,
];

/** What people read of each scene, to be compared with a file. */
export function printScenes(scenes: readonly Scene[]): string {
  const told = scenes.map(([what, events, context]) => {
    const messages = printAll(compose(events, { ...inMain(), ...context }));
    return [`## ${what}`, ...(messages.length === 0 ? ['(nothing)'] : messages)].join('\n\n');
  });
  return `${told.join('\n\n')}\n`;
}

/** The connection of the examples, with the closed pay period and other names where they are given. */
export function inMain(names = EXAMPLE_NAMES): Pick<ComposeContext, 'connections'> {
  return { connections: new Map([['main', { timeZone: EXAMPLE_ZONE, names, periods: PERIODS }]]) };
}

/** A change of the timesheet of the example after its period closed; `sequence` says in which order. */
export function late(type: ShortEventType, sequence: number, data: Data = {}, subject = '101550_1') {
  return waitingExample(type, { subject, sequence, data: { ...LATE, ...data } }, { delay: 'hour' });
}

/** Its hours, before and after. */
export function hours(before: number, after: number) {
  const { current } = exampleEvent('workforce.timesheet.changed').data;
  return {
    current: { ...current, hoursToPay: after, approvedHours: STAMP },
    previous: { hoursToPay: before },
    changed: ['hoursToPay'],
  };
}

/** The same of as many timesheets. */
export function several(count: number, toEvents: (subject: string) => readonly WaitingEvent[]) {
  return Array.from({ length: count }, (_, place) => toEvents(`${place}_1`)).flat();
}
