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

describe('a message from a topic', () => {
  test('is an event that was not received before', () => {
    const fresh = { attempt: 0, dueAt: NOW, firstAt: NOW, example: false, lastReason: null };
    // Its attribute says whether it was published before.
    for (const sentAgain of [false, true])
      expect(readDelivery(TEXT, { now: NOW, sentAgain })).toEqual({
        ...fresh,
        ...{ sentAgain, event: EVENT, text: TEXT },
      });
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
      ...{ version: 1, attempt: 2, dueAt: NOW + 300_000, firstAt: NOW, sentAgain: false },
      ...{ lastReason: '503', givenUpAt: null, event: TEXT },
    });
  });

  test('is read as it was written, at any time, and is due now where its instant cannot be', () => {
    const instant = fc.double({ min: 0, max: 2 ** 45, noNaN: true });
    const state = fc.record({
      attempt: fc.nat(10),
      dueAt: instant,
      firstAt: instant,
      sentAgain: fc.boolean(),
      example: fc.boolean(),
      lastReason: fc.option(fc.string(), { nil: null }),
    });
    fc.assert(
      fc.property(state, fc.string({ unit: CODE_POINT }), (some, name) => {
        const text = JSON.stringify({ ...EVENT, data: { name } });
        const delivery = { ...arrived(text), ...some };
        // Due later than any retry is: by a wrong clock.
        const dueAt = some.dueAt > NOW + MAX_RETRY_WAIT_MS + 60_000 ? NOW : some.dueAt;
        const read = readDelivery(writeDelivery(delivery), { now: NOW, sentAgain: true });
        expect(read).toEqual({ ...delivery, dueAt });
      }),
      { seed: 9 },
    );
  });

  test('of what was given up starts again when it is redriven', () => {
    const delivery = { ...arrived(), attempt: 10, lastReason: '503', sentAgain: true };
    const body = writeDelivery(delivery, NOW + 1);

    expect(JSON.parse(body)).toMatchObject({ attempt: 10, lastReason: '503', givenUpAt: NOW + 1 });
    expect(readDelivery(body, { now: NOW + 9, sentAgain: false })).toEqual({
      ...delivery,
      ...{ attempt: 0, dueAt: NOW + 9, firstAt: NOW + 9, lastReason: null },
    });
  });
});

function arrived(text = TEXT) {
  const delivery = readDelivery(text, { now: NOW, sentAgain: false });
  if (delivery === null) throw new Error('the sample is no event');
  return delivery;
}
