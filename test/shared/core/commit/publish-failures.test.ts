import { expect, test } from 'vitest';
import { findClosedTopics } from '#shared/core/commit/outbox.ts';
import type { EventAddress } from '#shared/core/snapshot/held-events.ts';

test('a topic that accepts nothing of three records is closed', () => {
  const sent = [
    event('clockings', 'a'),
    event('clockings', 'b'),
    event('clockings', 'c'),
    event('timesheets', 'd'),
  ];
  expect(findClosedTopics(sent, new Set([0, 1, 2]))).toEqual(['clockings']);
});

test('two records are not enough, however many events they have', () => {
  const sent = [event('clockings', 'a'), event('clockings', 'a'), event('clockings', 'b')];
  expect(findClosedTopics(sent, new Set([0, 1, 2]))).toEqual([]);
});

test('one accepted event keeps a topic open', () => {
  const sent = ['a', 'b', 'c', 'd'].map((mark) => event('timesheets', mark));
  expect(findClosedTopics(sent, new Set([0, 1, 2]))).toEqual([]);
});

test('events that only wait behind a held event of another topic do not close their own', () => {
  const sent = ['a', 'b', 'c'].flatMap((mark) => [event('clockings', mark), event('timesheets', mark)]);
  expect(findClosedTopics(sent, new Set(sent.keys()))).toEqual(['clockings']);
});

test('an event that follows an accepted one of its record says something of its topic', () => {
  const sent = ['a', 'b', 'c'].flatMap((mark) => [event('timesheets', mark), event('clockings', mark)]);
  expect(findClosedTopics(sent, new Set([1, 3, 5]))).toEqual(['clockings']);
});

function event(topic: string, mark: string): EventAddress {
  return { id: `${topic} ${mark}`, subject: mark, topic, mark };
}
