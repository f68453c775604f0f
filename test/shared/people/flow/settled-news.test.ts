import { describe, expect, test } from 'vitest';
import { history, LATER, STAMP } from '#test/shared/core/events/history.ts';
import { type SampleRecord, timesheet } from '#test/support/builders.ts';
import { CollectStage, createMessage } from './collect-stage.ts';

/** What was told as wrong is told as settled. */

const CHANNEL = { kind: 'slack', name: 'payroll', secretName: 's' } as const;
const APPROVED = timesheet({ approvedHours: STAMP });
const PAID = timesheet({ approvedHours: STAMP, processed: STAMP });

describe('by default', () => {
  test('a timesheet whose processing was reverted is told as processed again', async () => {
    expect(await tell({}, PAID, APPROVED, timesheet(), APPROVED, { ...PAID, processed: LATER })).toEqual([
      expect.stringMatching(/ is no longer processed \(7\.5 h to pay\): /),
      expect.stringMatching(/ was processed again .* with 7\.5 h to pay, as when it was reverted\.$/),
    ]);
  });

  const PAID_MORE = { ...PAID, hoursToPay: 9, processed: LATER };
  const SEVERAL = timesheet({ hoursToPay: 8 });
  const SINCE = ', +1.5 h since it was reverted (7.5 h).';

  test.each([
    ['more than when it was reverted', [PAID, APPROVED, { ...APPROVED, hoursToPay: 9 }], SINCE],
    [
      'more, and other things were seen with the reversal',
      [PAID, SEVERAL],
      ', +1 h since it was reverted (8 h).',
    ],
    [
      'as many, after a change that was told',
      [PAID, { ...PAID, hoursToPay: 9 }, { ...APPROVED, hoursToPay: 9 }],
      ', as when it was reverted.',
    ],
    ['as many, which may be new with the reversal', [PAID, { ...APPROVED, hoursToPay: 9 }], '.'],
  ])('with hours to pay that are %s, it is told so', async (_, states, words) => {
    const lines = await tell({}, ...states, PAID_MORE);
    expect(lines.at(-1)).toMatch(/ was processed again .* with 9 h to pay/);
    expect(lines.at(-1)?.split(' with 9 h to pay')[1]).toBe(words);
  });

  test('a timesheet whose hours changed after it was processed is told when it is processed again', async () => {
    const changed = { ...PAID, hoursToPay: 9 };
    expect(await tell({}, PAID, changed, { ...changed, processed: LATER })).toEqual([
      expect.stringContaining('7.5 h -> 9 h, after it was approved and processed'),
      expect.stringMatching(/ was processed again .* with 9 h to pay\.$/),
    ]);
  });

  test('the processing of what nobody was told of is told to nobody', async () => {
    const changed = { ...APPROVED, hoursToPay: 9 };
    expect(await tell({}, APPROVED, changed, { ...changed, processed: LATER })).toEqual([]);
  });
});

test('a channel of other departments is not told of it', async () => {
  expect(await tell({ departments: ['999_7'] }, PAID, APPROVED, { ...PAID, processed: LATER })).toEqual([]);
});

async function tell(channel: object, ...states: readonly SampleRecord[]): Promise<string[]> {
  const stage = createStage(channel);
  await collect(stage, states);
  return (await stage.waiting('payroll')).map(({ line }) => line);
}

function createStage(channel: object): CollectStage {
  return new CollectStage({ channels: [{ ...CHANNEL, ...channel }] });
}

/** The events of a timesheet from its first state on, in order of their sequence. */
async function collect(stage: CollectStage, [first, ...states]: readonly SampleRecord[]): Promise<void> {
  for (const [index, event] of history(first, ...states).entries()) {
    const time = new Date(Date.parse('2026-03-05T01:00:00Z') + index * 60_000).toISOString();
    await stage.collect([createMessage({ ...event, time })]);
  }
}
