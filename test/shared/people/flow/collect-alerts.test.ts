import { describe, expect, test } from 'vitest';
import { NotifierError } from '#shared/core/errors.ts';
import { collectAlerts } from '#shared/people/flow/collect-alerts.ts';
import { NOW as SEEN } from '#test/support/builders.ts';
import { crashAtEveryCall, crashable } from '#test/support/crashable.ts';
import { exampleEvent } from '#test/support/example-event.ts';
import { AlertStage, approval, createMessage, DAY_MS, NOW, OFFICE, PAYROLL } from './alert-stage.ts';

const BOTH = { channels: [PAYROLL, OFFICE] };
const COLLECTED = {
  ...{ outcome: 'alerts.collected', result: 'complete', reason: null, messages: 1, events: 1 },
  ...{ strange: 0, failed: 0, added: 1, duration_ms: 0 },
};

describe('an event', () => {
  test('waits for each channel that is told of it, as it came, and is one line in the log', async () => {
    const stage = new AlertStage(BOTH);
    const message = createMessage(approval());
    expect(await stage.collect([message])).toEqual({ failed: [] });
    const { id } = JSON.parse(message.body);
    const waiting = { id, text: message.body, at: SEEN, urgent: false, delay: expect.any(String) };
    for (const channel of ['payroll', 'office']) expect(await stage.waiting(channel)).toEqual([waiting]);
    expect(stage.lines).toEqual([{ ...COLLECTED, added: 2 }]);
    expect(stage.namesLoaded).toEqual([]);
  });

  test('that no channel is told of goes nowhere', async () => {
    const others = [
      { ...PAYROLL, departments: ['9'] },
      { ...OFFICE, tells: ['closings'] },
    ];
    const stage = new AlertStage({ channels: others });
    expect(await stage.collect([createMessage(approval())])).toEqual({ failed: [] });
    expect(stage.lines).toEqual([{ ...COLLECTED, added: 0 }]);
  });

  test('that comes again waits once, whether it was sent meanwhile or not', async () => {
    const stage = new AlertStage();
    const message = createMessage(approval());
    await stage.collect([message, message]);
    await stage.collect([message]);
    expect(await stage.waiting()).toHaveLength(1);
    await stage.release(0, 'all');
    await stage.collect([message]);
    expect(await stage.waiting()).toEqual([]);
    expect(stage.lines.flatMap(({ added = [] }) => added)).toEqual([1, 0, 0]);
  });

  test.each([
    [90, 90],
    [1, 14],
  ])(
    'with a retention of %d days is remembered for %d, as a message may come back',
    async (retentionDays, days) => {
      const stage = new AlertStage();
      const { add } = stage.channelStore;
      const given: number[] = [];
      stage.channelStore.add = async (channel, events, expiresAt) => {
        given.push(expiresAt);
        return await add(channel, events, expiresAt);
      };
      await collectAlerts([createMessage(approval())], { ...stage.settings, retentionDays }, stage.ports);
      expect(given).toEqual([NOW + days * DAY_MS]);
    },
  );
});

describe('what is due at once', () => {
  const closing = exampleEvent('workforce.pay_period.closed');

  test('is sent at once, to the channels that are told of it alone, and nothing else is', async () => {
    const stage = new AlertStage({ channels: [PAYROLL, { ...OFFICE, tells: ['approvals'] }] });
    const late = await stage.put(0, { at: Date.parse(closing.time) });
    stage.now = Date.parse(closing.time);
    await stage.collect([createMessage(closing)]);
    expect(stage.sent).toMatchObject([{ channel: 'payroll' }]);
    expect(stage.lines).toMatchObject([
      { outcome: 'alerts.released', channel: 'payroll', result: 'committed', messages: 1 },
      { ...COLLECTED, released: 1 },
    ]);
    expect(await stage.detailOf({ ...late, id: closing.id })).toBe(`in message ${stage.sent[0]?.id}`);
  });

  test('is collected all the same where it cannot be sent, and a later run sends it', async () => {
    const stage = new AlertStage();
    stage.now = Date.parse(closing.time);
    const sender = {
      send: () => Promise.reject(new NotifierError('outlet_failed', 'closed for today', { retryable: true })),
    };
    expect(await stage.collect([createMessage(closing)], { sender })).toEqual({ failed: [] });
    expect(stage.lines).toEqual([{ ...COLLECTED, released: 1, unsent: 'release_failed' }]);
    await stage.release((stage.now - NOW) / 1_000 + 150);
    expect(stage.sent).toHaveLength(1);
  });
});

