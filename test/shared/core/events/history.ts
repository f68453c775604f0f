import fc from 'fast-check';
import { type Change, type ChangeEvents, toEvents } from '#shared/core/events/events.ts';
import {
  clocking,
  createChange,
  createEventContext,
  detail,
  PAY_PERIODS,
  type SampleRecord,
  TIMESHEETS,
  timesheet,
} from '#test/support/builders.ts';

export const STAMP = '2026-03-05T00:30:00.000Z';
export const LATER = '2026-03-05T00:45:00.000Z';

export interface Event {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly data: Readonly<Record<string, unknown>> & {
    readonly current: Readonly<Record<string, unknown>> | null;
    readonly previous: Readonly<Record<string, unknown>> | null;
  };
}

export function buildEvents(change: Change, feed = TIMESHEETS): Event[] {
  return toEvents(change, createEventContext(feed)).texts.map((text) => JSON.parse(text) as Event);
}

/** All events of a record that was taken over silently and then went from state to state. */
export function history(
  first: SampleRecord | undefined,
  ...states: readonly (SampleRecord | undefined)[]
): Event[] {
  let before = first ?? timesheet();
  let known: Partial<NonNullable<ChangeEvents['row']>> = { sequence: 0, sent: {} };
  return states.flatMap((after = timesheet()) => {
    const feed = 'date' in after ? TIMESHEETS : PAY_PERIODS;
    const { sequence = 0, sent = {} } = known;
    const changeEvents = toEvents(
      createChange(before, after, { row: { sequence, sent } }),
      createEventContext(feed),
    );
    before = after;
    known = changeEvents.row ?? {};
    return changeEvents.texts.map((text) => JSON.parse(text) as Event);
  });
}

/** Any state of one timesheet. */
export const present = fc
  .record({
    hoursToPay: fc.constantFrom(7.5, 8),
    department: fc.constantFrom(null, { id: '501_7', name: 'Kitchen' }),
    details: fc.constantFrom([], [detail()], [detail({ hours: 8 })]),
    clockIn: fc.constantFrom(null, clocking(), clocking({ variance: 4 })),
    clockOut: fc.constantFrom(null, clocking({ id: '7002_7' }), clocking({ id: '7002_7', variance: 4 })),
    approvedHours: fc.constantFrom(null, STAMP, LATER),
    approvedPayroll: fc.constantFrom(null, 'PAY-1', 'PAY-2'),
    processed: fc.constantFrom(null, STAMP, LATER),
  })
  .map((values) => timesheet(values));
const states = fc.option(present, { nil: null, freq: 6 });
/** Two looks at it, one of which may not have found it. */
export const changes = fc
  .tuple(states, states)
  .filter(([before, after]) => before !== null || after !== null);
