import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_RETRY_WAIT_MS } from '#shared/systems/attempt-schedule.ts';
import { readDelivery, writeDelivery } from '#shared/systems/delivery-message.ts';
import { CODE_POINT } from '#test/support/code-point.ts';
import { EVENT } from './sample-event.ts';

const NOW = Date.parse('2026-03-04T22:00:00Z');
/** With members that a delivery does not know. */
const PUBLISHED = { specversion: '1.0', ...EVENT, data: { ...EVENT.data, current: { hoursToPay: 8 } } };
/** Spaces, escapes and order as somebody else wrote them. */
const TEXT = `${JSON.stringify(PUBLISHED, null, 1)}\n`.replace('approved', '\\u0061pproved');

test('whatever instants are in an envelope, it is read again', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 2 ** 45, noNaN: true }), (instant) => {
      const delivery = readDelivery(TEXT, { now: NOW, sentAgain: false });
      if (delivery === null) throw new Error('the text is an event');
      const late = { ...delivery, dueAt: instant, firstAt: instant };
      // Due later than any retry is: by a wrong clock, and so due now.
      const dueAt = instant > NOW + MAX_RETRY_WAIT_MS + 60_000 ? NOW : instant;
      expect(readDelivery(writeDelivery(late), { now: NOW, sentAgain: false })).toEqual({ ...late, dueAt });
    }),
    { seed: 9 },
  );
});

describe('a message from a topic', () => {
  test('is an event that was not received before', () => {
    expect(readDelivery(TEXT, { now: NOW, sentAgain: false })).toEqual({
      attempt: 0,
      dueAt: NOW,
      firstAt: NOW,
      sentAgain: false,
      example: false,
      lastReason: null,
      event: EVENT,
      text: TEXT,
    });
  });

  test('says by its attribute that it was published before', () => {
    expect(readDelivery(TEXT, { now: NOW, sentAgain: true })).toMatchObject({ sentAgain: true });
  });

  test.each([
    ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', true],
    ['00-1-2-01\r\nx-forwarded-for: 10.0.0.1', false],
    [12, false],
  ])('begins the trace %j: %s', (traceparent, isTrace) => {
    const delivery = readDelivery(JSON.stringify({ ...EVENT, traceparent }), { now: NOW, sentAgain: false });
    expect(delivery?.event.traceparent).toBe(isTrace ? traceparent : undefined);
  });

  test('may be of a type that is not known yet', () => {
    const text = JSON.stringify({ ...EVENT, type: 'workforce.leave.requested', colour: 'red' });

    expect(readDelivery(text, { now: NOW, sentAgain: false })).toMatchObject({ text });
  });

  test.each(['', 'x', '{}', '[]', 'null', '7', '{"version":1}', JSON.stringify({ ...EVENT, id: '' })])(
    'is none of ours: %s',
    (body) => {
      expect(readDelivery(body, { now: NOW, sentAgain: false })).toBeNull();
    },
  );

  test('is not read when its envelope has another version', () => {
    const body = writeDelivery(arrived()).replace('"version":1', '"version":2');

    expect(readDelivery(body, { now: NOW, sentAgain: false })).toBeNull();
  });
});

describe('an envelope', () => {
  test('says of an example that it is one, also when that was given up, and of others nothing', () => {
    const example = readDelivery(TEXT, { now: NOW, sentAgain: false, example: true });
    expect(example).toEqual({ ...arrived(), example: true });
    for (const givenUpAt of [null, NOW]) {
      const body = writeDelivery({ ...arrived(), example: true }, givenUpAt);
      expect(readDelivery(body, { now: NOW, sentAgain: false })).toEqual(example);
    }
    expect(JSON.parse(writeDelivery(arrived()))).not.toHaveProperty('example');
  });

  test('shows what was tried, and has the event in it byte for byte', () => {
    const delivery = { ...arrived(), attempt: 2, dueAt: NOW + 300_000, lastReason: '503' };

    expect(JSON.parse(writeDelivery(delivery))).toEqual({
      version: 1,
      attempt: 2,
      dueAt: NOW + 300_000,
      firstAt: NOW,
      sentAgain: false,
      lastReason: '503',
      givenUpAt: null,
      event: TEXT,
    });
  });

  test('is read as it was written, at any time', () => {
    const state = fc.record({
      attempt: fc.nat(10),
      dueAt: fc.nat(),
      firstAt: fc.nat(),
      sentAgain: fc.boolean(),
      example: fc.boolean(),
      lastReason: fc.option(fc.string(), { nil: null }),
    });
    fc.assert(
      fc.property(state, fc.string({ unit: CODE_POINT }), (some, name) => {
        const text = JSON.stringify({ ...EVENT, data: { name } });
        const fresh = readDelivery(text, { now: NOW, sentAgain: false });
        if (fresh === null) throw new Error('no event');
        const delivery = { ...fresh, ...some };
        expect(readDelivery(writeDelivery(delivery), { now: NOW + 1, sentAgain: true })).toEqual(delivery);
      }),
    );
  });

  test('of what was given up starts again when it is redriven', () => {
    const delivery = { ...arrived(), attempt: 10, lastReason: '503', sentAgain: true };
    const body = writeDelivery(delivery, NOW + 1);

    expect(JSON.parse(body)).toMatchObject({ attempt: 10, lastReason: '503', givenUpAt: NOW + 1 });
    expect(readDelivery(body, { now: NOW + 9, sentAgain: false })).toEqual({
      ...delivery,
      attempt: 0,
      dueAt: NOW + 9,
      firstAt: NOW + 9,
      lastReason: null,
    });
  });
});

function arrived() {
  const delivery = readDelivery(TEXT, { now: NOW, sentAgain: false });
  if (delivery === null) throw new Error('the sample is no event');
  return delivery;
}
