import { describe, expect, test } from 'vitest';
import { runHistory } from './history.ts';
import { rarestOf } from './knots/overlaps.ts';
import { describeTotals, findUnmet, runHistories } from './run-histories.ts';

const SEED = 1;
const HISTORIES = 600;
/** Histories that were judged wrong once, where no other test plays what they are of. */
const JUDGED_WRONG_ONCE = [
  // a move that the poll beside it told, to a date that nobody read before a change of the hours
  8_601_840,
  // a closing that expired unpublished, removed and created again before its statement
  7_235_944,
  // a look that showed a pay period open while the poll beside it held its closing
  7_501_851,
  // a head in Slack that waited for its update when the function died
  7_240_722,
  // a date that nobody has read, for which a slow source leaves no time if it is as large as the one that was
  7_502_119,
  // two messages in Slack that say the same
  7_242_937,
  // a date that one poll reads twice, and what it saw first is dropped
  7_641_912,
  // what leaves a date whose removals are held
  7_637_109,
  // a watermark of more events than it names
  7_635_080,
  // a closing that a killed poll held, while another one that was killed saw the period open again
  7_641_724,
  // a statement that another poll published than the one that asked for its members
  7_614_676,
  // an employee's former calendar, which a killed poll had asked for
  7_629_092,
  // a list of another date that was behind, and showed a timesheet there once more
  7_695_188, 7_758_964,
  // a timesheet that moved from a date nobody had read to one that was read before
  7_699_142,
  // an employee who changed his calendar between the questions of two polls
  7_730_507,
  // a closing that a poll saw whose clock was behind the poll before it
  7_682_732,
  // removals held by a clock a day ahead, beside a poll that had just ended
  7_698_485,
  // lost facts of most of a list, from which a poll that was killed had removed others
  7_737_517,
  // lost facts of most of a date, one of them on the date to which its timesheet had moved
  7_747_805,
  // lost facts of just over half of a date, beside one that lists left out ever since
  40_000_354,
  // a record that was asked for in vain four times, and twice found gone by polls that committed too late
  7_774_965,
  // a list of eleven pages that no poll begins to read whole at the pace that throttling left
  7_666_253,
  // a timesheet that a list of other dates showed where it had moved to, and that could not be asked for by id
  8_004_192,
  // a date that failed twice in a minute, of which people read once
  7_702_197,
  // an employee who went to another calendar between the look at his timesheet and the question about him
  7_784_867,
  // a list that was not read to its end beside the one that was the baseline
  7_754_241,
  // what most of a date lost, seen by id first, where the list was empty
  7_692_017,
  // an operational event that expired just after the one before it was read and refused
  7_723_005,
  // a follow-up whose time ended while it read who else polls
  7_001_098,
  // a follow-up after a long poll that was killed: dates that are not hot are left to the next scheduled one
  20_001_244,
  // a bad record on a date of which most changed in the same look
  20_003_615,
  // a timesheet that moved onto dates that nobody looks at any more
  40_000_550,
  // two polls that saw two versions at one instant of their clocks, of which the later one was told
  30_008_395,
  // pay periods whose commit took nearly the whole poll, which had asked for more than its list
  40_005_780,
];
/** They found faults of the engine. */
const FAULTS_FOUND = [
  // a list that has a pay period twice, whose stored row is older than an appended field
  7_243_335,
  // a list of pay periods that was not read to its end, and showed one that was opened again
  7_505_728,
  // the same, of one that came back
  7_649_873,
  // a held closing of a pay period that its list leaves out, whose stored row is older than an appended field
  7_644_413,
  // a message without room for a pay period, and for the timesheet that waited for its closing
  7_627_373,
  // a timesheet that went to another employee after it was read, in a statement and in a reminder
  7_645_239, 7_621_088, 7_642_778,
  // the same, of a closing 18 hours after the last look
  7_244_829,
  // an employee's new calendar that a restore forgot, and a question about him that failed
  7_621_374,
  // a restore, and a record on a date that the backup did not have, which its list left out
  7_675_822,
  // an employee's new calendar, which one poll was told while a question of the poll beside it failed
  7_779_788,
  // a move to an earlier date between two reads of heads, and a list that still shows the record on the later one
  7_770_326,
  // thresholds for missing clockings that came with a poll whose clock was a day behind
  7_782_726,
  // a hot date that fails in a long poll, and was asked for again before everything else
  7_722_238,
  // a restore, and a record that came since the backup and moved beyond the window before the first look
  7_756_395, 7_720_131,
  // an employee who went to another calendar, with a timesheet there that was not read yet
  7_008_494,
  // operational events, while a topic refuses more events of records than a feed remembers
  40_004_266,
];
/** The rarest faults and events; the 3,000 histories of .ci/run meet all of them. */
const MAX_UNMET = 5;
const MAX_TEST_MS = 600_000;

describe('simulated histories', () => {
  test(
    'lose nothing, invent nothing, repeat nothing under another id, and keep every order',
    async () => {
      const totals = await runHistories({ seed: SEED, histories: HISTORIES });
      process.stdout.write(`${describeTotals(totals)}\n`);
      expect(totals.failures).toEqual([]);
      expect(totals.histories).toBe(HISTORIES);
      expect(totals.polls).toBeGreaterThan(HISTORIES * 10);
      expect(totals.changes).toBeGreaterThan(HISTORIES * 5);
      expect(totals.faults.get('moving_list')).toBeGreaterThan(HISTORIES / 10);
      expect(findUnmet(totals, 0).length).toBeLessThanOrEqual(MAX_UNMET);
      // Each pair of features meets 200 times in 3,000 histories.
      expect(rarestOf(totals.pairs)).toBeGreaterThanOrEqual((HISTORIES * 200) / 3_000);
      expect(totals.statements.addUp).toBeGreaterThan(HISTORIES / 2);
      expect(totals.statements.accounts).toBeGreaterThan(HISTORIES / 4);
      expect(totals.downstream.histories).toBeGreaterThan(HISTORIES / 15);
      expect(totals.downstream.taken).toBeGreaterThan(HISTORIES);
      expect(totals.downstream.refusals).toBeGreaterThan(HISTORIES / 10);
      expect(totals.downstream.givenUp).toBeGreaterThan(0);
      expect(totals.downstream.told).toBeGreaterThan(HISTORIES / 10);
      expect(totals.downstream.atNight).toBeGreaterThan(HISTORIES / 20);
    },
    MAX_TEST_MS,
  );

  test.each([...JUDGED_WRONG_ONCE, ...FAULTS_FOUND])('are right from seed %i', async (seed) => {
    const { failures } = await runHistories({ seed, histories: 1 });
    expect(failures).toEqual([]);
  });

  test('are the same whenever they are run from the same seed', async () => {
    for (let seed = SEED; seed < SEED + 10; seed += 1) {
      const [one, other] = [await runHistory(seed), await runHistory(seed)];
      expect(other.journal).toEqual(one.journal);
      expect(other.world.truth).toEqual(one.world.truth);
    }
  });
});
