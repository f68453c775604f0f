import { describe, expect, it } from 'vitest';
import {
  type FoldState,
  fold,
  isPayPeriodEvent,
  isTimesheetEvent,
  type PayPeriodEvent,
  type RecordEvent,
  type TimesheetEvent,
} from 'workforce-change-notifier';
import { exampleEvent, exampleEvents } from '#test/support/example-event.ts';

const TIMESHEET = eventsOf(isTimesheetEvent);
const PAY_PERIOD = eventsOf(isPayPeriodEvent);
const EPOCHS = { a: '2026-11-02T00:00:00.000Z', b: '2026-12-02T00:00:00.000Z', '-': undefined };

describe('fold', () => {
  it('follows a record through its life', () => {
    const states = PAY_PERIOD.map((_, index) => foldAll(PAY_PERIOD.slice(0, index + 1)));
    expect(states.map(({ sequence, removed, current }) => [sequence, removed, current?.closed])).toEqual([
      [1, false, null],
      [2, false, null],
      [3, false, null],
      [4, false, '2026-11-17'],
      [5, false, '2026-11-17'],
      [6, false, null],
      [8, false, '2026-11-18'],
      [10, true, undefined],
    ]);
    // Of two closings and settlements, the examples are the first.
    const missing = [
      { from: 7, to: 7 },
      { from: 9, to: 9 },
    ];
    const gone = { current: null, removed: true, inherited: {}, goneAt: 10 };
    expect(states.at(-1)).toEqual({ epoch: PAY_PERIOD[0]?.epoch, sequence: 10, missing, ...gone });
  });

  // An epoch with a sequence, and what becomes of the event; in the end, what is missing.
  it.each([
    ['a1 applied, a1 repeated', ''],
    ['a1 applied, a6 applied', '2-5'],
    ['a1 applied, a6 applied, a4 overtaken, a4 repeated', '2-3 5-5'],
    // A later epoch replaces an earlier one, whatever its sequence, of which nothing counts that comes late.
    ['a1 applied, a6 applied, b1 applied, a2 overtaken, a99 overtaken, -1 overtaken', ''],
    ['a1 applied, a5 applied, b3 applied, b2 overtaken', '1-1'],
    // State that was stored before there were epochs.
    ['-1 applied, -4 applied, -4 repeated, -5 applied, a1 applied', ''],
  ])('says what becomes of each event, and what is missing: %s', (steps, expected) => {
    let state: FoldState<TimesheetEvent> | null = null;
    for (const step of steps.split(', ')) {
      const [, epoch = '', sequence = '', outcome] = /^(.)(\d+) (\w+)$/.exec(step) ?? [];
      const before: FoldState<TimesheetEvent> | null = state;
      const result = fold(state, event(epoch as 'a', Number(sequence)));
      expect(result.outcome, step).toBe(outcome);
      if (outcome === 'repeated') expect(result.state).toBe(before);
      // As it may be stored in between.
      state = JSON.parse(JSON.stringify(result.state)) as FoldState<TimesheetEvent>;
    }
    expect(state?.missing.map(({ from, to }) => `${from}-${to}`).join(' ')).toBe(expected);
  });

  it('keeps details, which few events carry, and takes them from an earlier event that arrives late', () => {
    const [first, last] = [at(1), at(6)];
    expect(last.data.current).not.toHaveProperty('details');
    expect(foldAll([last]).current).not.toHaveProperty('details');
    const state = foldAll([last, first]);
    expect(state).toMatchObject({ sequence: 6, inherited: { details: 1 } });
    expect(state.current).toEqual({ ...last.data.current, details: first.data.current?.details });
    expect(foldAll([first, last])).toEqual(state);
  });

  it('keeps no details of a record that was removed in between, or of an earlier epoch: they may be out of date', () => {
    const later = { ...at(6), sequence: 20 };
    for (const events of [
      [at(1), at(15), later],
      [later, at(15), at(1)],
      [at(15), later, at(1)],
    ])
      expect(foldAll(events).current).toEqual(later.data.current);
    const { details: _, ...current } = at(1).data.current ?? {};
    const anew = { ...event('b', 1), data: { ...at(1).data, current } } as TimesheetEvent;
    expect(foldAll([event('a', 1), anew]).current).toEqual(current);
  });

  it('brings a removed record back when it is created again', () => {
    const state = foldAll([...TIMESHEET, { ...at(1), sequence: 16 }]);
    expect(state).toMatchObject({ sequence: 16, removed: false, current: { hoursToPay: 7.5 } });
    expect(state.current?.details).toHaveLength(3);
  });

  it('keeps nothing of a forgotten record but its position, and goes on when it is created again', () => {
    const { subject = '', epoch = '' } = at(7);
    const forget = exampleEvent('workforce.employee.forgotten', { subject, epoch, sequence: 7 });
    const forgotten = foldAll<RecordEvent>([...TIMESHEET.slice(0, 6), forget]);
    expect(forgotten).toMatchObject({
      sequence: 7,
      removed: true,
      current: null,
      inherited: {},
      missing: [],
    });
    expect(JSON.stringify(forgotten)).not.toContain('1030_1');
    // One that was on its way meanwhile.
    expect(fold<RecordEvent>(forgotten, at(6)).state).toEqual(forgotten);
    const again = fold<RecordEvent>(forgotten, { ...at(1), sequence: 8 }).state;
    expect(again).toMatchObject({ sequence: 8, removed: false, missing: [] });
  });
});

function foldAll<Event extends RecordEvent>([first, ...others]: readonly Event[]): FoldState<Event> {
  if (first === undefined) throw new Error('no events');
  return others.reduce((state, event) => fold(state, event).state, fold(null, first).state);
}

/** The changes of the example, in order. */
function eventsOf<Event extends TimesheetEvent | PayPeriodEvent>(
  isOne: (event: RecordEvent) => event is Event,
): readonly Event[] {
  return (exampleEvents() as readonly RecordEvent[])
    .filter(({ type }) => !/_missing|\.snapshot$|\.forgotten$/.test(type))
    .filter(isOne)
    .sort((left, right) => left.sequence - right.sequence);
}

function at(sequence: number): TimesheetEvent {
  const found = TIMESHEET.find((event) => event.sequence === sequence);
  if (found === undefined) throw new Error(`no event ${sequence}`);
  return found;
}

/** An event of the example in an epoch. */
function event(epoch: keyof typeof EPOCHS, sequence: number): TimesheetEvent {
  const { epoch: _, ...sample } = at(sequence === 1 ? 1 : 6);
  const given = EPOCHS[epoch] === undefined ? {} : { epoch: EPOCHS[epoch] };
  return { ...sample, ...given, sequence } as TimesheetEvent;
}
