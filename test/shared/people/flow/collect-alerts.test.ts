import { describe, expect, test } from 'vitest';
import { NotifierError } from '#shared/core/errors.ts';
import { collectAlerts } from '#shared/people/flow/collect-alerts.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { buildEvents, type Event, history, STAMP } from '#test/shared/core/events/history.ts';
import { createChange, NOW as SEEN, timesheet } from '#test/support/builders.ts';
import { crashAtEveryCall, crashable } from '#test/support/crashable.ts';
import { CollectStage, createMessage, NOW, only } from './collect-stage.ts';

const PAYROLL = { kind: 'slack', name: 'payroll', secretName: 's' } as const;
const OFFICE = { kind: 'email', name: 'office', addresses: ['office@acme.example'] } as const;
const DAY_MS = 86_400_000;

describe('an event', () => {
  test('becomes an alert that waits for each channel that is told of it', async () => {
    const stage = new CollectStage({ channels: [PAYROLL, OFFICE] });
    const event = approval();

    expect(await stage.collect([createMessage(event)])).toEqual({ failed: [] });

    const [forOffice] = await stage.waiting('office');
    expect(forOffice).toEqual({
      id: event.id,
      type: 'workforce.timesheet.approved',
      connection: 'main',
      timeZone: 'Pacific/Auckland',
      at: SEEN,
      epoch: '2026-03-01T00:00:00.000Z',
      sequence: 3,
      line: expect.stringContaining('1001_7'),
      strong: ['employee 2001_7'],
      urgent: false,
      subject: '1001_7',
      reverses: null,
      isFirst: true,
      department: '501_7',
      irreversible: true,
      waits: 'news',
      heading: 'Pay 7.5 h of timesheet 1001_7 of employee 2001_7, Thu 5 Mar: approved after...',
      facts: 'Approved at 13:30 with 7.5 h to pay, after its pay period closed.',
      story: expect.objectContaining({ approved: true, processed: false }),
      held: expect.objectContaining({ line: expect.stringMatching(/ approved on Thu 5 Mar /) }),
    });
    expect(await stage.waiting('payroll')).toEqual([forOffice]);
  });

  test('says of which connection it is when there are several', async () => {
    const connections = ['main', 'north'].map((name) => ({ name, timeZone: 'Pacific/Auckland' }));
    const stage = new CollectStage({ connections, channels: [PAYROLL] });
    await stage.collect([createMessage(approval())]);

    expect((await stage.waiting('payroll'))[0]?.line).toMatch(/^main: Timesheet 1001_7 of /);
  });

  test('is one line in the log, without the sentences', async () => {
    const stage = new CollectStage({ channels: [PAYROLL, OFFICE] });

    await stage.collect([createMessage(approval())]);

    expect(stage.lines).toEqual([
      {
        outcome: 'alerts.collected',
        result: 'complete',
        reason: null,
        messages: 1,
        events: 1,
        strange: 0,
        failed: 0,
        added: 2,
        duration_ms: 0,
      },
    ]);
  });

  test('that takes another back says which', async () => {
    const stage = new CollectStage({ channels: [PAYROLL] });
    const [approved, revoked] = history(timesheet(), timesheet({ approvedHours: STAMP }), timesheet()).map(
      afterClose,
    );

    await stage.collect([createMessage(approved ?? {}), createMessage(revoked ?? {})]);

    expect(await stage.waiting('payroll')).toMatchObject([
      { id: approved?.id, reverses: null },
      { id: revoked?.id, reverses: approved?.id },
    ]);
  });

  test('that no channel is told of goes nowhere', async () => {
    const stage = new CollectStage({
      channels: [
        { ...PAYROLL, departments: ['9'] },
        { ...OFFICE, tells: ['closings'] },
      ],
    });

    expect(await stage.collect([createMessage(approval())])).toEqual({ failed: [] });

    for (const channel of ['payroll', 'office']) expect(await stage.waiting(channel)).toEqual([]);
    expect(stage.lines).toMatchObject([{ events: 1, added: 0 }]);
  });

  test('that comes again is reported once, whether it was reported meanwhile or not', async () => {
    const stage = new CollectStage({ channels: [PAYROLL] });
    const event = approval();

    await stage.collect([createMessage(event), createMessage(event)]);
    await stage.collect([createMessage(event)]);
    expect(await stage.waiting('payroll')).toHaveLength(1);

    const sealed = { message: null, alertIds: [event.id], ownedUntil: NOW };
    await stage.alertStore.seal('payroll', null, [sealed]);
    await stage.alertStore.finish('payroll', sealed, { now: NOW, expiresAt: NOW + DAY_MS });
    await stage.collect([createMessage(event)]);
    expect(await stage.waiting('payroll')).toEqual([]);
    expect(stage.lines.map(({ added }) => added)).toEqual([1, 0, 0]);
  });

  test('of a connection that is no longer in the config is reported in UTC', async () => {
    const stage = new CollectStage({ connections: [], channels: [PAYROLL] });

    await stage.collect([createMessage(approval())]);

    expect(await stage.waiting('payroll')).toMatchObject([{ connection: 'main', timeZone: 'UTC' }]);
  });

  test('is remembered for as long as events are kept, and as a message may come back', async () => {
    for (const [retentionDays, kept] of [
      [90, 90],
      [1, 14],
    ] as const) {
      const stage = new CollectStage({ channels: [PAYROLL] });
      const given: number[] = [];
      const { add } = stage.alertStore;
      stage.alertStore.add = async (channel, alerts, expiresAt) => {
        given.push(expiresAt);
        return await add(channel, alerts, expiresAt);
      };
      await collectAlerts(
        [createMessage(approval())],
        { alerting: stage.alerting, retentionDays },
        stage.ports,
      );

      expect(given).toEqual([NOW + kept * DAY_MS]);
    }
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
    const stage = new CollectStage({ channels: [PAYROLL] });
    const strange = createMessage(body);

    expect(
      await stage.collect([createMessage(approval('1')), strange, createMessage(approval('2'))]),
    ).toEqual({
      failed: [strange.id],
    });

    expect(await stage.waiting('payroll')).toHaveLength(2);
    expect(stage.lines).toMatchObject([
      { result: 'incomplete', reason: 'message_strange', strange: 1, failed: 1 },
    ]);
  });

  test.each([
    [
      'a type',
      {
        type: 'workforce.timesheet.eaten',
        dataschema: 'urn:workforce-change-notifier:schema:timesheet.eaten:1',
      },
    ],
    [
      'a version of a type',
      { dataschema: 'urn:workforce-change-notifier:schema:timesheet.approved:2', data: {} },
    ],
  ])('%s that a later version publishes is passed over', async (_name, change) => {
    const stage = new CollectStage({ channels: [PAYROLL] });

    expect(
      await stage.collect([createMessage({ ...event, ...change }), createMessage(approval('1'))]),
    ).toEqual({
      failed: [],
    });

    expect(await stage.waiting('payroll')).toHaveLength(1);
    expect(stage.lines).toMatchObject([{ result: 'complete', unknown: 1, strange: 0, failed: 0 }]);
  });

  test('an event of a later version is accepted', async () => {
    const stage = new CollectStage({ channels: [PAYROLL] });
    const later = { ...event, weather: 'fine', data: { ...event.data, mood: 'good' } };

    expect(await stage.collect([createMessage(later)])).toEqual({ failed: [] });
    expect(await stage.waiting('payroll')).toHaveLength(1);
  });
});

