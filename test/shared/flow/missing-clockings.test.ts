import { expect, test } from 'vitest';
import { clocking, DATE, type SampleRecord, timesheet } from '#test/support/builders.ts';
import { PollHarness, type PublishedEvent } from '#test/support/poll-harness.ts';
import { play, type Vocabulary } from '#test/support/script.ts';

const BOTH = { absences: { clockInMinutes: 15, clockOutHours: 3 } };
const WORDS: Vocabulary = {
  ids: Array.from({ length: 30 }, (_, place) => `${place}_7`),
  changes: {
    come: () => ({ clockIn: clocking() }),
    uncome: () => ({ clockIn: null }),
    leave: () => ({ clockOut: clocking({ id: '7002_7' }) }),
    grant: () => ({ includesLeave: true }),
    approve: () => ({ approvedHours: '2026-03-05T08:00:30.000Z' }),
    postpone: () => ({ startTime: '2026-03-05T09:00:00.000Z' }),
  },
  steps: {
    at: (harness, time) => {
      harness.now = Date.parse(`${DATE}T${time}:00.000Z`);
    },
    add: (harness, id) => harness.put(planned(id)),
    last: (harness, expected) => {
      const last = JSON.parse(harness.texts.at(-1) ?? '{}') as PublishedEvent;
      expect(`${last.type.split('.').at(-1)} ${JSON.stringify(last.data.previous)}`).toBe(expected);
    },
  },
};

/** Planned from 08:00 to 16:00 UTC. */
function planned(id: string): SampleRecord {
  const times = { startTime: `${DATE}T08:00:00.000Z`, finishTime: `${DATE}T16:00:00.000Z` };
  return timesheet({ id, ...times });
}

test.each([
  [
    'is told once, when its time has passed, though nothing else changed',
    'at 08:14; poll; poll 30 clock_in_missing; polls 60',
  ],
  [
    'ends with the event of the clocking, which says since when it was missing',
    `at 08:15; poll 30 clock_in_missing; come 0-1; poll 1 clocked_in;
     last clocked_in {"clockIn":null,"clockInMissing":"${DATE}T08:15:00.000Z"}`,
  ],
  ['ends when leave is granted', 'at 08:15; poll 30 clock_in_missing; grant 0-1; poll 1 changed; polls 5'],
  ['ends with its timesheet', 'at 08:15; poll 30 clock_in_missing; remove 0-1; poll 1 removed'],
  [
    'is missing again when the clock-in is removed',
    `at 08:15; poll 30 clock_in_missing; come 0-1; poll 1 clocked_in; uncome 0-1;
     poll 1 clock_in_removed, 1 clock_in_missing`,
  ],
  [
    'is missing again when the plan moves and passes again',
    'at 08:15; poll 30 clock_in_missing; postpone 0-1; poll 1 changed; at 09:15; poll 1 clock_in_missing',
  ],
  ['is not told before a later start', 'postpone 0-29; at 08:15; poll 29 changed, 1 clock_in_missing'],
  [
    'of a new timesheet is told after it',
    'come; at 08:50; poll 30 clocked_in; add new; poll 1 created, 1 clock_in_missing',
  ],
  [
    'in the evening is the clock-out',
    'come 0-2; grant 2-; at 18:59; poll 2 clocked_in, 28 changed; poll 2 clock_out_missing; leave 0-1; poll 1 clocked_out',
  ],
  ['is not waited for once the hours are approved', 'approve; at 08:10; poll 30 approved; at 08:20; polls 5'],
  ['that all come at once is never doubtful', 'at 08:15; poll 30 clock_in_missing; come; poll 30 clocked_in'],
  [
    'of most people, because their clock-ins are gone, waits with them',
    'come; at 08:20; poll 30 clocked_in; uncome; poll; poll 30 clock_in_removed, 30 clock_in_missing',
  ],
  [
    'while the source fails is told afterwards',
    `fails ${DATE}; at 08:15; polls 5; fails no more; polls 6 30 clock_in_missing`,
  ],
])('a clocking that does not come %s', async (_, script) => {
  await play(await watched(BOTH), script, WORDS);
});

test('is not told where nobody asked for it', async () => {
  await play(await watched({}), 'at 08:20; polls 5', WORDS);
});

async function watched(connection: object): Promise<PollHarness> {
  const harness = new PollHarness({ connection, startAt: `${DATE}T07:00:00Z` });
  harness.put(...WORDS.ids.map(planned));
  await harness.poll();
  harness.news();
  return harness;
}
