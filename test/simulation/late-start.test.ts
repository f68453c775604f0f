import { expect, test } from 'vitest';
import { type History, runHistory } from './history.ts';
import { judge } from './oracle/judge.ts';

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];

/** How snapshots could be wrong, so that who starts with them keeps something else. */
const MISTAKES: readonly (readonly [string, (event: Snapshot) => Snapshot])[] = [
  ['claim a later event than the latest', (event) => ({ ...event, sequence: event.sequence + 1_000 })],
  ['belong to a later epoch', (event) => ({ ...event, epoch: '2999-01-01T00:00:00.000Z' })],
  [
    'are of another state',
    (event) => ({ ...event, sequence: event.sequence + 1_000, data: { ...event.data, current: null } }),
  ],
];

test('who starts with a snapshot in the middle keeps what is true in the end', async () => {
  for (const seed of SEEDS) {
    const history = await runHistory(seed);
    expect(history.journal.snapshot).not.toBeNull();
    expect(lateStarts(history)).toEqual([]);
  }
});

test.each(MISTAKES)('snapshots that %s are found out', async (_, spoil) => {
  const found: string[] = [];
  for (const seed of SEEDS) {
    const history = await runHistory(seed);
    const { at = 0, place = 0, texts = [] } = history.journal.snapshot ?? {};
    const spoiled = texts.map((text) => JSON.stringify(spoil(JSON.parse(text) as Snapshot)));
    history.journal.snapshot = { at, place, texts: spoiled };
    found.push(...lateStarts(history));
  }
  expect(found.length).toBeGreaterThan(0);
});

interface Snapshot {
  readonly epoch?: string;
  readonly sequence: number;
  readonly data: object;
}

function lateStarts(history: History): string[] {
  return judge(history)
    .violations.map(({ text }) => text)
    .filter((text) => text.includes('who starts with a snapshot'));
}
