import { expect, test } from 'vitest';
import { history, STAMP } from '#test/shared/core/events/history.ts';
import { timesheet } from '#test/support/builders.ts';
import { CollectStage, createMessage } from './collect-stage.ts';

/** Approvals that are taken back while people sleep: what they are told in the morning. */

const EVENING = Date.parse('2026-03-05T19:00:00Z');
const HOUR_MS = 3_600_000;
const MORNING = Date.parse('2026-03-06T08:00:00Z');
const QUIET = {
  kind: 'slack',
  name: 'payroll',
  secretName: 's',
  quietHours: { from: '18:00', to: '07:00' },
} as const;
const APPROVED = timesheet({ approvedHours: STAMP });
const PAID = timesheet({ approvedHours: STAMP, processed: STAMP });
const REVOKED_PAID = timesheet({ processed: STAMP });

test('approved, processed and revoked in one night is told in the morning: money was paid for it', async () => {
  expect(await tell([APPROVED, PAID, REVOKED_PAID])).toMatchObject([
    { at: MORNING, title: expect.stringMatching(/is no longer approved: .*, after it was processed\.$/) },
  ]);
});

test('approved and revoked with nothing in between is told to nobody', async () => {
  expect(await tell([APPROVED, timesheet()])).toEqual([]);
});

/** What is sent of a timesheet that goes through these states, one an hour from 19:00 on, and when. */
async function tell(states: Parameters<typeof history>[0][]) {
  const connections = [{ name: 'main', timeZone: 'UTC' }];
  const stage = new CollectStage({ connections, channels: [QUIET] });
  const sent: { at: number; title: string; lines: readonly string[] }[] = [];
  const release = () =>
    stage.release(async (_, { title, lines }) => void sent.push({ at: stage.now, title, lines }));
  for (const [index, event] of history(timesheet(), ...states).entries()) {
    stage.now = EVENING + index * HOUR_MS;
    await stage.collect([createMessage({ ...event, time: new Date(stage.now).toISOString() })]);
    await release();
  }
  stage.now = MORNING;
  await release();
  return sent;
}
