import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NotifierError } from '#shared/core/errors.ts';
import type { ChannelSender } from '#shared/people/flow/release-alerts.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { crashAtEveryCall, crashable } from '#test/support/crashable.ts';
import { exampleEvent } from '#test/support/example-event.ts';
import {
  AlertStage,
  approval,
  DAY_MS,
  NOW,
  OFFICE,
  PAYROLL,
  undoneApproval,
  waitingFor,
} from './alert-stage.ts';

const BOTH = { channels: [PAYROLL, OFFICE] };
const LINE = {
  ...{ outcome: 'alerts.released', channel: 'payroll', kind: 'slack', result: 'committed' },
  ...{ messages: 1, events: 1, resumed: 0, waiting: 0, oldest_ms: 60_000, duration_ms: 0 },
};
const REFUSED = new NotifierError('outlet_refused', 'never');
const CLOSED = new NotifierError('outlet_failed', 'closed for today', { retryable: true });

describe('what is due', () => {
  test('is sent once, when it is, as one message', async () => {
    const stage = new AlertStage();
    const events = [await stage.put(0), await stage.put(20)];
    for (const seconds of [30, 90, 200]) await stage.release(seconds);
    expect(stage.sent).toMatchObject([{ channel: 'payroll' }]);
    for (const event of events) expect(await stage.detailOf(event)).toBe(`in message ${stage.sent[0]?.id}`);
  });

  test('is one line in the log for each channel, without names', async () => {
    const stage = new AlertStage({ ...BOTH, names: ['employees'] });
    stage.names = { ...NO_NAMES, employees: new Map([['2001_7', 'Ana Lee']]) };
    await stage.put(0);
    await stage.release(60);
    const nothing = { ...LINE, channel: 'office', kind: 'email', result: 'nothing', messages: 0, events: 0 };
    expect(stage.lines).toEqual([LINE, { ...nothing, oldest_ms: 0 }]);
    expect(JSON.stringify(stage.sent)).toContain('Ana Lee');
  });

  test('and undoes itself is not sent, and does not come back', async () => {
    const stage = new AlertStage();
    const events = undoneApproval().map((event) => waitingFor(event));
    await stage.channelStore.add('payroll', events, NOW + DAY_MS);
    await stage.release(3_600);
    expect(stage.sent).toEqual([]);
    expect(stage.lines).toMatchObject([{ result: 'committed', messages: 0, events: 2, waiting: 0 }]);
    expect(await stage.waiting()).toEqual([]);
  });

  test('is not held up by a flood that quiet hours hold', async () => {
    const stage = new AlertStage({ channels: [{ ...PAYROLL, quietHours: { from: '00:00', to: '23:59' } }] });
    const flood = Array.from({ length: 5_000 }, (_, index) => waitingFor(event, { id: `${index}` }));
    await stage.channelStore.add('payroll', flood, NOW + DAY_MS);
    const closing = exampleEvent('workforce.pay_period.closed');
    const text = JSON.stringify(closing);
    const urgent = await stage.put(100, { id: closing.id, text, urgent: true });
    await stage.release(100);
    expect(stage.lines).toMatchObject([{ events: 1, waiting: 4_999 }]);
    expect(await stage.detailOf(urgent)).toContain('in message');
  });
});

describe('names', () => {
  const kinds = { names: ['employees', 'departments'], channels: [PAYROLL, OFFICE] };

  test('are loaded once, for the connections that something is due of', async () => {
    const stage = new AlertStage({ ...kinds, connections: [...zones('main'), ...zones('north')] });
    await stage.release(0);
    for (const channel of ['payroll', 'office', 'office']) await stage.put(0, {}, channel);
    await stage.release(60);
    expect(stage.sent).toHaveLength(2);
    expect(stage.namesLoaded).toEqual(['main: employees, departments']);
  });

  test.each([
    ['where the config lists no kind', { ...kinds, names: [] }],
    ['of a connection that is no longer in the config', { ...kinds, connections: [] }],
  ])('are not asked for %s', async (_, alerting) => {
    const stage = new AlertStage(alerting);
    await stage.put(0);
    await stage.release(60);
    expect(stage.sent).toHaveLength(1);
    expect(stage.namesLoaded).toEqual([]);
  });

  test('that cannot be read do not stop a message', async () => {
    const stage = new AlertStage({ ...kinds, channels: [PAYROLL] });
    stage.names = new NotifierError('store_item_unreadable', 'damaged');
    await stage.put(0);
    await stage.release(60);
    expect(stage.sent).toHaveLength(1);
    const reason = 'store_item_unreadable';
    expect(stage.lines).toEqual([{ outcome: 'alerts.names_missing', connection: 'main', reason }, LINE]);
  });

  test('of pay periods are their dates', async () => {
    const stage = new AlertStage();
    for (const { data, ...late } of [approval(), approval()]) {
      const closedPeriods = [{ id: '9_7', calendar: 'Weekly' }];
      const text = JSON.stringify({ ...late, data: { ...data, closedPeriods } });
      await stage.put(0, { id: late.id, text });
    }
    await stage.release(60);
    expect(stage.sent).toMatchObject([{ heading: expect.stringContaining('Weekly 23 Feb - 1 Mar') }]);
  });

  test('that may be had a little later are waited for', async () => {
    const stage = new AlertStage(kinds);
    stage.names = new NotifierError('store_throttled', 'no more', { retryable: true });
    await stage.put(0);
    await expect(stage.release(60)).rejects.toThrow('payroll: no more');
    stage.names = NO_NAMES;
    await stage.release(120);
    expect(stage.sent).toHaveLength(1);
  });
});

