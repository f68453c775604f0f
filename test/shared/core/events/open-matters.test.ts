import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventSchema } from '#shared/core/definitions/event-schemas.ts';
import type { LateAfter } from '#shared/core/events/lateness.ts';
import { findEndedMatters, recordMatter, recordSent } from '#shared/core/events/open-matters.ts';
import type { Transition } from '#shared/core/events/transitions.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import { payPeriod, timesheet } from '#test/support/builders.ts';
import { type Event, history, LATER, present, STAMP } from './history.ts';

const APPROVED = { approvedHours: STAMP, approvedPayroll: 'P-1' };
const PAID = timesheet({ ...APPROVED, processed: STAMP });

describe('processing settles', () => {
  test('what was taken back since it was processed before, and the last late change', () => {
    const events = history(
      PAID,
      timesheet({ ...APPROVED }),
      timesheet({ approvedHours: STAMP }),
      timesheet({}),
      timesheet({ hoursToPay: 9 }),
      timesheet({ hoursToPay: 9, approvedHours: LATER }),
      timesheet({ hoursToPay: 9.5, approvedHours: LATER }),
      timesheet({ hoursToPay: 9.5, approvedHours: LATER, processed: LATER }),
    );
    const [reverted, payroll, revoked, , , changed] = events;
    expect(events.at(-1)?.data.settles).toEqual([
      { ...settled(reverted, ['approval', 'processing']), hours: PAID.hoursToPay },
      settled(payroll, ['approval']),
      settled(revoked, ['approval']),
      settled(changed, ['approval']),
    ]);
    expect(events.slice(0, -1).some(({ data }) => 'settles' in data)).toBe(false);
  });

  test('a reversal with the hours that had been processed, whatever came before and after it', () => {
    const before = timesheet({ ...APPROVED, hoursToPay: 8 });
    const after = timesheet({ ...APPROVED, hoursToPay: 9 });
    const events = history(PAID, { ...before, processed: STAMP }, before, after, {
      ...after,
      processed: LATER,
    });
    expect(events.at(-1)?.data.settles).toContainEqual({
      ...settled(events[1], ['approval', 'processing']),
      hours: PAID.hoursToPay,
    });
  });

  test('nothing the first time, and nothing twice', () => {
    expect(history(timesheet(APPROVED), PAID)[0]?.data).not.toHaveProperty('settles');
    const again = { ...PAID, processed: LATER };
    const events = history(PAID, timesheet(APPROVED), PAID, again);
    expect(events.map(({ data }) => 'settles' in data)).toEqual([false, true, false]);
  });

  test('earlier events alone, each of which left something open, whatever happens', () => {
    fc.assert(
      fc.property(fc.array(present, { minLength: 1, maxLength: 12 }), (states) => {
        const events = history(timesheet(), ...states);
        for (const [index, event] of events.entries()) expectRight(event, events.slice(0, index));
      }),
    );
  });
});

