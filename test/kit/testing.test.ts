import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { parseEvent, verifyWebhook } from 'workforce-change-notifier';
import { exampleEvent, exampleEvents, shuffle, signWebhook } from 'workforce-change-notifier/testing';
import { eventSchema } from '#shared/core/definitions/event-schemas.ts';
import { type EventType, SHORT_EVENT_TYPES, toEventType, toShortType } from '#shared/core/event-types.ts';
import { computeEventId } from '#shared/core/events/envelope.ts';

const SECRET = `whsec_${Buffer.alloc(32, 'k').toString('base64')}`;
const NOW = Date.parse('2026-11-16T09:00:00.000Z');
const SEEDS = fc.integer({ min: 0, max: 2 ** 32 - 1 });

type TimesheetType = Extract<EventType, `workforce.timesheet.${string}`>;

describe('an example of an event', () => {
  it('is of every type, in the order of the catalogue', () => {
    expect(exampleEvents().map(({ type }) => toShortType(type))).toEqual(SHORT_EVENT_TYPES);
  });

  it.each(SHORT_EVENT_TYPES)('has nothing but what is published: %s', (type) => {
    const { error } = eventSchema(type).safeParse(exampleEvent(toEventType(type)));
    expect(error?.issues).toBeUndefined();
  });

  it('has an id of its own, computed as any', () => {
    expect(new Set(exampleEvents().map(({ id }) => id)).size).toBe(SHORT_EVENT_TYPES.length);
    const { id, subject = '', epoch = '', sequence } = exampleEvent('workforce.timesheet.approved');
    const feed = { connection: 'main', feed: 'timesheets' } as const;
    expect(id).toBe(computeEventId(feed, subject, { epoch, sequence }));
  });

  it.each([
    [/^workforce.timesheet\.(?!clock_\w+_missing)/, 15],
    [/^workforce.pay_period\./, 10],
  ])('with others of %s is the life of one record', (types, last) => {
    const life = exampleEvents()
      .filter(({ type }) => types.test(type) && !type.endsWith('.snapshot'))
      .toSorted((left, right) => left.sequence - right.sequence);
    expect([life[0]?.sequence, life.at(-1)?.sequence]).toEqual([1, last]);
    expect(new Set(life.map(({ subject }) => subject)).size).toBe(1);
    expect(life.map(({ time }) => time)).toEqual(life.map(({ time }) => time).toSorted());
  });

  it.each(['timesheet', 'pay_period'] as const)('of a snapshot is the %s before it is removed', (record) => {
    const { sequence, subject, data } = exampleEvent(`workforce.${record}.snapshot`);
    const removal = exampleEvent(`workforce.${record}.removed`);
    expect([sequence, subject]).toEqual([removal.sequence - 1, removal.subject]);
    expect(data.current).toEqual(removal.data.previous);
  });

  it.each([
    ['workforce.timesheet.approval_revoked', 'workforce.timesheet.approved'],
    ['workforce.timesheet.clock_in_removed', 'workforce.timesheet.clocked_in'],
    ['workforce.pay_period.reopened', 'workforce.pay_period.closed'],
  ] as const)('of %s names that of %s, which it reverses', (reversal, reversed) => {
    expect(exampleEvent(reversal).data.reverses).toBe(exampleEvent(reversed).id);
  });

  it('says whether it came late', () => {
    const lateOf = (type: TimesheetType) => exampleEvent(type).data.late;
    expect(lateOf('workforce.timesheet.changed')).toEqual(['approval']);
    expect(lateOf('workforce.timesheet.processing_reverted')).toEqual(['approval', 'processing', 'close']);
    expect(lateOf('workforce.timesheet.clock_in_corrected')).toEqual([]);
  });

  it('has neither names nor pay', () => {
    const all = JSON.stringify(exampleEvents());
    for (const secret of ['Kitchen', 'Cook', '31.50']) expect(all).not.toContain(secret);
  });

  it('is an event, and no example that subscribers throw away', () => {
    for (const event of exampleEvents()) {
      expect(parseEvent(event)).toEqual({ outcome: 'event', event });
    }
  });

  it('has what a test overrides, at any depth, and the rest as it was', () => {
    const event = exampleEvent('workforce.timesheet.approved', { data: { current: { hoursToPay: 6 } } });
    const example = exampleEvent('workforce.timesheet.approved');
    const { data } = example;
    expect(event).toEqual({ ...example, data: { ...data, current: { ...data.current, hoursToPay: 6 } } });
    const late = exampleEvent('workforce.timesheet.changed', { data: { late: ['payroll_approval'] } });
    expect(late.data.late).toEqual(['payroll_approval']);
  });

  it('is of another record when its subject is', () => {
    const example = exampleEvent('workforce.pay_period.closed');
    const event = exampleEvent('workforce.pay_period.closed', { subject: '9014_1' });
    expect(event.data.payPeriodId).toBe('9014_1');
    expect(event.partitionkey).toBe('/connections/main/pay-periods/9014_1');
    expect(event.id).not.toBe(example.id);
    expect(event.traceparent).toBe(`00-${event.id}-${event.id.slice(-16)}-01`);
  });

  it('is of another connection when the override says so', () => {
    const event = exampleEvent('workforce.feed.complete', { connection: 'north' });
    expect([event.connection, event.source]).toEqual(['north', '/connections/north/timesheets']);
  });

  it('has the id that a test gives it, and one of its own for each place', () => {
    const type = 'workforce.timesheet.approved';
    expect(exampleEvent(type, { id: 'e1', sequence: 2 }).id).toBe('e1');
    const ids = [1, 2, 3].map((sequence) => exampleEvent(type, { sequence }).id);
    expect(new Set(ids).size).toBe(3);
    expect(exampleEvent(type, { sequence: 2 }).id).toBe(ids[1]);
  });

  it('is refused when no event is like it', () => {
    const overrides = { data: { current: { hoursToPay: 'six' } } } as never;
    expect(() => exampleEvent('workforce.timesheet.approved', overrides)).toThrow(
      expect.objectContaining({
        code: 'overrides_wrong',
        message: expect.stringContaining('data.current.hoursToPay'),
      }),
    );
    expect(() => exampleEvent('workforce.timesheet.aproved' as never)).toThrow('no type of an event');
  });

  it('has no null for a record that is there', () => {
    const approved = exampleEvent('workforce.timesheet.approved');
    expectTypeOf(approved.data.current.hoursToPay).toEqualTypeOf<number>();
    expectTypeOf(exampleEvent('workforce.timesheet.removed').data.current).toExtend<object | null>();
    expectTypeOf<null>().toExtend<
      ReturnType<typeof exampleEvent<'workforce.timesheet.removed'>>['data']['current']
    >();
    const gone = exampleEvents().filter(({ data }) => 'current' in data && data.current === null);
    expect(gone.map(({ type }) => type)).toEqual([
      'workforce.timesheet.removed',
      'workforce.pay_period.removed',
      'workforce.employee.left',
      'workforce.department.removed',
      'workforce.employee.forgotten',
    ]);
  });
});

