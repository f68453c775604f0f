import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Folded,
  type FoldOptions,
  type FoldResult,
  fold,
  foldAll,
  foldWaiting,
  isPayPeriodEvent,
  isTimesheetEvent,
  type PayPeriodEvent,
  type RecordEvent,
  recordKey,
  type TimesheetEvent,
} from 'workforce-change-notifier';
import { exampleEvent, exampleEvents } from '#kit/testing/example-event.ts';

const TIMESHEET = eventsOf(isTimesheetEvent).filter(isChange);
const PAY_PERIOD = eventsOf(isPayPeriodEvent).filter(isChange);
/** All but its removal, and then created again. */
const RETURNED = [...TIMESHEET, { ...at(TIMESHEET, 1), sequence: 16 }];
const LIVES = [TIMESHEET, TIMESHEET.slice(0, -1), RETURNED] as const;

describe('fold', () => {
  it('follows a record through its life', () => {
    const states = PAY_PERIOD.map((_, index) => folded(PAY_PERIOD.slice(0, index + 1)));
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
      waiting: [],
      inherited: {},
      goneAt: 10,
    });
  });

  it('drops repeats, and says so', () => {
    const first = fold(null, at(TIMESHEET, 1));
    expect(first).toMatchObject({ outcome: 'applied', applied: [at(TIMESHEET, 1)] });
    const again = fold(first.state, at(TIMESHEET, 1));
    expect(again).toEqual({ outcome: 'repeated', state: first.state, applied: [] });
  });

  it('takes the state of the latest event, and names what is missing', () => {
    const { outcome, state } = fold(folded([at(TIMESHEET, 1)]), at(TIMESHEET, 6));
    expect(outcome).toBe('applied');
    expect(state.current?.approvedHours).toBe('2026-11-12T05:15:08.000Z');
    expect(state.missing).toEqual([{ from: 2, to: 5 }]);
  });

  it('keeps the state when an earlier event arrives late', () => {
    const known = folded([at(TIMESHEET, 1), at(TIMESHEET, 6)]);
    const { outcome, state, applied } = fold(known, at(TIMESHEET, 4));
    expect([outcome, applied]).toEqual(['overtaken', []]);
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
    const known = folded([at(TIMESHEET, 6)]);
    expect(known.current).not.toHaveProperty('details');
    const { state } = fold(known, at(TIMESHEET, 1));
    expect(state.current?.details).toEqual(details);
    expect(folded([at(TIMESHEET, 1), at(TIMESHEET, 6)])).toEqual(state);
  });

  it('keeps no details of a record that was removed in between', () => {
    const later = { ...at(TIMESHEET, 6), sequence: 20 };
    for (const events of orders([at(TIMESHEET, 1), at(TIMESHEET, 15), later])) {
      expect(folded(events).current).toEqual(later.data.current);
    }
  });

  it('brings a removed record back when it is created again', () => {
    const state = folded(RETURNED);
    expect(state).toMatchObject({ sequence: 16, removed: false, current: { hoursToPay: 7.5 } });
    expect(state.current?.details).toHaveLength(3);
  });

  it('keeps nothing of a forgotten record but its position, and goes on when it is created again', () => {
    const { subject, epoch } = at(TIMESHEET, 7);
    const event: RecordEvent = {
      ...exampleEvent('workforce.employee.forgotten'),
      subject,
      epoch,
      sequence: 7,
    };
    const known = TIMESHEET.slice(0, 6).reduce<Folded | null>(
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
    const stored = TIMESHEET.reduce<Folded<TimesheetEvent> | null>(
      (state, event) => JSON.parse(JSON.stringify(fold(state, event).state)),
      null,
    );
    expect(stored).toEqual(folded(TIMESHEET));
  });
});

