import { expect, test } from 'vitest';
import { addDays } from '#shared/core/dates.ts';
import { DATE, MINUTE_MS, timesheet } from '#test/support/builders.ts';
import { PollStage } from '#test/support/poll-stage.ts';

const SEEN_SELDOM = addDays(DATE, -5);
const GONE = 300;

test('absent records that there was no room to ask for are asked for by the very next poll', async () => {
  const stage = new PollStage({ connection: { window: { backDays: 6, forwardDays: 1 } }, requestMs: 1 });
  const settled = { date: SEEN_SELDOM, processed: '2026-03-04T01:00:00.000Z' };
  stage.put(...Array.from({ length: 3 * GONE }, (_, n) => timesheet({ id: `${n}_1`, ...settled })));
  await stage.poll('window');
  stage.news();
  stage.now += 40 * MINUTE_MS;
  for (let n = 0; n < GONE; n += 1) stage.timesheets.delete(`${n}_1`);

  expect((await stage.poll()).outcome).toBe('incomplete');
  expect(stage.news()).toHaveLength(200);
  expect((await stage.poll()).outcome).toBe('complete');
  expect(stage.news()).toHaveLength(100);
});
