import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ReleaseRequest } from '#shared/config/requests/release-request.ts';
import { alertingSchema } from '#shared/config/schema/people.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { OutcomeLine } from '#shared/flow/system.ts';
import type { Alert, ChannelMessage } from '#shared/people/alert.ts';
import type { AlertStore } from '#shared/people/flow/collection.ts';
import { type ChannelSender, type ReleasePorts, releaseAlerts } from '#shared/people/flow/release-alerts.ts';
import { sampleAlert } from '#test/contracts/alert-store.ts';
import { crashAtEveryCall, crashable } from '#test/support/crashable.ts';
import { createMemoryAlertStore } from '#test/support/memory-alert-store.ts';
import { createMemoryDeliveryLedger } from '#test/support/memory-delivery-ledger.ts';

const NOON = Date.parse('2026-03-05T12:00:00Z');
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PAYROLL = { kind: 'slack', name: 'payroll', secretName: 's' } as const;
const OFFICE = { kind: 'email', name: 'office', addresses: ['office@acme.example'] } as const;

describe('alerts that waited long enough', () => {
  test('are sent, a single one as it is', async () => {
    const stage = new ReleaseStage();
    const alert = await stage.wait(0);

    await stage.release({ seconds: 59 });
    expect(stage.sent).toEqual([]);
    await stage.release({ seconds: 60 });

    expect(stage.sent).toMatchObject([{ channel: 'payroll', title: alert.line, lines: [], more: 0 }]);
    expect(await stage.ledger.load(alert.id, 'slack/payroll')).toMatchObject({
      outcome: 'delivered',
      at: NOON + 60 * SECOND_MS,
      detail: `in message ${stage.sent[0]?.id}`,
    });
  });

  test('are sent as one, when there are several', async () => {
    const stage = new ReleaseStage();
    for (const seconds of [0, 20, 59]) await stage.wait(seconds);

    await stage.release({ seconds: 61 });
    await stage.release({ seconds: 200 });

    expect(stage.sent).toHaveLength(1);
    expect(stage.sent[0]?.lines).toHaveLength(3);
  });

  test('are sent by pay period to a channel with a bot', async () => {
    const stage = new ReleaseStage({ channels: [{ ...PAYROLL, channelId: 'C0123456789' }] });
    await stage.wait(0, { type: 'workforce.pay_period.closed', subject: '9_7' });
    await stage.wait(0);
    await stage.release({ seconds: 61 });
    expect(stage.sent.map(({ thread }) => thread)).toEqual(['main#9_7', undefined]);
  });

  test('are one line in the log for each channel, without the sentences', async () => {
    const stage = new ReleaseStage({ channels: [PAYROLL, OFFICE] });
    await stage.wait(0);
    await stage.wait(50);

    await stage.release({ seconds: 65 });

    expect(stage.lines).toEqual([
      {
        outcome: 'alerts.released',
        channel: 'payroll',
        kind: 'slack',
        result: 'committed',
        messages: 1,
        alerts: 2,
        resumed: 0,
        waiting: 0,
        oldest_ms: 65 * SECOND_MS,
        duration_ms: 0,
      },
      {
        outcome: 'alerts.released',
        channel: 'office',
        kind: 'email',
        result: 'nothing',
        messages: 0,
        alerts: 0,
        resumed: 0,
        waiting: 0,
        oldest_ms: 0,
        duration_ms: 0,
      },
    ]);
  });

  test('that cancel each other out are not sent, and do not come back', async () => {
    const stage = new ReleaseStage();
    const approved = await stage.wait(0, { subject: '1', isFirst: true });
    await stage.wait(10, {
      subject: '1',
      type: 'workforce.timesheet.approval_revoked',
      reverses: approved.id,
    });

    await stage.release({ seconds: 60 });

    expect(stage.sent).toEqual([]);
    expect(stage.lines).toMatchObject([{ result: 'committed', messages: 0, alerts: 2, waiting: 0 }]);
    expect((await stage.alertStore.open('payroll', 10)).waiting).toEqual([]);
    expect(await stage.ledger.load(approved.id, 'slack/payroll')).toMatchObject({
      outcome: 'delivered',
      detail: 'cancelled out, or counted in another message',
    });
  });

  test('are sent at once when there is nothing to wait for', async () => {
    const stage = new ReleaseStage();
    await stage.wait(0);

    await stage.release({ seconds: 1, scope: 'all' });

    expect(stage.sent).toHaveLength(1);
  });
});

