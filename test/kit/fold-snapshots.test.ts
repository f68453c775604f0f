import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type FoldState,
  fold,
  isTimesheetEvent,
  parseEvent,
  type TimesheetEvent,
} from 'workforce-change-notifier';
import { buildSnapshotEvent } from '#shared/core/events/snapshot-events.ts';
import { TIMESHEET_FIELDS } from '#shared/core/records/timesheet.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import { loggedTimesheetSchema, toForgottenText } from '#shared/systems/forget/forgotten-event.ts';
import { exampleEvents } from '#test/support/example-event.ts';

const FEED = { connection: 'main', feed: 'timesheets' } as const;
const NO_PERIODS = () => null;
/** The sample timesheet whose life is told from its creation to its removal. */
const LIFE_ID = '101550_1';
/** Everything that happens to the sample timesheet until it is removed, and after each event the stored row. */
const EVENTS = exampleEvents()
  .filter(isTimesheetEvent)
  .filter(({ subject, type }) => subject === LIFE_ID && !type.endsWith('.snapshot'))
  .sort((left, right) => left.sequence - right.sequence);
const LIFE = listRows();
/** What stays of a snapshot once its record is forgotten. */
const REMOVED = forgottenSnapshot();

describe('a snapshot', () => {
  it('is a base on which events go on, without the events before it', () => {
    const state = foldAll([snapshot(8), event(9)]);
    expect(state).toMatchObject({ sequence: 9, missing: [], removed: false });
    expect(state.current).toEqual(foldAll(EVENTS.slice(0, 9)).current);
  });

  it('of a record without events has sequence 0', () => {
    const { outcome, state } = fold(null, snapshot(0));
    expect(outcome).toBe('applied');
    expect(state).toMatchObject({ sequence: 0, missing: [], current: { hoursToPay: 7.5 } });
    expect(state.current?.details).toHaveLength(3);
    expect(fold(state, snapshot(0)).outcome).toBe('repeated');
    expect(fold(state, event(2)).state.missing).toEqual([{ from: 1, to: 1 }]);
  });

  it('takes the place of the events up to its sequence, arrived or not', () => {
    const behind = foldAll([event(1), event(4)]);
    const { outcome, state } = fold(behind, snapshot(6));
    expect([outcome, state.sequence, state.missing]).toEqual(['applied', 6, []]);
    expect(fold(state, event(3))).toEqual({ outcome: 'repeated', state });
    expect(fold(state, event(6)).outcome).toBe('repeated');
  });

  it('is ignored when newer is known, except for what only it can say', () => {
    const newer = fold(null, event(9)).state;
    const { outcome, state } = fold(newer, snapshot(6));
    expect(outcome).toBe('overtaken');
    expect(state).toMatchObject({ sequence: 9, missing: [{ from: 7, to: 8 }] });
    expect(newer.current).not.toHaveProperty('details');
    expect(state.current).toEqual({ ...newer.current, details: snapshot(6).data.current?.details });
  });

  it('of a forgotten record says that it is gone', () => {
    const state = foldAll([event(3), REMOVED]);
    expect(state).toMatchObject({ sequence: 15, current: null, removed: true, missing: [] });
    expect(fold(null, REMOVED).state).toEqual(state);
  });

  it('of a later epoch ends the earlier one, and one of an earlier epoch is overtaken', () => {
    const later = snapshotOf({ ...at(3), epoch: Date.parse('2026-12-01T00:00:00Z'), sequence: 0 });
    const state = foldAll([event(3), later]);
    expect(state).toMatchObject({ epoch: '2026-12-01T00:00:00.000Z', sequence: 0, missing: [] });
    expect(state).toEqual(fold(null, later).state);
    expect(fold(state, snapshot(9))).toEqual({ outcome: 'overtaken', state });
  });
});

describe('events and snapshots in any order, any number of times', () => {
  const all = [...EVENTS, REMOVED, ...LIFE.map((_, sequence) => snapshot(sequence))];
  const delivered = fc.subarray(all, { minLength: 1 }).chain((some) =>
    fc
      .array(fc.constantFrom(...some))
      .chain((more) => fc.shuffledSubarray([...some, ...more], { minLength: some.length + more.length }))
      .map((order) => ({ some, order })),
  );

  it('fold to the same state as in order and once', () => {
    const same = fc.property(delivered, ({ some, order }) => {
      expect(foldAll(order)).toEqual(foldAll(some));
    });
    fc.assert(same, { numRuns: 300, seed: 12 });
  });

  it('fold to what the whole log folds to, once the latest state is among them', () => {
    const whole = fc.property(fc.integer({ min: 0, max: 14 }), delivered, (last, { order }) => {
      const until = order.filter(({ sequence }) => sequence <= last);
      const withLatest = [...until.slice(1), snapshot(last), ...until.slice(0, 1)];
      expect(knowledge(foldAll(withLatest))).toEqual(knowledge(foldOfLog(last)));
    });
    fc.assert(whole, { numRuns: 300, seed: 7 });
  });
});

/** What a subscriber keeps, without how it got there. */
function knowledge({ epoch, sequence, current, removed, missing }: FoldState<TimesheetEvent>) {
  return { epoch, sequence, current, removed, missing };
}

/** Of the whole log up to an event; of a record without events, what its baseline stored. */
function foldOfLog(sequence: number): FoldState<TimesheetEvent> {
  if (sequence === 0) return fold(null, snapshot(0)).state;
  return foldAll(EVENTS.slice(0, sequence));
}

/** The stored row after each of the events but the last, its removal; first, before any. */
function listRows(): StoredRow[] {
  const [created] = EVENTS;
  if (created?.epoch === undefined) throw new Error('the life has no beginning');
  const epoch = Date.parse(created.epoch);
  let state: Readonly<Record<string, unknown>> = {};
  return [created, ...EVENTS.slice(0, -1)].map(({ data }, sequence) => {
    // What did not change may be left out.
    state = { ...state, ...data.current };
    const text = JSON.stringify(TIMESHEET_FIELDS.map(({ name }) => pack(state[name] ?? null)));
    return { id: LIFE_ID, epoch, sequence, sent: {}, text };
  });
}

/** Members of a stored value have places instead of names. */
function pack(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pack);
  return typeof value === 'object' && value !== null ? Object.values(value) : value;
}

function foldAll([first, ...others]: readonly TimesheetEvent[]): FoldState<TimesheetEvent> {
  if (first === undefined) throw new Error('no events');
  return others.reduce((state, event) => fold(state, event).state, fold(null, first).state);
}

function at(sequence: number) {
  const found = LIFE[sequence];
  if (found === undefined) throw new Error(`no row ${sequence}`);
  return found;
}

function event(sequence: number): TimesheetEvent {
  const found = EVENTS[sequence - 1];
  if (found === undefined) throw new Error(`no event ${sequence}`);
  return found;
}

function snapshot(sequence: number): TimesheetEvent {
  return snapshotOf(at(sequence));
}

function snapshotOf(row: StoredRow): TimesheetEvent {
  return read(buildSnapshotEvent(FEED, row, NO_PERIODS) ?? '');
}

function forgottenSnapshot(): TimesheetEvent {
  return read(toForgottenText(loggedTimesheetSchema.parse({ ...snapshot(14), sequence: 15 })));
}

function read(text: string): TimesheetEvent {
  const parsed = parseEvent(text);
  if (parsed.outcome !== 'event' || !isTimesheetEvent(parsed.event)) throw new Error('not an event');
  return parsed.event;
}
