import { expect, test } from 'vitest';
import { summarizePoll } from '#shared/core/outcome/feed-memory.ts';
import { PollFindings } from '#shared/core/outcome/poll-findings.ts';
import { EMPTY_FEED_STATE } from '#shared/core/snapshot/feed-state.ts';
import { DATE, EARLIER, NOW } from '#test/support/builders.ts';

const HEALTH = { unreachableAfterPolls: 3, stalledAfterMinutes: 60 };
const TROUBLED = {
  ...EMPTY_FEED_STATE,
  sequence: 4,
  baseline: { startedAt: EARLIER, completedAt: EARLIER, from: DATE, to: DATE, announced: true },
  shrunk: { [DATE]: { since: EARLIER } },
  awaited: { '1_7': { since: EARLIER, badAt: EARLIER } },
};

test.each([
  [undefined, ['record.readable', 'slice.whole']],
  [true, ['record.readable', 'slice.whole']],
  [false, []],
])('with endings %s in the config, troubles that end bring %j', (endings, types) => {
  const { state, operations } = summarizePoll(
    TROUBLED,
    {
      ...new PollFindings(),
      ...{ startedAt: NOW, failingFrom: NOW, now: NOW, window: [DATE], heads: new Map(), pulls: {} },
      ...{ pages: undefined, sourceAnswered: true, complete: true, held: {} },
      loadFrom: null,
      committedWhole: new Set([DATE]),
      readAgain: new Set(['1_7']),
    },
    { health: endings === undefined ? HEALTH : { ...HEALTH, endings }, timeZone: 'UTC' },
  );
  expect(operations.map(({ type }) => type)).toEqual(types);
  expect(state.sequence).toBe(4 + types.length);
  expect([state.shrunk, state.awaited]).toEqual([{}, {}]);
});