test('with nothing to do nothing is done', async () => {
  const stage = new CollectStage({ channels: [PAYROLL] });

  expect(await stage.collect([])).toEqual({ failed: [] });
  expect(stage.lines).toMatchObject([{ messages: 0, added: 0, failed: 0, result: 'complete' }]);
});

describe('when something fails', () => {
  test.each([
    [new NotifierError('store_throttled', 'no more', { retryable: true }), 'store_throttled'],
    [
      new TypeError('Ana Lee is not a function'),
      expect.stringMatching(/^TypeError at .*collect-alerts\.test/),
    ],
  ])('the message comes back and the others do not: %s', async (error, reason) => {
    const stage = new CollectStage({ channels: [PAYROLL] });
    const [good, bad] = [approval('1'), approval('2')];
    const { add } = stage.alertStore;
    stage.alertStore.add = async (channel, alerts, expiresAt) => {
      if (alerts.some(({ id }) => id === bad.id)) throw error;
      return await add(channel, alerts, expiresAt);
    };
    const messages = [createMessage(bad), createMessage(good)];

    expect(await stage.collect(messages)).toEqual({ failed: [messages[0]?.id] });

    expect(await stage.waiting('payroll')).toMatchObject([{ id: good.id }]);
    expect(stage.lines).toMatchObject([{ result: 'incomplete', reason, failed: 1, added: 1 }]);
    expect(JSON.stringify(stage.lines)).not.toContain('Ana');
  });

  test('a function may die at any call: what comes again is reported once', async () => {
    const event = approval();
    const crashes = await crashAtEveryCall(async (plan) => {
      const stage = new CollectStage({
        names: ['departments'],
        channels: [PAYROLL, OFFICE],
      });
      const messages = [createMessage(event), createMessage(approval('2'))];
      const { alertStore, names } = stage.ports;
      const ports = {
        ...stage.ports,
        alertStore: crashable(alertStore, plan),
        names: crashable(names, plan),
      };

      await stage.collect(messages, ports);
      expect(await stage.collect(messages)).toEqual({ failed: [] });

      for (const channel of ['payroll', 'office']) {
        expect((await stage.waiting(channel)).map(({ id }) => id)).toEqual([event.id, approval('2').id]);
      }
      return plan.crashed;
    });
    expect(crashes).toBe(10);
  });
});

