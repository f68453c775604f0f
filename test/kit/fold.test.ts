import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type FoldResult,
  type FoldState,
  fold,
  isPayPeriodEvent,
  isTimesheetEvent,
  type PayPeriodEvent,
  type RecordEvent,
  type TimesheetEvent,
} from 'workforce-change-notifier';
import { exampleEvent, exampleEvents } from '#test/support/example-event.ts';
import { foldAll } from './fold-all.ts';

const TIMESHEET = eventsOf(isTimesheetEvent).filter(isChange);
const PAY_PERIOD = eventsOf(isPayPeriodEvent).filter(isChange);
/** All but its removal, and then created again. */
const RETURNED = [...TIMESHEET, { ...at(TIMESHEET, 1), sequence: 16 }];
const LIVES = [TIMESHEET, TIMESHEET.slice(0, -1), RETURNED] as const;

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
    expect(states.at(-1)).toEqual({
      epoch: at(PAY_PERIOD, 1).epoch,
      sequence: 10,
      current: null,
      removed: true,
      // Of two closings and settlements, the examples are the first.
      missing: [
        { from: 7, to: 7 },
        { from: 9, to: 9 },
      ],
      inherited: {},
      goneAt: 10,
    });
  });

  it('drops repeats, and says so', () => {
    const first = fold(null, at(TIMESHEET, 1));
    expect(first.outcome).toBe('applied');
    const again = fold(first.state, at(TIMESHEET, 1));
    expect(again).toEqual({ outcome: 'repeated', state: first.state });
  });

  it('takes the state of the latest event, and names what is missing', () => {
    const { outcome, state } = fold(foldAll([at(TIMESHEET, 1)]), at(TIMESHEET, 6));
    expect(outcome).toBe('applied');
    expect(state.current?.approvedHours).toBe('2026-11-12T05:15:08.000Z');
    expect(state.missing).toEqual([{ from: 2, to: 5 }]);
  });

  it('keeps the state when an earlier event arrives late', () => {
    const known = foldAll([at(TIMESHEET, 1), at(TIMESHEET, 6)]);
    const { outcome, state } = fold(known, at(TIMESHEET, 4));
    expect(outcome).toBe('overtaken');
    expect(state).toEqual({
      ...known,
      missing: [
        { from: 2, to: 3 },
        { from: 5, to: 5 },
      ],
    });
    expect(fold(state, at(TIMESHEET, 4)).outcome).toBe('repeated');
  });

  it('keeps details, which few events carry, and takes them from an earlier event that arrives late', () => {
    const details = at(TIMESHEET, 1).data.current?.details;
    expect(at(TIMESHEET, 6).data.current).not.toHaveProperty('details');
    expect(details).toHaveLength(3);
    const known = foldAll([at(TIMESHEET, 6)]);
    expect(known.current).not.toHaveProperty('details');
    const { state } = fold(known, at(TIMESHEET, 1));
    expect(state.current?.details).toEqual(details);
    expect(foldAll([at(TIMESHEET, 1), at(TIMESHEET, 6)])).toEqual(state);
  });

  it('keeps no details of a record that was removed in between', () => {
    const later = { ...at(TIMESHEET, 6), sequence: 20 };
    for (const events of orders([at(TIMESHEET, 1), at(TIMESHEET, 15), later])) {
      expect(foldAll(events).current).toEqual(later.data.current);
    }
  });

  it('brings a removed record back when it is created again', () => {
    const state = foldAll(RETURNED);
    expect(state).toMatchObject({ sequence: 16, removed: false, current: { hoursToPay: 7.5 } });
    expect(state.current?.details).toHaveLength(3);
  });

  it('keeps nothing of a forgotten record but its position, and goes on when it is created again', () => {
    const { subject = '', epoch = '' } = at(TIMESHEET, 7);
    const event = exampleEvent('workforce.employee.forgotten', { subject, epoch, sequence: 7 });
    const known = TIMESHEET.slice(0, 6).reduce<FoldState | null>(
      (state, each) => fold<RecordEvent>(state, each).state,
      null,
    );
    const forgotten = fold<RecordEvent>(known, event).state;
    expect(forgotten).toMatchObject({
      sequence: 7,
      removed: true,
      current: null,
      inherited: {},
      missing: [],
    });
    expect(JSON.stringify(forgotten)).not.toContain('1030_1');
    // One that was on its way meanwhile.
    expect(fold<RecordEvent>(forgotten, at(TIMESHEET, 6)).state).toEqual(forgotten);
    const again = fold<RecordEvent>(forgotten, { ...at(TIMESHEET, 1), sequence: 8 }).state;
    expect(again).toMatchObject({ sequence: 8, removed: false, missing: [] });
  });

  it('can be stored as JSON between two events', () => {
    const stored = TIMESHEET.reduce<FoldState<TimesheetEvent> | null>(
      (state, event) => JSON.parse(JSON.stringify(fold(state, event).state)),
      null,
    );
    expect(stored).toEqual(foldAll(TIMESHEET));
  });
});

describe('events in any order, any number of times', () => {
  const shuffled = fc
    .constantFrom(...LIVES)
    .chain((life) => fc.subarray([...life], { minLength: 1 }))
    .chain((some) =>
      fc
        .tuple(fc.constant(some), fc.array(fc.constantFrom(...some)))
        .chain(([all, more]) =>
          fc.shuffledSubarray([...all, ...more], { minLength: all.length + more.length }),
        )
        .map((delivered) => ({ some, delivered })),
    );

  it('fold to the same state as in order and once', () => {
    const same = fc.property(shuffled, ({ some, delivered }) => {
      expect(foldAll(delivered)).toEqual(foldAll(some));
    });
    fc.assert(same, { numRuns: 300, seed: 3 });
  });

  it('are each applied at most once, and in order', () => {
    const once = fc.property(shuffled, ({ delivered }) => {
      let state: FoldState<TimesheetEvent> | null = null;
      const applied: number[] = [];
      for (const event of delivered) {
        const result: FoldResult<TimesheetEvent> = fold(state, event);
        state = result.state;
        if (result.outcome === 'applied') applied.push(event.sequence);
      }
      expect(applied).toEqual([...new Set(applied)].sort((left, right) => left - right));
    });
    fc.assert(once, { numRuns: 200, seed: 9 });
  });
});

function eventsOf<Event extends TimesheetEvent | PayPeriodEvent>(
  isOne: (event: Parameters<typeof isTimesheetEvent>[0]) => event is Event,
): readonly Event[] {
  return exampleEvents()
    .filter(({ type }) => !type.includes('_missing'))
    .filter(isOne)
    .sort((left, right) => left.sequence - right.sequence);
}

function isChange({ type }: { readonly type: string }): boolean {
  return !/\.(?:snapshot|forgotten)$/.test(type);
}

function at<Event extends { readonly sequence: number }>(events: readonly Event[], sequence: number): Event {
  const found = events.find((event) => event.sequence === sequence);
  if (found === undefined) throw new Error(`no event ${sequence}`);
  return found;
}

function orders<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, index) => orders(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}
