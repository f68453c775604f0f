import { describe, expect, test } from 'vitest';
import { eventSchema } from '#shared/core/definitions/event-schemas.ts';
import { EVENT_CATALOGUE, EVENT_TYPES, type EventType, topicOf } from '#shared/core/event-types.ts';
import { computeEventId, toOperationText, toTraceParent } from '#shared/core/events/envelope.ts';
import { type PollResult, summarizePoll } from '#shared/core/outcome/feed-memory.ts';
import { PollFindings } from '#shared/core/outcome/poll-findings.ts';
import type { Operation } from '#shared/core/records/operation.ts';
import { EMPTY_FEED_STATE } from '#shared/core/snapshot/feed-state.ts';
import { DATE, EPOCH, MINUTE_MS, NOW, position, slice, TIMESHEETS } from '#test/support/builders.ts';

const SHRUNK: Operation = {
  type: 'slice.shrunk',
  subject: DATE,
  data: { slice: DATE, missing: 40, known: 60 },
};

describe('an operational event', () => {
  test('is a CloudEvent like any other', () => {
    expect(JSON.parse(toOperationText(SHRUNK, TIMESHEETS, { epoch: EPOCH, sequence: 5, now: NOW }))).toEqual({
      specversion: '1.0',
      id: computeEventId(TIMESHEETS, '#operations', position(5)),
      source: '/connections/main/timesheets',
      type: 'workforce.slice.shrunk',
      subject: DATE,
      time: '2026-03-05T01:01:00.000Z',
      datacontenttype: 'application/json',
      dataschema: 'urn:workforce-change-notifier:schema:slice.shrunk:1',
      connection: 'main',
      ...position(5),
      partitionkey: `/connections/main/timesheets/${DATE}`,
      traceparent: toTraceParent(computeEventId(TIMESHEETS, '#operations', position(5))),
      data: { feed: 'timesheets', slice: DATE, missing: 40, known: 60 },
    });
  });

  test('about the whole feed has no subject', () => {
    const text = toOperationText({ ...SHRUNK, subject: null }, TIMESHEETS, {
      epoch: EPOCH,
      sequence: 5,
      now: NOW,
    });
    expect(JSON.parse(text)).not.toHaveProperty('subject');
  });

  test('fits its schema, each that a poll can end with', () => {
    const operations = everyOperation();
    expect(operations.map(({ type }) => type).sort()).toEqual([
      'baseline.completed',
      'poll.resumed',
      'poll.stalled',
      'record.quarantined',
      'record.readable',
      'slice.shrunk',
      'slice.whole',
      'source.recovered',
      'source.unreachable',
    ]);
    for (const operation of operations) {
      const event: unknown = JSON.parse(
        toOperationText(operation, TIMESHEETS, { epoch: EPOCH, sequence: 1, now: NOW }),
      );
      expect(eventSchema(operation.type).safeParse(event).error?.issues).toBeUndefined();
    }
  });
});

describe('the catalogue', () => {
  test('has the types of the design, each on its topic', () => {
    const topics = Object.entries(EVENT_CATALOGUE).map(([, topic]) => topic);
    const count = (topic: string) => topics.filter((each) => each === topic).length;
    expect(['timesheets', 'clockings', 'pay-periods', 'directory', 'operations'].map(count)).toEqual([
      11, 8, 8, 9, 23,
    ]);
  });

  test.each<[EventType, string]>([
    ['workforce.timesheet.approved', 'timesheets'],
    ['workforce.timesheet.clock_in_removed', 'clockings'],
    ['workforce.pay_period.closed', 'pay-periods'],
    ['workforce.poll.stalled', 'operations'],
  ])('sends %s to %s', (type, topic) => {
    expect(EVENT_TYPES).toContain(type);
    expect(topicOf(type)).toBe(topic);
  });
});

/** Every operation, as polls really say it. */
function everyOperation(): Operation[] {
  const poll: PollResult = {
    ...new PollFindings(),
    startedAt: NOW,
    now: NOW,
    failingFrom: NOW,
    window: [DATE],
    heads: new Map([[DATE, slice().head]]),
    shrunk: new Map([[DATE, 40]]),
    bad: [{ id: null, issues: ['id'] }],
    pulls: {},
    pages: undefined,
    sourceAnswered: true,
    complete: false,
    loadFrom: DATE,
    held: {},
  };
  const settings = { health: { unreachableAfterPolls: 1, stalledAfterMinutes: 1 }, timeZone: 'UTC' };
  const previous = { ...EMPTY_FEED_STATE, unreachableSince: NOW - MINUTE_MS, completedAt: NOW - MINUTE_MS };
  const quiet = { ...poll, window: ['none'], shrunk: new Map(), bad: [], sourceAnswered: false };
  return [
    ...summarizePoll(previous, poll, settings).operations,
    ...summarizePoll(
      { ...EMPTY_FEED_STATE, stalledSince: NOW },
      { ...quiet, complete: true, sourceAnswered: null },
      settings,
    ).operations,
    ...summarizePoll(
      {
        ...EMPTY_FEED_STATE,
        baseline: { from: DATE, to: DATE, startedAt: NOW, completedAt: NOW },
        awaited: { '1_7': { since: NOW, badAt: NOW } },
        shrunk: { [DATE]: { since: NOW } },
      },
      { ...poll, shrunk: new Map(), bad: [], readAgain: new Set(['1_7']), committedWhole: new Set([DATE]) },
      settings,
    ).operations,
    ...summarizePoll(EMPTY_FEED_STATE, { ...quiet, errorCode: 'source_failed' as const }, settings)
      .operations,
  ];
}
