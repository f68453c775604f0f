import { expect, test } from 'vitest';
import { addDays } from '#shared/core/dates.ts';
import { SourceError } from '#shared/core/errors.ts';
import { DATE, MINUTE_MS, timesheet } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const SEEN_SELDOM = addDays(DATE, -5);
const GONE = 300;

test('absent records that there was no room to ask for are asked for by the very next poll', async () => {
  const harness = new PollHarness({ connection: { window: { backDays: 6, forwardDays: 1 } }, requestMs: 1 });
  const settled = { date: SEEN_SELDOM, processed: '2026-03-04T01:00:00.000Z' };
  harness.put(...Array.from({ length: 3 * GONE }, (_, n) => timesheet({ id: `${n}_1`, ...settled })));
  await harness.poll({ scope: 'window' });
  harness.news();
  harness.now += 40 * MINUTE_MS;
  for (let n = 0; n < GONE; n += 1) harness.remove(`${n}_1`);

  expect((await harness.poll()).outcome).toBe('incomplete');
  expect(harness.news()).toHaveLength(200);
  expect((await harness.poll()).outcome).toBe('complete');
  expect(harness.news()).toHaveLength(100);
});

test('so are those that the list left out before, once they are due to be asked for again', async () => {
  const harness = new PollHarness({ connection: { window: { backDays: 6, forwardDays: 1 } } });
  const settled = { date: SEEN_SELDOM, processed: '2026-03-04T01:00:00.000Z' };
  const ids = Array.from({ length: 10 }, (_, n) => `${n}_1`);
  harness.put(...ids.map((id) => timesheet({ id, ...settled })));
  await harness.poll({ scope: 'window' });
  const [leftOut = ''] = ids;
  harness.listed = (records) => records.filter(({ id }) => id !== leftOut);
  await harness.poll({ scope: 'window' });
  harness.remove(leftOut);
  harness.now += 40 * MINUTE_MS;

  harness.onLookUp = () => new SourceError('source_unreachable', 'not now');
  expect((await harness.poll()).reasons).toContain(
    `some absent records of ${SEEN_SELDOM} could not be looked up yet`,
  );
  harness.onLookUp = () => null;
  harness.news();
  await harness.poll();
  expect(harness.news()).toEqual([`timesheet.removed ${leftOut}`]);
});