describe('a channel that fails', () => {
  test('does not stop the others, and the run fails at the end', async () => {
    const stage = new AlertStage(BOTH);
    for (const channel of ['payroll', 'office']) await stage.put(0, {}, channel);
    await expect(failing(stage, CLOSED, 'payroll').release(61)).rejects.toMatchObject({
      code: 'release_failed',
      retryable: true,
      message:
        'some channels could not be served (payroll: closed for today); nothing is lost, the next run continues',
      cause: CLOSED,
    });
    expect(stage.sent.map(({ channel }) => channel)).toEqual(['office']);
    expect(stage.lines.map(({ channel }) => channel)).toEqual(['office']);
  });

  test('gets the same message from a later run, once the failed one must be over', async () => {
    const stage = new AlertStage();
    const event = await stage.put(0);
    await expect(failing(stage, CLOSED).release(61)).rejects.toThrow('payroll');
    await stage.put(200);
    await stage.release(61 + 149);
    expect(stage.sent).toEqual([]);
    await stage.release(61 + 150);
    expect(await stage.detailOf(event)).toBe(`in message ${stage.sent[0]?.id}`);
    expect(stage.lines).toMatchObject([
      { resumed: 0, waiting: 1 },
      { result: 'nothing', resumed: 1, waiting: 1 },
    ]);
  });

  test('gets it at once where no other run can be', async () => {
    const stage = new AlertStage();
    await stage.put(0);
    await expect(failing(stage, CLOSED).release(61)).rejects.toThrow('payroll');
    await stage.release(62, 'all');
    expect(stage.sent).toHaveLength(1);
  });

  test('for good at one message gets the others, and runs fail as long as it is there', async () => {
    const stage = new AlertStage();
    const event = await stage.put(0);
    await expect(failing(stage, REFUSED).release(61)).rejects.toThrow('payroll: never');
    const { sealed } = await stage.channelStore.open('payroll', 10);
    expect(sealed).toMatchObject([{ eventIds: [event.id] }]);
    const refused = sealed[0]?.message?.id ?? '';
    await stage.put(300, { urgent: true });
    await expect(failing(stage, REFUSED, refused).release(301)).rejects.toThrow('payroll: never');
    expect(stage.sent).toHaveLength(1);
    expect(stage.lines).toMatchObject([{ resumed: 0 }, { resumed: 1, events: 1 }]);
    expect((await stage.channelStore.open('payroll', 10)).sealed).toMatchObject([{ eventIds: [event.id] }]);
  });
});

describe('whatever happens', () => {
  test('a run may die at any call: everything is sent, and twice only what was sent and not recorded', async () => {
    const crashes = await crashAtEveryCall(async (plan) => {
      const stage = new AlertStage(BOTH);
      for (const channel of ['payroll', 'office', 'payroll', 'office']) await stage.put(0, {}, channel);
      const ports = {
        channelStore: crashable(stage.channelStore, plan),
        sender: crashable(stage.sender, plan),
      };
      const outcome = await stage.release(90, 'due', ports).then(
        () => 'done',
        () => 'crashed',
      );
      expect(outcome).toBe(plan.crashed ? 'crashed' : 'done');
      for (const seconds of [90, 300, 600]) await stage.release(seconds);
      // Open, seal, send and finish, for two channels.
      const twice = { before: [4, 8], after: [3, 7] }[plan.when];
      expect(stage.sent).toHaveLength(twice.includes(plan.crashesAt) ? 3 : 2);
      expect(new Set(stage.sent.map(({ channel, id }) => `${channel} ${id}`)).size).toBe(2);
      for (const channel of ['payroll', 'office'])
        expect(await stage.channelStore.open(channel, 10)).toMatchObject({ waiting: [], sealed: [] });
      return plan.crashed;
    });
    expect(crashes).toBe(16);
  });

  test('runs that overlap send each event in one message', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const stage = new AlertStage();
        for (const seconds of [0, 10, 20]) await stage.put(seconds);
        const channelStore = delayed(stage.channelStore, scheduler);
        const sender = delayed(stage.sender, scheduler);
        const told: string[] = [];
        const { finish } = stage.channelStore;
        stage.channelStore.finish = async (channel, sealed, at) => {
          told.push(...sealed.eventIds);
          await finish(channel, sealed, at);
        };
        const runs = [1, 2, 3].map(() => stage.release(90, 'due', { channelStore, sender }));
        const late = channelStore.add(
          'payroll',
          [waitingFor(approval(), { at: NOW + 30_000 })],
          NOW + DAY_MS,
        );
        await scheduler.waitFor(Promise.all([...runs, late]));
        await stage.release(300);
        expect(told).toHaveLength(4);
        expect(new Set(told).size).toBe(4);
        expect(await stage.channelStore.open('payroll', 10)).toMatchObject({ waiting: [], sealed: [] });
      }),
      { numRuns: 200, seed: 3 },
    );
  });
});

const event = approval();

function zones(name: string) {
  return [{ name, timeZone: 'Pacific/Auckland' }];
}

/** The stage for one run in which a channel, or a message, fails. */
function failing(stage: AlertStage, error: Error, wanted = 'payroll') {
  const send: ChannelSender['send'] = async (name, message) => {
    if ([name, message.id].includes(wanted)) throw error;
    await stage.sender.send(name, message);
  };
  return { release: (seconds: number) => stage.release(seconds, 'due', { sender: { send } }) };
}

/** The port when every call takes a time of its own on the way there and back. */
function delayed<Port extends object>(port: Port, scheduler: fc.Scheduler): Port {
  return new Proxy(port, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver);
      if (typeof method !== 'function') return method;
      return async (...given: unknown[]) => {
        await scheduler.schedule(Promise.resolve());
        return await scheduler.schedule(Promise.resolve(await method.apply(target, given)));
      };
    },
  });
}
