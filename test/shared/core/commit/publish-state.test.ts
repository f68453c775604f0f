import { describe, expect, test } from 'vitest';
import { PublishState, readEventAddress } from '#shared/core/commit/outbox.ts';
import { feedStateSchema, type HeldEvent } from '#shared/core/snapshot/feed-state.ts';

const SOURCE = '/workforce/main/timesheets';
const APPROVED = {
  id: 'b2c',
  source: SOURCE,
  subject: '1001_7',
  type: 'workforce.timesheet.approved',
};

describe('the address of an event', () => {
  test('is its topic and the first characters of a hash of its record, which never change', () => {
    // `printf '/workforce/main/timesheets\n1001_7' | sha256sum`, as base64url.
    expect(addressOf(APPROVED)).toEqual({
      id: 'b2c',
      subject: '1001_7',
      topic: 'timesheets',
      recordHash: 'jnVC697F',
    });
  });

  test('is the same for all operational events of a feed, whatever they are about', () => {
    const lagging = { id: 'a', source: SOURCE, type: 'workforce.baseline.completed' };
    const shrunk = { id: 'b', source: SOURCE, subject: '2026-03-05', type: 'workforce.trouble.began' };

    expect(addressOf(lagging)).toMatchObject({ subject: null, topic: 'operations' });
    expect(addressOf(shrunk).recordHash).toBe(addressOf(lagging).recordHash);
    expect(addressOf({ ...shrunk, source: '/workforce/other/timesheets' }).recordHash).not.toBe(
      addressOf(lagging).recordHash,
    );
  });

  test('keeps records of other feeds and other records of the feed apart', () => {
    const marks = [
      APPROVED,
      { ...APPROVED, subject: '1002_7' },
      { ...APPROVED, source: '/workforce/main/pay-periods' },
    ].map((each) => addressOf(each).recordHash);

    expect(new Set(marks).size).toBe(3);
  });

  test.each([
    ['no JSON', '{'],
    ['of a type that the notifier does not have', JSON.stringify({ ...APPROVED, type: 'com.example.made' })],
  ])('of a text that is %s is unknown, and its order is that of the same text', (_, text) => {
    const { recordHash, ...rest } = readEventAddress(text);

    expect(rest).toEqual({ id: null, subject: null, topic: '' });
    expect(recordHash).toHaveLength(8);
    expect(recordHash).not.toBe(readEventAddress(`${text} `).recordHash);
  });
});

describe('what a poll remembers of partly published batches', () => {
  const events = (count: number): HeldEvent[] =>
    Array.from({ length: count }, (_, n) => [n, 'timesheets', `mark-${n}`]);

  test('is what the poll before did, and what it learned itself', () => {
    const state = new PublishState({ first: events(1), second: events(2) });
    expect(state.hold('second', events(1))).toBe(true);
    expect(state.hold('third', events(3))).toBe(true);
    state.forget('first');
    state.forget('never held');

    expect(state.heldOf('first')).toBeNull();
    expect(state.heldOf('second')).toEqual(events(1));
    expect(state.held).toEqual({ second: events(1), third: events(3) });
    expect(feedStateSchema.shape.held.parse(state.held)).toEqual(state.held);
  });

  test('is nothing of batches that are in no outbox any more', () => {
    const state = new PublishState({ kept: events(1), published: events(2) });
    state.keepOnly(new Set(['kept', 'unread']));

    expect(state.held).toEqual({ kept: events(1) });
  });

  test.each([
    [500, true],
    [501, false],
  ])('is bounded: %i events more than 1,500 are remembered: %s', (learned, isRemembered) => {
    const state = new PublishState({ known: events(1_500) });

    expect(state.hold('learned', events(learned))).toBe(isRemembered);
    expect(state.heldOf('learned') !== null).toBe(isRemembered);
    expect(state.heldOf('known')).toHaveLength(1_500);
  });

  test('has room again for what it forgets', () => {
    const state = new PublishState();
    expect(state.hold('large', events(2_000))).toBe(true);
    expect(state.hold('large', events(1_999))).toBe(true);
    expect(state.hold('small', events(1))).toBe(true);
    state.forget('unknown');

    state.forget('large');
    expect(state.hold('next', events(1_999))).toBe(true);
    expect(state.hold('one more', events(1))).toBe(false);
  });
});

test('an event waits behind an unpublished one of its record, and while its topic takes nothing', () => {
  const state = new PublishState();
  state.blocked.add('mark-1');
  state.closed.add('clockings');

  expect(state.isStuck('timesheets', 'mark-1')).toBe(true);
  expect(state.isStuck('clockings', 'mark-2')).toBe(true);
  expect(state.isStuck('timesheets', 'mark-2')).toBe(false);
});

function addressOf(envelope: object) {
  return readEventAddress(JSON.stringify(envelope));
}
