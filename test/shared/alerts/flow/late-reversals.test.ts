import { describe, expect, test } from 'vitest';
import { releaseAlerts } from '#shared/alerts/flow/release-alerts.ts';
import { history, STAMP } from '#test/shared/core/events/sample-events.ts';
import { timesheet } from '#test/support/builders.ts';
import { CollectStage, createMessage } from './collect-stage.ts';

/** Approvals that are taken back while people sleep: what they are told in the morning, or at once. */

const EVENING = Date.parse('2026-03-05T19:00:00Z');
const HOUR_MS = 3_600_000;
const MORNING = Date.parse('2026-03-06T08:00:00Z');
const QUIET = {
  kind: 'slack',
  name: 'payroll',
  secretName: 's',
  quietHours: { from: '18:00', to: '07:00' },
} as const;
const CALM = { types: ['workforce.timesheet.approved', 'workforce.timesheet.approval_revoked'] } as const;
const URGENT = {
  types: ['workforce.timesheet.approval_revoked'],
  when: { late: ['processing', 'close'] },
  urgent: true,
  words: 'PAID ALREADY: {sentence}',
} as const;

const APPROVED = timesheet({ approvedHours: STAMP });
const PAID = timesheet({ approvedHours: STAMP, processed: STAMP });
const REVOKED_PAID = timesheet({ processed: STAMP });

describe('approved, processed and revoked in one night, without a rule for processing', () => {
  test('is reported at once where a late revocation is urgent, with the approval before it', async () => {
    const sent = await tell([URGENT, CALM], [APPROVED, PAID, REVOKED_PAID]);
    expect(sent).toEqual([
      {
        at: EVENING + 2 * HOUR_MS,
        title: expect.stringMatching(
          /^PAID ALREADY: .*: approved, then no longer approved, after it was processed\.$/,
        ),
        lines: [],
      },
    ]);
  });

  test('is reported in the morning where nothing is urgent: money was paid for it', async () => {
    const sent = await tell([CALM], [APPROVED, PAID, REVOKED_PAID]);
    expect(sent).toMatchObject([
      {
        at: MORNING,
        title: expect.stringContaining('approved, then no longer approved, after it was processed'),
      },
    ]);
  });
});

test('approved and revoked with nothing in between is reported to nobody', async () => {
  expect(await tell([CALM, URGENT], [APPROVED, timesheet()])).toEqual([]);
});

test('revoked after the approval was reported is reported, whenever that was', async () => {
  const sent = await tell([{ ...CALM, urgent: true }], [APPROVED, timesheet()]);
  expect(sent.map(({ at }) => at)).toEqual([EVENING, EVENING + HOUR_MS]);
});

/** What is sent of a timesheet that goes through these states, one an hour from 19:00 on, and when. */
async function tell(rules: readonly object[], states: Parameters<typeof history>[0][]) {
  const connections = [{ name: 'main', timeZone: 'UTC' }];
  const stage = new CollectStage({ connections, channels: [QUIET], rules } as never);
  const sent: { at: number; title: string; lines: readonly string[] }[] = [];
  const release = async () =>
    await releaseAlerts(
      { scope: 'due' },
      { alerting: stage.alerting, retentionDays: 90 },
      {
        alertStore: stage.alertStore,
        clock: { now: () => stage.now },
        telemetry: { report: () => {} },
        sender: { send: async (_, { title, lines }) => void sent.push({ at: stage.now, title, lines }) },
      },
    );
  for (const [index, event] of history(timesheet(), ...states).entries()) {
    stage.now = EVENING + index * HOUR_MS;
    await stage.collect([createMessage({ ...event, time: new Date(stage.now).toISOString() })]);
    await release();
  }
  stage.now = MORNING;
  await release();
  return sent;
}
