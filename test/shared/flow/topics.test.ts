import { expect, test } from 'vitest';
import { DATE, payPeriod, timesheet } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';
import { play, type Vocabulary } from '#test/support/script.ts';

const WORDS: Vocabulary = {
  ids: ['1_7', '2_7', '3_7'],
  changes: {
    approve: () => ({ approvedHours: '2026-03-05T01:00:30.000Z' }),
    revoke: () => ({ approvedHours: null }),
  },
  steps: {
    refusesFor: (harness, topic) => {
      harness.accepts = ({ type }) => !type.startsWith(`workforce.${topic}`);
    },
    good: (harness) => {
      harness.accepts = () => true;
      harness.refuses = () => false;
    },
    refusesForGood: (harness, id) => {
      harness.refuses = ({ subject }) => subject === id;
    },
    waiting: async (harness, count) => {
      expect((await harness.poll()).counts.eventsWaiting).toBe(Number(count));
    },
    sequences: ({ texts }, rest) => {
      const [id, ...expected] = rest.split(' ');
      const events = texts.map((text) => JSON.parse(text) as { subject: string; sequence: number });
      expect(events.flatMap(({ subject, sequence }) => (subject === id ? [`${sequence}`] : []))).toEqual(
        expected,
      );
    },
    newPeriod: (harness) => {
      harness.lists['pay-periods'] = [
        payPeriod(),
        payPeriod({ id: '4_7', startDate: '2026-03-09', finishDate: '2026-03-15' }),
      ];
    },
  },
};

test.each([
  [
    'what a topic refuses is published by a later poll, before anything of its own',
    'topic refuses; approve; poll; revoke; poll; waiting 6; topic accepts; poll 3 approved, 3 revoked; sequences 1_7 1 2',
  ],
  [
    'a topic that refuses holds its own events alone',
    'refusesFor timesheet; approve; newPeriod; poll 1 created; good; poll 3 approved',
  ],
  [
    'what SNS refuses for good is told once, and passed over',
    'refusesForGood 1_7; approve; poll 2 approved, 1 began; good; polls 3; revoke; poll 3 revoked, 1 ended',
  ],
  [
    'a poll that is killed after its commit has published it',
    'approve; killed 3 approved; 2min; poll 3 approved',
  ],
])('%s', async (_, script) => {
  await play(await watchedHarness(), script, WORDS);
});

async function watchedHarness(): Promise<PollHarness> {
  const harness = new PollHarness();
  harness.put(...WORDS.ids.map((id) => timesheet({ id, date: DATE })));
  harness.lists['pay-periods'] = [payPeriod()];
  await harness.poll();
  harness.news();
  return harness;
}