describe('quiet hours', () => {
  // In Auckland the clock goes back from 03:00 to 02:00 on 5 April 2026.
  const quiet = { ...PAYROLL, quietHours: { from: '20:00', to: '07:00' } };
  const evening = { timeZone: 'Pacific/Auckland', at: Date.parse('2026-04-04T20:30:00+13:00') };

  test('hold until they end by local time, then send all as one', async () => {
    const stage = new ReleaseStage({ channels: [quiet] });
    for (const minutes of [0, 90, 400])
      await stage.wait(0, {
        ...evening,
        at: evening.at + minutes * 60_000,
        held: { line: 'As it is said later.', heading: 'Later', strong: [] },
      });

    for (let at = evening.at; stage.sent.length === 0; at += 60_000) await stage.releaseAt(at);

    expect(stage.now).toBe(Date.parse('2026-04-05T07:00:00+12:00'));
    expect(stage.sent).toMatchObject([{ channel: 'payroll' }]);
    expect(stage.sent[0]?.lines).toEqual(Array(3).fill('As it is said later.'));
  });

  test('do not hold what is urgent', async () => {
    const stage = new ReleaseStage({ channels: [quiet] });
    await stage.wait(0, evening);
    const urgent = await stage.wait(0, { ...evening, urgent: true });

    await stage.releaseAt(evening.at + 1);

    expect(stage.sent).toMatchObject([{ title: urgent.line, urgent: true }]);
    expect(stage.lines).toMatchObject([{ waiting: 1, alerts: 1 }]);
  });
});

test('a flood is sent in one message with true totals, and none is left out', async () => {
  const stage = new ReleaseStage();
  const alerts = Array.from({ length: 5_000 }, (_, index) => sampleAlert({ at: NOON + index }));
  await stage.alertStore.add('payroll', alerts, NOON + DAY_MS);
  const urgent = await stage.wait(100, { urgent: true });

  for (let run = 0; run < 2; run += 1) await stage.release({ seconds: 300 });

  expect(stage.lines.map(({ alerts: sent }) => sent)).toEqual([5_001, 0]);
  expect(stage.sent).toMatchObject([
    { title: expect.stringMatching(/^5,001 timesheets approved/), more: 4_991, urgent: true },
  ]);
  const delivered = stage.ledger.all().filter(({ outcome }) => outcome === 'delivered');
  expect(delivered).toHaveLength(5_001);
  expect(await stage.ledger.load(urgent.id, 'slack/payroll')).toMatchObject({
    detail: `in message ${stage.sent[0]?.id}`,
  });
});

test('a flood that is held by quiet hours does not hold up those of another zone', async () => {
  const stage = new ReleaseStage({ channels: [{ ...PAYROLL, quietHours: { from: '00:00', to: '23:59' } }] });
  const held = Array.from({ length: 2_500 }, (_, index) => sampleAlert({ at: NOON + index }));
  await stage.alertStore.add('payroll', held, NOON + DAY_MS);
  expect(held.length).toBeGreaterThan(2_000);
  const awake = await stage.wait(100, { urgent: true });

  await stage.release({ seconds: 300 });

  expect(stage.sent).toMatchObject([{ title: awake.line }]);
});