describe('names', () => {
  const names = {
    ...NO_NAMES,
    employees: new Map([['2001_7', 'Ana Lee']]),
    departments: new Map([['501_7', 'Kitchen']]),
  };
  const kinds = ['employees', 'departments'];

  test('of the kinds that the config lists are in alerts, and loaded once', async () => {
    const stage = new CollectStage({ names: kinds, channels: [PAYROLL, OFFICE] });
    stage.names = names;

    await stage.collect([createMessage(approval()), createMessage(approval('2'))]);

    for (const channel of ['payroll', 'office']) {
      const [told] = await stage.waiting(channel);
      expect(told).toMatchObject({ department: '501_7', line: expect.stringMatching(/Ana Lee.*Kitchen/) });
    }
    expect(stage.namesLoaded).toEqual(['main: employees, departments']);
    expect(JSON.stringify(stage.lines)).not.toMatch(/Ana|Kitchen/);
  });

  test('of the other kinds are ids', async () => {
    const stage = new CollectStage({ names: ['departments'], channels: [PAYROLL] });
    stage.names = names;

    await stage.collect([createMessage(approval())]);

    const [told] = await stage.waiting('payroll');
    expect(told?.line).toContain('Kitchen');
    expect(told?.line).not.toContain('Ana Lee');
  });

  test('are not loaded when nobody is told, or the config lists no kind', async () => {
    const told = new CollectStage({ channels: [PAYROLL] });
    const silent = new CollectStage({ names: kinds, channels: [{ ...PAYROLL, tells: ['closings'] }] });
    for (const stage of [told, silent]) await stage.collect([createMessage(approval())]);

    expect([...told.namesLoaded, ...silent.namesLoaded]).toEqual([]);
  });

  test('of a connection that is no longer in the config are not asked for', async () => {
    const stage = new CollectStage({ connections: [], names: kinds, channels: [PAYROLL] });
    await stage.collect([createMessage(approval())]);
    expect(await stage.waiting('payroll')).toMatchObject([{ department: '501_7' }]);
    expect(stage.namesLoaded).toEqual([]);
  });

  test('that cannot be read do not stop the alert', async () => {
    const stage = new CollectStage({ names: kinds, channels: [PAYROLL] });
    stage.names = new NotifierError('store_item_unreadable', 'damaged');

    expect(await stage.collect([createMessage(approval())])).toEqual({ failed: [] });

    expect(await stage.waiting('payroll')).toMatchObject([{ department: '501_7' }]);
    expect(stage.lines[0]).toEqual({
      outcome: 'alerts.names_missing',
      connection: 'main',
      reason: 'store_item_unreadable',
    });
  });

  test('that may be had a little later are waited for', async () => {
    const stage = new CollectStage({ names: kinds, channels: [PAYROLL] });
    stage.names = new NotifierError('store_throttled', 'no more', { retryable: true });
    const message = createMessage(approval());

    expect(await stage.collect([message])).toEqual({ failed: [message.id] });
    expect(await stage.waiting('payroll')).toEqual([]);
  });
});

function approval(id = '1001_7') {
  const before = timesheet({ id });
  return afterClose(only(buildEvents(createChange(before, { ...before, approvedHours: STAMP }))));
}

function afterClose(event: Event): Event {
  return { ...event, data: { ...event.data, late: ['close'] } } as Event;
}