describe('fold with gaps: wait', () => {
  const wait: FoldOptions = { gaps: 'wait' };

  it('applies events in order, and those behind a gap once it is filled', () => {
    let state: Folded<TimesheetEvent> | null = null;
    const told = [3, 1, 4, 2, 2].map((sequence) => {
      const result = fold(state, at(TIMESHEET, sequence), wait);
      state = result.state;
      return [result.outcome, result.applied.map((event) => event.sequence), result.state.sequence];
    });
    expect(told).toEqual([
      ['waiting', [], 0],
      ['applied', [1], 1],
      ['waiting', [], 1],
      ['applied', [2, 3, 4], 4],
      ['repeated', [], 4],
    ]);
  });

  it('names what it waits for, and drops repeats of waiting events', () => {
    const state = folded([at(TIMESHEET, 3), at(TIMESHEET, 7), at(TIMESHEET, 5), at(TIMESHEET, 7)], wait);
    expect(state.missing.map(({ from, to }) => [from, to])).toEqual([
      [1, 2],
      [4, 4],
      [6, 6],
    ]);
    expect(state.waiting.map(({ sequence }) => sequence)).toEqual([3, 5, 7]);
    expect(state.current).toBeNull();
  });

  it('goes on without events that will not arrive', () => {
    const { state, applied } = foldWaiting(folded([at(TIMESHEET, 3), at(TIMESHEET, 2)], wait));
    expect(applied.map(({ sequence }) => sequence)).toEqual([2, 3]);
    expect(state).toEqual(folded([at(TIMESHEET, 2), at(TIMESHEET, 3)]));
    expect(fold(state, at(TIMESHEET, 4), wait)).toMatchObject({ outcome: 'applied' });
    expect(fold(state, at(TIMESHEET, 1), wait)).toMatchObject({
      outcome: 'overtaken',
      state: { missing: [] },
    });
  });

  it('applies waiting events when switched to gaps: take', () => {
    const waiting = folded([at(TIMESHEET, 3), at(TIMESHEET, 5)], wait);
    const { applied, state } = fold(waiting, at(TIMESHEET, 4));
    expect(applied.map(({ sequence }) => sequence)).toEqual([3, 4, 5]);
    expect(state).toEqual(folded([at(TIMESHEET, 3), at(TIMESHEET, 4), at(TIMESHEET, 5)]));
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
      expect(folded(delivered)).toEqual(folded(some));
    });
    fc.assert(same, { numRuns: 300, seed: 3 });
  });

  it('fold to the same state when they wait for each other', () => {
    const same = fc.property(shuffled, ({ some, delivered }) => {
      const [state, expected] = [folded(delivered, { gaps: 'wait' }), folded(some, { gaps: 'wait' })];
      expect(state).toEqual(expected);
      expect(foldWaiting(state).state).toEqual(folded(some));
    });
    fc.assert(same, { numRuns: 300, seed: 5 });
  });

  it('are each applied at most once, and those that wait in order', () => {
    const once = fc.property(shuffled, ({ delivered }) => {
      for (const gaps of ['take', 'wait'] as const) {
        let state: Folded<TimesheetEvent> | null = null;
        const applied: number[] = [];
        for (const event of delivered) {
          const result: FoldResult<TimesheetEvent> = fold(state, event, { gaps });
          state = result.state;
          applied.push(...result.applied.map(({ sequence }) => sequence));
        }
        expect(applied).toEqual([...new Set(applied)].sort((left, right) => left - right));
      }
    });
    fc.assert(once, { numRuns: 200, seed: 9 });
  });
});

describe('foldAll', () => {
  it.each<FoldOptions>([{}, { gaps: 'wait' }])('gives what fold gives event by event, with %j', (options) => {
    const events = [3, 1, 2, 2, 6].map((sequence) => at(TIMESHEET, sequence));
    const { state, applied } = foldAll(null, events, options);
    expect(state).toEqual(folded(events, options));
    expect(applied.map(({ sequence }) => sequence)).toEqual(options.gaps === 'wait' ? [1, 2, 3] : [3, 6]);
  });

  it('continues from a known state', () => {
    const known = folded(TIMESHEET.slice(0, 2));
    const events = TIMESHEET.slice(2);
    const { state, applied } = foldAll(known, events);
    expect(state).toEqual(folded(TIMESHEET));
    expect(applied).toEqual(events);
  });

  it('of no events returns the known state, or an empty one', () => {
    const known = folded(TIMESHEET);
    expect(foldAll(known, [])).toEqual({ state: known, applied: [] });
    expect(foldAll<TimesheetEvent>(null, []).state).toMatchObject({
      sequence: 0,
      current: null,
      removed: false,
    });
  });
});

it('names the record of an event', () => {
  expect(recordKey(at(TIMESHEET, 1))).toBe('/connections/main/timesheets/101550_1');
  expect(recordKey(at(PAY_PERIOD, 1))).toBe('/connections/main/pay-periods/9019_1');
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

function folded<Event extends TimesheetEvent | PayPeriodEvent>(
  events: readonly Event[],
  options?: FoldOptions,
): Folded<Event> {
  const [first, ...others] = events;
  if (first === undefined) throw new Error('no events');
  return others.reduce((state, event) => fold(state, event, options).state, fold(null, first, options).state);
}

function orders<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, index) => orders(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}
