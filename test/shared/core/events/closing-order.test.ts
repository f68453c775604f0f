import { describe, expect, test } from 'vitest';
import { type ChangeTime, compareWithClosing } from '#shared/core/events/lateness.ts';
import type { KnownPeriod } from '#shared/core/records/pay-period.ts';
import { knownPeriod } from '#test/support/builders.ts';

const at = (time: string) => Date.parse(`2026-03-09T${time}Z`);
/** The date was looked at twice, and something else was there the second time. */
const GAP = { after: at('10:05:00'), by: at('10:15:00') };
const BETWEEN = { after: at('10:10:30'), by: at('10:11:30') };

interface Moment {
  readonly stamp?: string;
  readonly after?: string | null;
  readonly by?: string;
  readonly closing?: Partial<KnownPeriod>;
  readonly timeZone?: string;
}

/** A change compared with a closing between 10:10:30 and 10:11:30. */
function order({ stamp, after, by, closing, timeZone = 'UTC' }: Moment) {
  const observed = {
    after: after === undefined ? GAP.after : after === null ? null : at(after),
    by: by === undefined ? GAP.by : at(by),
  };
  const change: ChangeTime = { observed, stampedAt: stamp === undefined ? null : at(stamp), timeZone };
  const closed = { closed: true, closedStamp: '2026-03-09', closedBetween: BETWEEN };
  return compareWithClosing(change, knownPeriod({ ...closed, ...closing }));
}

describe('a change came', () => {
  test('before a closing that its stamp precedes, however late it was read', () => {
    expect(order({ stamp: '10:10:12' })).toBe('before');
    expect(order({ stamp: '10:10:29' })).toBe('before');
    // A whole second may be any moment of it.
    expect(order({ stamp: '10:10:30' })).toBe('unknown');
    expect(order({ stamp: '10:11:29' })).toBe('unknown');
    expect(order({ stamp: '10:11:30' })).toBe('after');
  });

  test('before or after the stamp of the closing, where that is an instant', () => {
    const closing = { closedStamp: '2026-03-09T10:11:12.500Z' };
    expect(order({ closing, stamp: '10:11:12.500' })).toBe('before');
    expect(order({ closing, stamp: '10:11:12.501' })).toBe('after');
    expect(order({ closing, by: '10:11:12.500' })).toBe('before');
    expect(order({ closing, after: '10:11:12.500' })).toBe('after');
    expect(order({ closing })).toBe('unknown');
    const local = { closedStamp: '2026-03-09T23:11:12' };
    expect(order({ closing: local, stamp: '10:11:13', timeZone: 'Pacific/Auckland' })).toBe('after');
  });

  test('at an unknown moment of the second that the closing names, where it names no more', () => {
    const closing = { closedStamp: '2026-03-09T10:11:12Z' };
    expect(order({ closing, stamp: '10:11:11' })).toBe('before');
    // A change stamped in the same second as a closing is neither before nor after for certain.
    expect(order({ closing, stamp: '10:11:12' })).toBe('unknown');
    expect(order({ closing, stamp: '10:11:12.416' })).toBe('unknown');
    expect(order({ closing, stamp: '10:11:13' })).toBe('after');
  });

  test('between two looks, where nothing has a stamp', () => {
    expect(order({ by: '10:10:30' })).toBe('before');
    expect(order({ by: '10:10:31' })).toBe('unknown');
    expect(order({ after: '10:11:29' })).toBe('unknown');
    expect(order({ after: '10:11:30' })).toBe('after');
    expect(order({ after: null })).toBe('unknown');
    expect(order({ closing: { closedBetween: { after: null, by: BETWEEN.by } }, by: '10:01:00' })).toBe(
      'unknown',
    );
  });

  test('when looks saw it, whatever stamp contradicts them', () => {
    // It was still missing when the period had closed: nobody who closed it can have counted it.
    expect(order({ stamp: '09:00:00', after: '10:12:00' })).toBe('after');
    // The period was still open after what would be the moment of its closing.
    const midday = { closedStamp: '2026-03-09T08:00:00Z' };
    expect(order({ closing: midday, stamp: '10:10:12' })).toBe('before');
    const clockAhead = { stamp: '10:15:50' };
    expect(order(clockAhead)).toBe('after');
    expect(order({ stamp: '10:16:01' })).toBe('unknown');
  });

  test('by the day of the closing, where looks did not see it', () => {
    const stamped = (closedStamp: string | null) => ({ closedBetween: null, closedStamp });
    expect(order({ closing: stamped('2026-03-10'), after: '10:00:00' })).toBe('after');
    expect(order({ closing: stamped('2026-03-09'), after: '10:00:00' })).toBe('unknown');
    expect(order({ closing: stamped('2026-03-09T00:00:00Z'), after: '10:00:00' })).toBe('unknown');
    expect(order({ closing: stamped('2026-03-08'), after: '10:00:00' })).toBe('after');
    expect(order({ closing: stamped('2026-03-09T10:11:12Z'), stamp: '10:11:11' })).toBe('before');
    expect(order({ closing: stamped(null) })).toBe('after');
    expect(order({ closing: stamped('closed'), after: null })).toBe('unknown');
  });

  test('after a closing whose instants are ahead of now', () => {
    const ahead = { after: at('10:10:30'), by: at('10:17:00') };
    expect(order({ closing: { closedBetween: ahead, closedStamp: null } })).toBe('after');
  });
});
