import { expect, test } from 'vitest';
import type { Entry } from '#local/run/terminal/entry.ts';
import { addEntry, type Block, isBurst, MIN_BURST, settle } from '#local/run/terminal/transcript.ts';
import { showEvent } from './entries.ts';

const fits = () => false;

test('events of a type that come shortly after each other are one block, whatever comes between', () => {
  const blocks = add([
    [approved(), 0],
    [note(), 300],
    [approved(), 799],
    [processed(), 1_000],
    [approved(), 1_598],
  ]);
  expect(blocks.map(({ count }) => count)).toEqual([3, 1, 1]);
});

test('later ones begin a block of their own, and so do those after ten seconds', () => {
  expect(
    add([
      [approved(), 0],
      [approved(), 800],
    ]).map(({ count }) => count),
  ).toEqual([1, 1]);
  const steady = Array.from({ length: 12 }, (_, index) => [approved(), index * 799] as const);
  expect(add(steady).map(({ count }) => count)).toEqual([12]);
  expect(add([...steady, [approved(), 10_000]]).map(({ count }) => count)).toEqual([12, 1]);
});

test('messages stay apart, deliveries that are alike do not', () => {
  const told: Entry = {
    kind: 'message',
    at: '10:30',
    message: { kind: 'message', channel: 'slack #a', lines: [] },
  };
  const delivery = { webhook: 'a', did: 'took', type: 'timesheet.approved', which: '', taken: 1, refused: 0 };
  const delivered: Entry = { kind: 'delivery', delivery: { kind: 'delivery', ...delivery } };
  const blocks = add([approved(), told, told, delivered, delivered].map((entry) => [entry, 0]));
  expect(blocks.map(({ count }) => count)).toEqual([1, 1, 1, 2]);
});

test('a block is a burst from the fifth entry on, and keeps no more entries than it shows', () => {
  const few = add(Array(MIN_BURST - 1).fill([approved(), 0]));
  const many = add(Array(1_000).fill([approved(), 0]));
  expect([few[0], many[0]].map((block) => block !== undefined && isBurst(block))).toEqual([false, true]);
  expect(many[0]?.entries).toHaveLength(MIN_BURST);
});

test('blocks settle from the top, so that nothing changes its place', () => {
  const blocks = add([
    [approved(), 0],
    [processed(), 500],
    [note(), 500],
    [approved(), 900],
  ]);
  const at = (now: number) => settle(blocks, { now, isTooTall: fits }).settled.length;
  expect([799, 800, 1_299, 1_300, 1_700].map(at)).toEqual([0, 1, 1, 3, 4]);
});

test('of blocks that are too tall, the upper ones settle at once', () => {
  const blocks = add([
    [approved(), 0],
    [processed(), 0],
    [note(), 0],
  ]);
  const { settled, pending } = settle(blocks, { now: 0, isTooTall: ({ length }) => length > 2 });
  expect([settled.length, pending.length]).toEqual([1, 2]);
});

test('entries of a block that is no burst settle one by one', () => {
  const { settled } = settle(add(Array(3).fill([approved(), 0])), { now: Infinity, isTooTall: fits });
  expect(settled.map(({ entries, count }) => [entries.length, count])).toEqual([
    [1, 1],
    [1, 1],
    [1, 1],
  ]);
});

function add(entries: readonly (readonly [Entry, number])[]): readonly Block[] {
  return entries.reduce<readonly Block[]>((blocks, [entry, now]) => addEntry(blocks, entry, now), []);
}

function approved(): Entry {
  return showEvent({ id: '1_1' });
}

function processed(): Entry {
  return showEvent({ id: '1_1', type: 'timesheet.processed' });
}

function note(): Entry {
  return { kind: 'note', text: 'a note' };
}