describe('a channel that fails', () => {
  test('does not stop the others, and the run fails at the end', async () => {
    const stage = new ReleaseStage({ channels: [PAYROLL, OFFICE] });
    await stage.wait(0);
    await stage.wait(0, {}, 'office');
    stage.sender.send = failingFor('payroll', stage.sender.send);

    await expect(stage.release({ seconds: 61 })).rejects.toMatchObject({
      code: 'release_failed',
      retryable: true,
      message:
        'some channels could not be served (payroll: closed for today); nothing is lost, the next run continues',
      cause: { code: 'outlet_failed' },
    });

    expect(stage.sent.map(({ channel }) => channel)).toEqual(['office']);
    expect(stage.lines.map(({ channel }) => channel)).toEqual(['office']);
  });

  test('gets the same message from a later run, once the failed one must be over', async () => {
    const stage = new ReleaseStage();
    const alert = await stage.wait(0);
    const { send } = stage.sender;
    stage.sender.send = failingFor('payroll', send);
    await expect(stage.release({ seconds: 61 })).rejects.toThrow('payroll');
    await stage.wait(200);
    stage.sender.send = send;

    await stage.release({ seconds: 61 + 149 });
    expect(stage.sent).toEqual([]);
    await stage.release({ seconds: 61 + 150 });

    expect(stage.sent).toMatchObject([{ title: alert.line }]);
    expect(stage.lines).toMatchObject([
      { resumed: 0, waiting: 1 },
      { result: 'nothing', resumed: 1, waiting: 1 },
    ]);
  });

  test('gets it at once where no other run can be', async () => {
    const stage = new ReleaseStage();
    const alert = await stage.wait(0);
    const { send } = stage.sender;
    stage.sender.send = failingFor('payroll', send);
    await expect(stage.release({ seconds: 61 })).rejects.toThrow('payroll');
    stage.sender.send = send;

    await stage.release({ seconds: 62, scope: 'all' });

    expect(stage.sent).toMatchObject([{ title: alert.line }]);
  });

  test('for good at one message gets the others, and runs fail as long as it is there', async () => {
    const stage = new ReleaseStage();
    const alert = await stage.wait(0);
    const { send } = stage.sender;
    stage.sender.send = refusing(alert.line, send);
    const refused = {
      code: 'release_failed',
      message: 'some channels could not be served (payroll: never); nothing is lost, the next run continues',
    };

    await expect(stage.release({ seconds: 61 })).rejects.toMatchObject(refused);
    const urgent = await stage.wait(300, { urgent: true });
    await expect(stage.release({ seconds: 301 })).rejects.toMatchObject(refused);

    expect(stage.sent).toMatchObject([{ title: urgent.line }]);
    expect(stage.lines).toMatchObject([{ resumed: 0 }, { resumed: 1, alerts: 1 }]);
    expect((await stage.alertStore.open('payroll', 10)).sealed).toMatchObject([{ alertIds: [alert.id] }]);
  });
});

