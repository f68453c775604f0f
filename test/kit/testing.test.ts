import { readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { type EventType, parseEvent } from 'workforce-change-notifier';
import { EXAMPLE_EVENTS } from 'workforce-change-notifier/testing';
import { eventSchema } from '#shared/core/definitions/event-schemas.ts';
import { SHORT_EVENT_TYPES, toEventType, toShortType } from '#shared/core/event-types.ts';
import { computeEventId } from '#shared/core/events/envelope.ts';

import { recordExamples } from './record-examples.ts';

const EXAMPLES = Object.values(EXAMPLE_EVENTS);

type TimesheetType = Extract<EventType, `workforce.timesheet.${string}`>;

describe('an example of an event', () => {
  it('is what the notifier publishes of the sample company', async () => {
    const stored = JSON.parse(readFileSync('kit/testing/example-events.json', 'utf8'));
    expect(stored, 'run `npm run docs`').toEqual(await recordExamples());
  }, 300_000);

  it('is of every type, in the order of the catalogue', () => {
    expect(EXAMPLES.map(({ type }) => toShortType(type))).toEqual(SHORT_EVENT_TYPES);
  });

  it.each(SHORT_EVENT_TYPES)('has nothing but what is published: %s', (type) => {
    const { error } = eventSchema(type).safeParse(EXAMPLE_EVENTS[toEventType(type)]);
    expect(error?.issues).toBeUndefined();
  });

  it('has an id of its own, computed as any', () => {
    expect(new Set(EXAMPLES.map(({ id }) => id)).size).toBe(SHORT_EVENT_TYPES.length);
    const { id, subject = '', epoch = '', sequence } = EXAMPLE_EVENTS['workforce.timesheet.approved'];
    const feed = { connection: 'main', feed: 'timesheets' } as const;
    expect(id).toBe(computeEventId(feed, subject, { epoch, sequence }));
  });

  it.each([
    [/^workforce.timesheet\.(?!clock_\w+_missing)/, 15],
    [/^workforce.pay_period\./, 10],
  ])('with others of %s is the life of one record', (types, last) => {
    const life = EXAMPLES.filter(({ type }) => types.test(type) && !type.endsWith('.snapshot')).toSorted(
      (left, right) => left.sequence - right.sequence,
    );
    expect([life[0]?.sequence, life.at(-1)?.sequence]).toEqual([1, last]);
    expect(new Set(life.map(({ subject }) => subject)).size).toBe(1);
    expect(life.map(({ time }) => time)).toEqual(life.map(({ time }) => time).toSorted());
  });

  it.each(['timesheet', 'pay_period'] as const)('of a snapshot is the %s before it is removed', (record) => {
    const { sequence, subject, data } = EXAMPLE_EVENTS[`workforce.${record}.snapshot`];
    const removal = EXAMPLE_EVENTS[`workforce.${record}.removed`];
    expect([sequence, subject]).toEqual([removal.sequence - 1, removal.subject]);
    expect(data.current).toEqual(removal.data.previous);
  });

  it.each([
    ['workforce.timesheet.approval_revoked', 'workforce.timesheet.approved'],
    ['workforce.timesheet.clock_in_removed', 'workforce.timesheet.clocked_in'],
    ['workforce.pay_period.reopened', 'workforce.pay_period.closed'],
  ] as const)('of %s names that of %s, which it reverses', (reversal, reversed) => {
    expect(EXAMPLE_EVENTS[reversal].data.reverses).toBe(EXAMPLE_EVENTS[reversed].id);
  });

  it('says whether it came late', () => {
    const lateOf = (type: TimesheetType) => EXAMPLE_EVENTS[type].data.late;
    expect(lateOf('workforce.timesheet.changed')).toEqual(['approval']);
    expect(lateOf('workforce.timesheet.processing_reverted')).toEqual(['approval', 'processing', 'close']);
    expect(lateOf('workforce.timesheet.clock_in_corrected')).toEqual([]);
  });

  it('has neither names nor pay', () => {
    const all = JSON.stringify(EXAMPLES);
    for (const secret of ['Kitchen', 'Cook', '31.50']) expect(all).not.toContain(secret);
  });

  it('is an event, and no example that subscribers throw away', () => {
    for (const event of EXAMPLES) {
      expect(parseEvent(event)).toEqual({ outcome: 'event', event });
    }
  });

  it('has no null for a record that is there', () => {
    const approved = EXAMPLE_EVENTS['workforce.timesheet.approved'];
    expectTypeOf(approved.data.current.hoursToPay).toEqualTypeOf<number>();
    expectTypeOf(EXAMPLE_EVENTS['workforce.timesheet.removed'].data.current).toEqualTypeOf<null>();
    const gone = EXAMPLES.filter(({ data }) => 'current' in data && data.current === null);
    expect(gone.map(({ type }) => type)).toEqual([
      'workforce.timesheet.removed',
      'workforce.pay_period.removed',
      'workforce.employee.left',
      'workforce.department.removed',
      'workforce.employee.forgotten',
    ]);
  });
});
