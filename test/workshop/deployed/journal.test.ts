import { expect, test } from 'vitest';
import { createJournal, type Exchange } from '#workshop/deployed/journal.ts';

const describeStack = (status: string, requestId = 'a'): Exchange => ({
  name: 'cloudformation:DescribeStacks',
  request: Buffer.from('StackName=s'),
  status: 200,
  answer: Buffer.from(`<StackStatus>${status}</StackStatus><RequestId>${requestId}</RequestId>`),
});

function openJournal() {
  let now = 0;
  const journal = createJournal(() => now);
  const noteAt = (at: number, exchange: Exchange) => {
    now = at;
    journal.note(exchange);
    return journal.lastNewAt();
  };
  return { journal, noteAt };
}

test('an answer that says the same again is nothing new', () => {
  const { journal, noteAt } = openJournal();
  expect(noteAt(1, describeStack('UPDATE_IN_PROGRESS'))).toBe(1);
  expect(noteAt(2, describeStack('UPDATE_IN_PROGRESS', 'b'))).toBe(1);
  expect(journal.repeats()).toBe(1);
  expect(noteAt(3, describeStack('UPDATE_COMPLETE'))).toBe(3);
  expect(journal.repeats()).toBe(0);
  expect(journal.describe()).toBe(
    'cloudformation:DescribeStacks 200 (2 times)\ncloudformation:DescribeStacks 200',
  );
});

test('two requests in turn are nothing new, nor is another status of a known one forgotten', () => {
  const { journal, noteAt } = openJournal();
  const events = { ...describeStack(''), name: 'cloudformation:DescribeStackEvents' };
  noteAt(1, describeStack('UPDATE_IN_PROGRESS'));
  noteAt(2, events);
  expect(noteAt(3, describeStack('UPDATE_IN_PROGRESS'))).toBe(2);
  expect(noteAt(4, events)).toBe(2);
  expect(noteAt(5, { ...events, status: 500 })).toBe(5);
  expect(journal.describe().split('\n').at(-1)).toBe('cloudformation:DescribeStackEvents 500');
});

test('only the last requests are kept', () => {
  const { journal, noteAt } = openJournal();
  for (let at = 0; at < 100; at += 1) noteAt(at, describeStack(String(at)));
  expect(journal.describe().split('\n')).toHaveLength(20);
  expect(noteAt(100, describeStack('0'))).toBe(100);
});