describe('whatever happens', () => {
  test('a run may die at any call: everything is sent, and twice only what was sent and not recorded', async () => {
    const crashes = await crashAtEveryCall(async (plan) => {
      const stage = new ReleaseStage({ channels: [PAYROLL, OFFICE] });
      for (const channel of ['payroll', 'office']) {
        await stage.wait(0, { subject: '1' }, channel);
        await stage.wait(1, { subject: '2' }, channel);
      }
      const ports = { alertStore: crashable(stage.alertStore, plan), sender: crashable(stage.sender, plan) };
      const error = await stage.release({ seconds: 90, ports }).catch((reason: unknown) => reason);
      expect(error === undefined).toBe(!plan.crashed);
      const notedAfterSending = plan.when === 'before' && [4, 8].includes(plan.crashesAt);
      const lostAfterSending = plan.when === 'after' && [3, 7].includes(plan.crashesAt);
      await stage.release({ seconds: 90 });
      await stage.release({ seconds: 300 });
      await stage.release({ seconds: 600 });

      expect(new Set(stage.sent.map(({ channel }) => channel))).toEqual(new Set(['payroll', 'office']));
      expect(stage.sent).toHaveLength(plan.crashed && (notedAfterSending || lostAfterSending) ? 3 : 2);
      expect(new Set(stage.sent.map(({ channel, id }) => `${channel} ${id}`)).size).toBe(2);
      for (const channel of ['payroll', 'office'])
        expect(await stage.alertStore.open(channel, 10)).toMatchObject({ waiting: [], sealed: [] });
      return plan.crashed;
    });
    // Open, seal, send and finish, for two channels.
    expect(crashes).toBe(16);
  });

  test('runs that overlap send each alert in one message', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const stage = new ReleaseStage();
        for (const seconds of [0, 10, 20]) await stage.wait(seconds);
        const ports = {
          alertStore: delayed(stage.alertStore, scheduler),
          sender: delayed(stage.sender, scheduler),
        };
        const runs = [1, 2, 3].map(() => stage.release({ seconds: 90, ports }));
        const late = ports.alertStore.add(
          'payroll',
          [sampleAlert({ at: NOON + 30 * SECOND_MS })],
          NOON + DAY_MS,
        );
        await scheduler.waitFor(Promise.all([...runs, late]));
        await stage.release({ seconds: 300 });

        const sent = stage.sent.flatMap(({ title, lines }) => (lines.length === 0 ? [title] : lines));
        expect(sent).toHaveLength(4);
        expect(new Set(sent).size).toBe(4);
        expect(await stage.alertStore.open('payroll', 10)).toMatchObject({ waiting: [], sealed: [] });
      }),
      { numRuns: 200, seed: 3 },
    );
  });
});

interface Given extends Partial<ReleaseRequest> {
  readonly seconds: number;
  readonly ports?: Partial<ReleasePorts>;
}

/** Everything that releasing works on, in memory. */
class ReleaseStage {
  readonly sent: (ChannelMessage & { readonly channel: string })[] = [];
  readonly lines: OutcomeLine[] = [];
  readonly ledger = createMemoryDeliveryLedger();
  readonly alertStore: AlertStore = createMemoryAlertStore(this.ledger);
  readonly sender: ChannelSender = {
    send: async (channel, message) => void this.sent.push({ channel, ...message }),
  };
  readonly #alerting;
  now = NOON;

  constructor(alerting: object = {}) {
    this.#alerting = alertingSchema.parse({ channels: [PAYROLL], connections: [], ...alerting });
  }

  /** An alert that was seen so many seconds after noon. */
  async wait(seconds: number, values: Partial<Alert> = {}, channel = 'payroll'): Promise<Alert> {
    const alert = sampleAlert({ at: NOON + seconds * SECOND_MS, timeZone: 'UTC', ...values });
    await this.alertStore.add(channel, [alert], NOON + DAY_MS);
    return alert;
  }

  async release({ seconds, scope = 'due', ports = {} }: Given): Promise<void> {
    this.now = NOON + seconds * SECOND_MS;
    await this.#release({ scope }, ports);
  }

  async releaseAt(instant: number): Promise<void> {
    this.now = instant;
    await this.#release({ scope: 'due' }, {});
  }

  async #release(request: ReleaseRequest, ports: Partial<ReleasePorts>): Promise<void> {
    await releaseAlerts(
      request,
      { alerting: this.#alerting, retentionDays: 90 },
      {
        alertStore: this.alertStore,
        sender: this.sender,
        clock: { now: () => this.now },
        telemetry: { report: (line) => void this.lines.push(line) },
        ...ports,
      },
    );
  }
}

function refusing(title: string, send: ChannelSender['send']): ChannelSender['send'] {
  return async (name, message) => {
    if (message.title === title) throw new NotifierError('outlet_refused', 'never');
    await send(name, message);
  };
}

function failingFor(channel: string, send: ChannelSender['send']): ChannelSender['send'] {
  return async (name, message) => {
    if (name === channel) throw new NotifierError('outlet_failed', 'closed for today', { retryable: true });
    await send(name, message);
  };
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