describe('a signed webhook', () => {
  it('is verified until it is too old, and with no other secret', () => {
    const event = exampleEvent('workforce.timesheet.approved');
    const request = signWebhook(event, SECRET, NOW + 999);
    expect(verifyWebhook(request, SECRET, { now: NOW })).toEqual({ outcome: 'event', event });
    expect(verifyWebhook(request, SECRET, { now: NOW + 301_000 })).toMatchObject({
      reason: 'timestamp_too_old',
    });
    const other = `whsec_${Buffer.alloc(32, 'o').toString('base64')}`;
    expect(verifyWebhook(request, other, { now: NOW })).toMatchObject({ reason: 'signature_wrong' });
  });

  it('needs a signing secret', () => {
    const sign = () => signWebhook({ id: 'e1' }, 'whsec_short', NOW);
    expect(sign).toThrow(expect.objectContaining({ code: 'secret_invalid' }));
  });
});

describe('shuffled events', () => {
  const places = Array.from({ length: 300 }, (_, place) => place);

  it('are all there, overtaken by at most so many places', () => {
    fc.assert(
      fc.property(SEEDS, fc.integer({ min: 0, max: 50 }), (seed, reorder) => {
        const shuffled = shuffle(places, { repeat: 0, reorder, seed });
        expect(shuffled.toSorted((left, right) => left - right)).toEqual(places);
        let last = 0;
        for (const place of shuffled) {
          expect(last - place).toBeLessThanOrEqual(reorder);
          last = Math.max(last, place);
        }
      }),
    );
  });

  it('come twice as often as is asked', () => {
    expect(shuffle(places, { repeat: 1, seed: 1 })).toHaveLength(600);
    const some = shuffle(places, { repeat: 0.5, reorder: 0, seed: 1 });
    expect(some.length).toBeGreaterThan(400);
    expect(some.length).toBeLessThan(500);
    expect(some).toEqual(some.toSorted((left, right) => left - right));
  });

  it('are the same for a seed, and others for another', () => {
    const [first, again, other] = [1, 1, 2].map((seed) => shuffle(places, { seed }));
    expect(first).toEqual(again);
    expect(first).not.toEqual(other);
    expect(first).not.toEqual(places);
  });
});
