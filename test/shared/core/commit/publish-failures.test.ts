import { expect, test } from 'vitest';
import { type EventAddress, findClosedTopics } from '#shared/core/commit/outbox.ts';

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
  const sent = ['a', 'b', 'c', 'd'].map((recordHash) => event('timesheets', recordHash));
  expect(findClosedTopics(sent, new Set([0, 1, 2]))).toEqual([]);
});

test('events that only wait behind a held event of another topic do not close their own', () => {
  const sent = ['a', 'b', 'c'].flatMap((recordHash) => [
    event('clockings', recordHash),
    event('timesheets', recordHash),
  ]);
  expect(findClosedTopics(sent, new Set(sent.keys()))).toEqual(['clockings']);
});

test('an event that follows an accepted one of its record says something of its topic', () => {
  const sent = ['a', 'b', 'c'].flatMap((recordHash) => [
    event('timesheets', recordHash),
    event('clockings', recordHash),
  ]);
  expect(findClosedTopics(sent, new Set([1, 3, 5]))).toEqual(['clockings']);
});

function event(topic: string, recordHash: string): EventAddress {
  return { id: `${topic} ${recordHash}`, subject: recordHash, topic, recordHash };
}