describe('what is open of a timesheet', () => {
  const definition = feedDefinition('timesheets');
  const step = (type: string, values: Partial<Transition> = {}) => {
    const nothing = { kind: 'changed', fact: null, changed: [], from: null, to: null, collapsed: false };
    return { type, ...nothing, ...values } as Transition;
  };
  const factOf = (field: string) => definition.facts.find((fact) => fact.field === field) ?? null;
  const processed = step('timesheet.processed', { kind: 'forward', fact: factOf('processed') });
  const settledAfter = (sent: Record<string, number>) =>
    findEndedMatters({ definition, transition: processed, sent }).map(({ type, sequence, late }) => [
      type,
      sequence,
      late,
    ]);

  const created = step('timesheet.created', { kind: 'created' });
  const changed = step('timesheet.changed');
  const revoked = step('', { kind: 'reversal', fact: factOf('approvedHours') });
  const late: LateAfter[] = ['approval', 'close'];
  test.each<[string, Transition, readonly LateAfter[], unknown]>([
    ['a late creation', created, ['close'], [['timesheet.created', 7, ['close']]]],
    ['a creation in time', created, [], []],
    ['a late change', changed, late, [['timesheet.changed', 7, late]]],
    ['a change in time', changed, [], []],
    ['a late removal', step('timesheet.removed', { kind: 'removed' }), ['close'], []],
    ['an approval that is revoked, in time or not', revoked, [], [['timesheet.approval_revoked', 7, []]]],
    ['a late approval', step('', { kind: 'forward', fact: factOf('approvedHours') }), ['close'], []],
    ['a clocking that is removed', step('', { kind: 'reversal', fact: factOf('clockIn') }), ['close'], []],
  ])('after %s: %#', (...[, transition, after, expected]) => {
    const sent: Record<string, number> = {};
    recordMatter(sent, { definition, transition }, { sequence: 7, late: after });
    expect(settledAfter(sent)).toEqual(expected);
  });

  test('comes in the order of its events, and is nothing that another version wrote', () => {
    const sent = {
      'open:changed': 9 * 8,
      'open:processed': 3 * 8 + 2,
      'open:created': 5 * 8 + 4,
      'open:ofLater': 4 * 8,
      approvedHours: 2,
      clockIn: 1,
    };
    expect(settledAfter(sent)).toEqual([
      ['timesheet.processing_reverted', 3, ['processing']],
      ['timesheet.created', 5, ['close']],
      ['timesheet.changed', 9, []],
    ]);
    recordMatter(sent, { definition, transition: processed }, { sequence: 10, late: [] });
    expect(sent).toEqual({ approvedHours: 2, clockIn: 1 });
  });

  test('is settled by its processing alone', () => {
    const sent = { 'open:changed': 9 * 8 };
    for (const transition of [
      step('timesheet.changed'),
      step('timesheet.approved', { kind: 'forward', fact: factOf('approvedHours') }),
      step('timesheet.processing_reverted', { kind: 'reversal', fact: factOf('processed') }),
    ])
      expect(findEndedMatters({ definition, transition, sent })).toEqual([]);
  });

  test('is none of a removed pay period, nor of one that is created late', () => {
    const periods = feedDefinition('pay-periods');
    for (const kind of ['created', 'changed', 'removed'] as const) {
      const sent = {};
      recordMatter(
        sent,
        { definition: periods, transition: step('', { kind }) },
        { sequence: 1, late: ['close'] },
      );
      expect(sent).toEqual({});
    }
  });

  test('what was sent of a fact is its last forward event, until it is taken back', () => {
    const sent: Record<string, number> = { processed: 1 };
    recordSent(sent, step('timesheet.changed'), 2);
    const stands = { changed: ['processed'], to: { processed: STAMP } };
    recordSent(sent, step('', { kind: 'corrected', fact: factOf('clockIn'), ...stands }), 3);
    expect(sent).toEqual({ processed: 1 });
    recordSent(sent, processed, 4);
    expect(sent).toEqual({ processed: 4 });
    recordSent(sent, step('', { kind: 'reversal', fact: factOf('processed'), changed: ['processed'] }), 5);
    expect(sent).toEqual({});
  });
});

test('the closing of a pay period settles its reopening, and nothing else', () => {
  const [open, closed] = [payPeriod(), payPeriod({ closed: '2026-03-09' })];
  const renamed = { ...closed, calendar: 'Other' };
  const events = history(open, closed, renamed, open, closed, { ...closed, closed: '2026-03-11' });
  expect(events.map(({ type }) => type.split('.').at(-1))).toEqual([
    ...['closed', 'changed', 'reopened', 'changed', 'closed', 'closed'],
  ]);
  expect(events.map(({ data }) => data.settles)).toEqual([
    ...[undefined, undefined, undefined, undefined],
    [settled(events[2], ['close'])],
    undefined,
  ]);
});

function expectRight(event: Event, earlier: readonly Event[]): void {
  const settles = (event.data.settles ?? []) as ReturnType<typeof settled>[];
  if (settles.length === 0) return;
  expect(event.type).toBe('workforce.timesheet.processed');
  expect(eventSchema('timesheet.processed').shape.data.safeParse(event.data).error).toBeUndefined();
  for (const { id, type, late } of settles) {
    const open = earlier.find((each) => each.id === id);
    expect([open?.type, open?.data.late]).toEqual([type, late]);
  }
}

function settled(event: Event | undefined, late: readonly string[]) {
  return { id: event?.id, type: event?.type, late };
}
