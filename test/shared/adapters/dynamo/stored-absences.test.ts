import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { feedDefinition, readRow } from '#shared/core/records/feed-definition.ts';
import { EMPTY_FEED_STATE, type FeedState } from '#shared/core/snapshot/feed-state.ts';
import type { Leaf } from '#shared/core/snapshot/snapshot.ts';
import { putItems, readItems, type StoredItem } from '#test/fixtures/stored-formats/stored.ts';
import { clocking, DATE, TIMESHEETS, timesheet } from '#test/support/builders.ts';
import { useEmbeddedStore } from '#test/support/embedded-store.ts';

/** What the first version with missing clockings stored. Never written again. */
const FIXTURE = 'test/fixtures/stored-formats/5-absences/items.json';
const SINCE = Date.parse('2026-03-01T00:00:00.000Z');
const ABSENCES = [{ since: SINCE, clockInMs: 900_000, clockOutMs: 10_800_000 }, { since: SINCE + 1 }];
const STATE: FeedState = { ...EMPTY_FEED_STATE, revision: 1, epoch: SINCE, absences: ABSENCES };
const LEAF: Leaf = {
  slice: DATE,
  generation: '1-first',
  index: 0,
  rows: [
    toRow('came', { clockIn: clocking(), clockOut: clocking() }, {}),
    toRow('missing', {}, { clockInMissing: 1 }),
    toRow('forgot', { clockIn: clocking() }, { clockOutMissing: 4 }),
  ],
  tombstones: [],
};

const used = useEmbeddedStore();

describe('stored missing clockings', () => {
  test('of the first version are read as they were', async () => {
    await putItems(used.dynamo, JSON.parse(readFileSync(FIXTURE, 'utf8')) as StoredItem[]);
    expect(await used.store.readLeaves(TIMESHEETS, [LEAF])).toEqual([LEAF]);
    expect((await used.store.loadFeedState(TIMESHEETS))?.state).toEqual(STATE);
  });

  test('are written in that form, rows without any as ever', async () => {
    await used.store.writeGeneration(TIMESHEETS, [LEAF]);
    expect(await readItems(used.dynamo)).toEqual(JSON.parse(readFileSync(FIXTURE, 'utf8')));
    expect(LEAF.rows.map(({ state }) => state.length)).toEqual([19, 20, 21]);
  });
});

function toRow(id: string, values: object, sent: Readonly<Record<string, number>>) {
  const definition = feedDefinition('timesheets');
  const look = {
    absences: { periods: ABSENCES, timeZone: 'UTC', key: '' },
    at: Date.parse('2026-03-05T12:00:00.000Z'),
  };
  // Planned before the option was switched off.
  const planned = { startTime: '2026-03-01T00:00:00.000Z', finishTime: '2026-03-01T00:00:00.000Z' };
  const state = readRow(definition, timesheet({ id, ...planned, ...values }), look);
  return { id, state, sequence: 5, sent, epoch: SINCE };
}
