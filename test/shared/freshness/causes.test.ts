import { describe, expect, test } from 'vitest';
import type { ShortEventType } from '#shared/core/event-types.ts';
import { EMPTY_FEED_STATE } from '#shared/core/snapshot/feed-state.ts';
import { findCause, Troubles } from '#shared/freshness/causes.ts';
import { measureEvent } from '#shared/freshness/freshness.ts';
import { eventText } from './event-text.ts';

const at = (time: string) => `2026-11-20T${time}.000Z`;
const TODAY = '2026-11-20';

interface Late {
  readonly type?: ShortEventType;
  readonly after?: string;
  readonly by?: string;
  readonly date?: string;
  /** Seconds from the look to the commit, and from there to the publication; null while it waits. */
  readonly publishedAfter?: number | null;
  readonly storedAfter?: number;
}

/** The cause of an event that was late, after these events about the watching. */
function causeOf(
  {
    type = 'timesheet.approved',
    after = '09:00:00',
    by = '10:00:00',
    date = TODAY,
    publishedAfter = 0,
    storedAfter = 0,
  }: Late,
  troubles: Troubles = new Troubles(),
) {
  const observed = { after: at(after), by: at(by) };
  const event = measureEvent(eventText(type, { observed, current: { date } }), {});
  if (typeof event === 'string') throw new Error(event);
  const committedAt = event.observed.by + storedAfter * 1_000;
  const publishedAt = publishedAfter === null ? null : committedAt + publishedAfter * 1_000;
  const now = Date.parse(at('12:00:00'));
  return findCause(
    { event, committedAt, publishedAt },
    { troubles, timeZone: 'UTC', now, pollEveryMs: 60_000 },
  );
}

function learn(...told: readonly [ShortEventType, string, Record<string, unknown>, string?][]): Troubles {
  const troubles = new Troubles();
  for (const [type, time, data, subject] of told) {
    const observed = { after: null, by: at(time) };
    troubles.learn(eventText(type, { ...data, observed }, subject));
  }
  return troubles;
}

describe('an event was late', () => {
  test('by an outage that had begun when it happened, also if its begin is not in the log', () => {
    const whole = learn(
      ['source.unreachable', '09:10:00', { failingSince: at('09:05:00') }],
      ['source.recovered', '09:58:00', { unreachableSince: at('09:10:00') }],
    );
    const ended = learn(['source.recovered', '09:58:00', { unreachableSince: at('09:10:00') }]);
    expect(causeOf({}, whole)).toBe('outage');
    expect(causeOf({}, ended)).toBe('outage');
    expect(causeOf({ after: '09:58:00', by: '10:40:00' }, whole)).toBe('unknown');
    expect(causeOf({ after: '08:00:00', by: '09:05:00' }, whole)).toBe('unknown');
  });

  test('by a date that could not be read, if it is of that date', () => {
    const troubles = learn(['slice.unreadable', '09:10:00', { slice: TODAY, since: at('09:05:00') }]);
    expect(causeOf({}, troubles)).toBe('unreadable');
    expect(causeOf({ date: '2026-11-19' }, troubles)).toBe('unknown');
  });

  test('by a record that could not be read, if it is that one', () => {
    const of = (id: string) => learn(['record.quarantined', '09:10:00', { recordId: id }, id]);
    expect(causeOf({}, of('r-1'))).toBe('unreadable');
    expect(causeOf({}, of('r-2'))).toBe('unknown');
  });

  test('by a guard, if it takes something back', () => {
    const troubles = learn(['slice.mass_change', '10:00:00', { slice: TODAY, firstSeenAt: at('09:58:00') }]);
    expect(causeOf({ type: 'timesheet.approval_revoked' }, troubles)).toBe('held');
    expect(causeOf({ type: 'timesheet.approved' }, troubles)).toBe('unknown');
  });

  test('by what the source allows', () => {
    const troubles = learn(['feed.lagging', '09:10:00', { since: at('09:10:00') }]);
    expect(causeOf({}, troubles)).toBe('limit');
  });

  test('by what began before the log that was read, and has not ended', () => {
    const troubles = new Troubles();
    troubles.learnState({ ...EMPTY_FEED_STATE, unreachableSince: Date.parse(at('08:00:00')) });
    expect(causeOf({}, troubles)).toBe('outage');
  });

  test('by the cadence of its date, and no longer', () => {
    expect(causeOf({ by: '09:02:00' })).toBe('cadence');
    expect(causeOf({ by: '09:02:01' })).toBe('unknown');
    expect(causeOf({ by: '09:30:00', date: '2026-11-01' })).toBe('cadence');
    expect(causeOf({ by: '09:30:01', date: '2026-11-01' })).toBe('unknown');
  });

  test('by the count of a closing', () => {
    expect(causeOf({ type: 'pay_period.closed', by: '09:05:00' })).toBe('counted');
  });

  test('by a long poll, if it waited longer to be stored than to be seen', () => {
    expect(causeOf({ by: '09:01:00', storedAfter: 61 })).toBe('stored');
    expect(causeOf({ by: '09:01:00', storedAfter: 60 })).toBe('cadence');
    expect(causeOf({ by: '09:01:00', storedAfter: 61, publishedAfter: 62 })).toBe('topic');
    expect(causeOf({ type: 'pay_period.closed', by: '09:01:00', storedAfter: 240 })).toBe('counted');
  });

  test('by its topic, if it waited longer for that than for being seen', () => {
    const outage = learn(['source.unreachable', '09:10:00', { failingSince: at('09:05:00') }]);
    expect(causeOf({ publishedAfter: 3_601 }, outage)).toBe('topic');
    expect(causeOf({ publishedAfter: 3_600 }, outage)).toBe('outage');
    expect(causeOf({ publishedAfter: null }, outage)).toBe('topic');
  });
});