describe('a message that is not an event of this product comes back, and stops no other', () => {
  const event = approval();

  test.each([
    ['no JSON', 'approved!'],
    ['no object', '[]'],
    ['nothing', ''],
    ['an unknown type', JSON.stringify({ ...event, type: 'workforce.timesheet.eaten' })],
    ['no time', JSON.stringify({ ...event, time: 'noon' })],
    ['an envelope of SNS', JSON.stringify({ Type: 'Notification', Message: JSON.stringify(event) })],
  ])('%s', async (_name, body) => {
    const stage = new AlertStage();
    const strange = createMessage(body);
    const messages = [createMessage(approval()), strange, createMessage(approval())];
    expect(await stage.collect(messages)).toEqual({ failed: [strange.id] });
    expect(await stage.waiting()).toHaveLength(2);
    const reported = { result: 'incomplete', reason: 'message_strange', strange: 1, failed: 1 };
    expect(stage.lines).toMatchObject([reported]);
  });

  test.each([
    ['a type', { type: 'workforce.timesheet.eaten', dataschema: schemaOf('timesheet.eaten:1') }],
    ['a version of a type', { dataschema: schemaOf('timesheet.approved:2'), data: {} }],
  ])('%s that a later version publishes is passed over', async (_name, change) => {
    const stage = new AlertStage();
    const messages = [createMessage({ ...event, ...change }), createMessage(approval())];
    expect(await stage.collect(messages)).toEqual({ failed: [] });
    expect(await stage.waiting()).toHaveLength(1);
    expect(stage.lines).toMatchObject([{ result: 'complete', unknown: 1, strange: 0 }]);
  });

  test('an event of a later version is accepted', async () => {
    const stage = new AlertStage();
    const later = { ...event, weather: 'fine', data: { ...event.data, mood: 'good' } };
    expect(await stage.collect([createMessage(later)])).toEqual({ failed: [] });
    expect(await stage.waiting()).toHaveLength(1);
  });

  test('of an event that only its envelope can be read of, channels are told once, and of the event once it can be', async () => {
    const stage = new AlertStage();
    const bad = createMessage({ ...event, data: { ...event.data, current: 'nothing' } });
    expect(await stage.collect([bad, bad])).toEqual({ failed: [bad.id, bad.id] });
    expect(await stage.waiting()).toMatchObject([{ id: `${event.id}-unreadable`, text: bad.body }]);
    expect(stage.lines).toMatchObject([{ reason: 'message_strange', strange: 2, added: 1 }]);
    expect(await stage.collect([createMessage(event)])).toEqual({ failed: [] });
    expect(await stage.waiting()).toHaveLength(2);
  });
});

describe('when something fails', () => {
  test.each([
    [new NotifierError('store_throttled', 'no more', { retryable: true }), 'store_throttled'],
    [new TypeError('Ana Lee is no function'), expect.stringMatching(/^TypeError at .*collect-alerts\.test/)],
  ])('the message comes back and the others do not: %s', async (error, reason) => {
    const stage = new AlertStage();
    const [good, bad] = [approval(), approval()];
    const { add } = stage.channelStore;
    stage.channelStore.add = async (channel, events, expiresAt) => {
      if (events.some(({ id }) => id === bad.id)) throw error;
      return await add(channel, events, expiresAt);
    };
    const messages = [createMessage(bad), createMessage(good)];
    expect(await stage.collect(messages)).toEqual({ failed: [messages[0]?.id] });
    expect(await stage.waiting()).toMatchObject([{ id: good.id }]);
    expect(stage.lines).toMatchObject([{ result: 'incomplete', reason, failed: 1, added: 1 }]);
    expect(JSON.stringify(stage.lines)).not.toContain('Ana');
  });

  test('a function may die at any call: what comes again waits once', async () => {
    const messages = [createMessage(approval()), createMessage(approval())];
    const crashes = await crashAtEveryCall(async (plan) => {
      const stage = new AlertStage(BOTH);
      await stage.collect(messages, { channelStore: crashable(stage.channelStore, plan) });
      expect(await stage.collect(messages)).toEqual({ failed: [] });
      for (const channel of ['payroll', 'office']) expect(await stage.waiting(channel)).toHaveLength(2);
      return plan.crashed;
    });
    expect(crashes).toBe(8);
  });
});

function schemaOf(type: string): string {
  return `urn:workforce-change-notifier:schema:${type}`;
}
