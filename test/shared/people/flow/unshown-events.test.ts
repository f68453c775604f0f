import { describe, expect, test } from 'vitest';
import { exampleEvent } from '#kit/testing/example-event.ts';
import { PRESETS } from '#shared/core/definitions/event-definition.ts';
import { type PublishedType, topicOf } from '#shared/core/event-types.ts';
import { ALERT_TYPES } from '#shared/people/alert.ts';
import { composeMessages } from '#shared/people/digest/digest.ts';
import { collectAlerts } from '#shared/people/flow/collect-alerts.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import type { PublishedEvent } from '#test/support/poll-harness.ts';
import { CollectStage, createMessage } from './collect-stage.ts';

const CONSOLE = 'https://notifier.example';

const closing = sampleOf('workforce.pay_period.closed');
const account = closing.data.account as object;
/** As a sum beyond all bounds is written. */
const endless = {
  ...closing,
  data: { ...closing.data, account: { ...account, hours: null } },
};

describe('an event that cannot be worded', () => {
  test('is told as such, with its pay period and the link, and comes back for the operator', async () => {
    const stage = createStage();
    const message = createMessage(endless);

    expect(await stage.collect([message])).toEqual({ failed: [message.id] });
    expect(await stage.waiting('payroll')).toMatchObject([
      {
        id: `${closing.id}-unshown`,
        type: 'workforce.pay_period.closed',
        subject: '9019_1',
        line: 'Pay period 9019_1 (Weekly 9-15 Nov): a message cannot be shown (1 pay period closed, seen on Tue 17 Nov at 10:30); look it up in the workforce service.',
        heading: 'Pay period 9019_1 (Weekly 9-15 Nov): a message cannot be shown',
        url: `${CONSOLE}/records/9019_1?connection=main`,
      },
    ]);
    expect(stage.lines).toMatchObject([{ reason: 'message_strange', strange: 1, failed: 1, added: 1 }]);
  });

  test('is told once, however often it comes, and as it is once it can be', async () => {
    const stage = createStage();
    await stage.collect([createMessage(endless), createMessage(endless)]);
    expect(await stage.collect([createMessage(closing)])).toEqual({ failed: [] });
    expect(await listWaiting(stage)).toEqual([closing.id, `${closing.id}-unshown`]);
  });

  test('by a fault of ours is told as well, and stops no other', async () => {
    const stage = createStage();
    const [reverted, reopened] = [
      sampleOf('workforce.timesheet.processing_reverted'),
      sampleOf('workforce.pay_period.reopened'),
    ];
    const messages = [createMessage(reverted), createMessage(reopened)];
    // Only who is about a timesheet is looked up.
    const employees = { get: undefined } as unknown as ReadonlyMap<string, string>;
    const names = { load: async () => ({ ...NO_NAMES, employees }) };
    const settings = { alerting: stage.alerting, retentionDays: 90 };

    const { failed } = await collectAlerts(messages, settings, { ...stage.ports, names });
    expect(failed).toEqual([messages[0]?.id]);
    expect(await listWaiting(stage)).toEqual([`${reverted.id}-unshown`, reopened.id].sort());
    expect(stage.lines).toMatchObject([
      { reason: expect.stringMatching(/^TypeError at /), strange: 0, failed: 1 },
    ]);
  });

  test('is told to nobody who asks for other news', async () => {
    const stage = createStage(['approvals']);
    await stage.collect([createMessage(endless)]);
    expect(await stage.waiting('payroll')).toEqual([]);
  });

  test.each(ALERT_TYPES)('names what it is about, with the link: %s', async (type) => {
    const stage = createStage();
    const { data, ...event } = sampleOf(type);
    // Whom a moment before a deadline is for, and who is told of late changes.
    const { reminder } = data;
    await stage.collect([createMessage({ ...event, data: { reminder, late: ['close'] } })]);

    const waiting = await stage.waiting('payroll');
    const isOfRecord = topicOf(type) !== 'operations';
    const about = isOfRecord ? String(event.subject) : 'connection main';
    expect(waiting).toMatchObject([{ line: expect.stringContaining(about) }]);
    expect(waiting[0]?.url).toBe(isOfRecord ? `${CONSOLE}/records/${about}?connection=main` : undefined);
    const [sent] = composeMessages(waiting);
    expect(sent?.message?.title).toBe(waiting[0]?.line);
  });
});

function sampleOf(type: PublishedType): PublishedEvent {
  return exampleEvent(type) as PublishedEvent;
}

function createStage(tells: readonly string[] = PRESETS): CollectStage {
  return new CollectStage({
    names: ['employees'],
    channels: [{ kind: 'slack', name: 'payroll', secretName: 's', for: 'operations', tells }],
    consoleUrl: CONSOLE,
  });
}

async function listWaiting(stage: CollectStage): Promise<readonly string[]> {
  return (await stage.waiting('payroll')).map(({ id }) => id).sort();
}
