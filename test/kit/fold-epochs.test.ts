import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FoldState, fold, isTimesheetEvent, type TimesheetEvent } from 'workforce-change-notifier';
import { exampleEvents } from '#test/support/example-event.ts';
import { foldAll } from './fold-all.ts';

const [EARLY, LATE] = ['2026-11-02T00:00:00.000Z', '2026-12-02T00:00:00.000Z'];
// Missing clockings are of another timesheet.
const SAMPLES = exampleEvents()
  .filter(isTimesheetEvent)
  .filter(({ type }) => !/_missing|\.snapshot$/.test(type));

describe('fold', () => {
  it('lets a later epoch replace an earlier one, whatever its sequence', () => {
    const before = foldAll([1, 2, 3, 6].map((sequence) => event(EARLY, sequence)));
    const { outcome, state } = fold(before, event(LATE, 1, { hoursToPay: 3 }));

    expect(outcome).toBe('applied');
    expect(state).toMatchObject({ epoch: LATE, sequence: 1, removed: false, missing: [], inherited: {} });
    expect(state.current).toMatchObject({ hoursToPay: 3 });
  });

  it('keeps nothing of an earlier epoch that the event leaves out: it may be out of date', () => {
    const before = fold(null, event(EARLY, 1)).state;
    expect(before.current).toHaveProperty('details');
    const { state } = fold(before, withoutDetails(event(LATE, 1)));

    expect(state.current).not.toHaveProperty('details');
  });

  it('ignores late events of an earlier epoch', () => {
    const known = foldAll([event(EARLY, 1), event(LATE, 2)]);

    for (const sequence of [1, 2, 99]) {
      expect(fold(known, event(EARLY, sequence))).toEqual({ outcome: 'overtaken', state: known });
      expect(fold(known, event(undefined, sequence)).outcome).toBe('overtaken');
    }
  });

  it('looks for gaps within an epoch', () => {
    const state = foldAll([event(EARLY, 1), event(EARLY, 5), event(LATE, 3)]);

    expect(state.missing).toEqual([{ from: 1, to: 2 }]);
    expect(fold(state, event(LATE, 2)).state.missing).toEqual([{ from: 1, to: 1 }]);
  });

  it('continues from state stored before there were epochs', () => {
    const stored: FoldState<TimesheetEvent> = JSON.parse(
      JSON.stringify(foldAll([event(undefined, 1), event(undefined, 4)])),
    );
    expect(stored).not.toHaveProperty('epoch');

    expect(fold(stored, event(undefined, 4)).outcome).toBe('repeated');
    expect(fold(stored, event(undefined, 5))).toMatchObject({ outcome: 'applied', state: { sequence: 5 } });
    expect(fold(stored, event(EARLY, 1))).toMatchObject({
      outcome: 'applied',
      state: { epoch: EARLY, sequence: 1 },
    });
  });

  it('gives the same state in any order of events of several epochs', () => {
    const lives = [undefined, EARLY, LATE].flatMap((epoch) =>
      [1, 2, 3, 4].map((sequence) => event(epoch, sequence)),
    );
    const due = foldAll(lives);

    fc.assert(
      fc.property(fc.shuffledSubarray(lives, { minLength: lives.length }), (events) => {
        expect(foldAll([...events, ...events.slice(0, 3)])).toEqual(due);
      }),
    );
  });
});

/** An event of the sample timesheet in an epoch. */
function event(epoch: string | undefined, sequence: number, current: object = {}): TimesheetEvent {
  const sample = SAMPLES.find((each) => each.sequence === (sequence === 1 ? 1 : 6));
  if (sample === undefined) throw new Error('there is no such sample');
  const { epoch: _, ...rest } = sample;
  const data = { ...sample.data, current: { ...sample.data.current, ...current } };
  return { ...rest, ...(epoch === undefined ? {} : { epoch }), sequence, data } as TimesheetEvent;
}

function withoutDetails(of: TimesheetEvent): TimesheetEvent {
  const { details: _, ...current } = of.data.current ?? {};
  return { ...of, data: { ...of.data, current } } as TimesheetEvent;
}
