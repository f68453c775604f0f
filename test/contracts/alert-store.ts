import { beforeAll, describe, expect, test } from 'vitest';
import type { DeliveryLedger } from '#shared/flow/deliveries.ts';
import type { Alert, ChannelMessage } from '#shared/people/alert.ts';
import type { AlertStore, SealedMessage } from '#shared/people/flow/collection.ts';
import { NOON } from './store-samples.ts';

const MAX_ALERTS = 100;
const expiresAt = NOON + 86_400_000;
const at = { now: NOON + 60_000, expiresAt };

/** Channels that an implementation must have. Each test uses its own. */
export const CONTRACT_CHANNELS = Array.from({ length: 20 }, (_, index) => `channel-${index}`);

let samples = 0;
let channels = 0;

interface Made {
  readonly alertStore: AlertStore;
  readonly ledger: DeliveryLedger;
}

/** The contract of every alert store. Its ledger names its channels `slack/{name}`. */
export function describeAlertStore(name: string, make: () => Promise<Made>): void {
  describe(`${name} as an alert store`, () => {
    let made: Made;
    beforeAll(async () => {
      made = await make();
      channels = 0;
    });
    const alertStore = () => made.alertStore;
    describe('adding', () => describeAdding(() => made));
    describe('opening', () => describeOpening(alertStore));
    describe('sealing', () => describeSealing(alertStore));
    describe('claiming', () => describeClaiming(() => made));
    describe('finishing', () => describeFinishing(() => made));
  });
}

function describeAdding(the: () => Made): void {
  test('stores an alert as it is, and marks in the ledger that the channel has it', async () => {
    const channel = freshChannel();
    const alert = sampleAlert({ urgent: true, reverses: 'e0', department: null, line: 'Käthe <@U1> & co' });

    expect(await the().alertStore.add(channel, [alert], expiresAt)).toBe(1);

    expect(await the().alertStore.open(channel, MAX_ALERTS)).toEqual({
      revision: null,
      waiting: [alert],
      sealed: [],
    });
    expect(await the().ledger.load(alert.id, `slack/${channel}`)).toEqual({
      eventId: alert.id,
      destination: `slack/${channel}`,
      outcome: 'waiting',
      at: alert.at,
      attempts: 0,
      detail: null,
    });
  });

  test('adds an alert once to each channel, also when several add it', async () => {
    const [first, second] = [freshChannel(), freshChannel()];
    const alerts = [sampleAlert(), sampleAlert()];

    expect(await the().alertStore.add(first, alerts.slice(0, 1), expiresAt)).toBe(1);
    expect(await the().alertStore.add(first, alerts, expiresAt)).toBe(1);
    expect(await the().alertStore.add(first, alerts, expiresAt)).toBe(0);
    expect(await the().alertStore.add(second, alerts, expiresAt)).toBe(2);
    const both = await Promise.all(
      [1, 2, 3].map(() => the().alertStore.add(second, [sampleAlert(), ...alerts], 5)),
    );

    expect(both).toEqual([1, 1, 1]);
    expect((await the().alertStore.open(first, MAX_ALERTS)).waiting).toEqual(alerts);
  });

  test('no alerts has no effect', async () => {
    expect(await the().alertStore.add(freshChannel(), [], expiresAt)).toBe(0);
  });
}

function describeOpening(the: () => AlertStore): void {
  test('returns waiting alerts in the order in which they were seen, up to the maximum', async () => {
    const channel = freshChannel();
    const alerts = [4, 1, 3, 2].map((seconds) => sampleAlert({ at: NOON + seconds * 1000 }));
    await the().add(channel, alerts, expiresAt);

    const ats = async (max: number) =>
      (await the().open(channel, max)).waiting.map((alert) => alert.at - NOON);

    expect(await ats(MAX_ALERTS)).toEqual([1000, 2000, 3000, 4000]);
    expect(await ats(2)).toEqual([1000, 2000]);
  });

  test('returns alerts of one instant in the order of the events of their record', async () => {
    const channel = freshChannel();
    const alerts = [10, 2, 1, 9].map((sequence) =>
      sampleAlert({ at: NOON, sequence, urgent: sequence === 9 }),
    );
    await the().add(channel, alerts, expiresAt);

    const { waiting } = await the().open(channel, MAX_ALERTS);

    expect(waiting.map(({ sequence }) => sequence)).toEqual([1, 2, 9, 10]);
  });

  test('returns urgent alerts before any number of others', async () => {
    const channel = freshChannel();
    const held = [1, 2, 3, 4].map((seconds) => sampleAlert({ at: NOON + seconds * 1000 }));
    const urgent = sampleAlert({ at: NOON + 3_500, urgent: true });
    await the().add(channel, [...held, urgent], expiresAt);

    const { waiting } = await the().open(channel, 3);

    expect(waiting).toEqual([held[0], held[1], urgent]);
  });
}

function describeSealing(the: () => AlertStore): void {
  test('moves alerts into messages', async () => {
    const channel = freshChannel();
    const alerts = [sampleAlert(), sampleAlert(), sampleAlert(), sampleAlert()];
    const [a = '', b = '', c = '', d] = alerts.map(({ id }) => id);
    await the().add(channel, alerts, expiresAt);
    const messages = [createSealed([a, b]), { message: null, alertIds: [c], ownedUntil: NOON }];

    expect(await the().seal(channel, null, messages)).toBe('committed');

    const open = await the().open(channel, MAX_ALERTS);
    expect(open).toMatchObject({ revision: 1, waiting: [{ id: d }] });
    expect(open.sealed).toHaveLength(2);
    expect(open.sealed).toEqual(expect.arrayContaining(messages));
  });

  test('sealed alerts do not count towards the maximum', async () => {
    const channel = freshChannel();
    const alerts = [1, 2, 3, 4].map((seconds) => sampleAlert({ at: NOON + seconds }));
    await the().add(channel, alerts, expiresAt);
    await the().seal(channel, null, [createSealed(alerts.slice(0, 2).map(({ id }) => id))]);

    expect((await the().open(channel, 2)).waiting).toEqual(alerts.slice(2));
  });

  test('is a conflict when another run sealed meanwhile, and changes nothing', async () => {
    const channel = freshChannel();
    const alert = sampleAlert();
    await the().add(channel, [alert], expiresAt);
    const first = createSealed([alert.id]);
    await the().seal(channel, null, [first]);

    for (const revision of [null, 0, 2]) {
      expect(await the().seal(channel, revision, [createSealed(['other'])])).toBe('conflict');
    }

    expect(await the().open(channel, MAX_ALERTS)).toEqual({ revision: 1, waiting: [], sealed: [first] });
  });

  test('succeeds for one of several concurrent runs', async () => {
    const channel = freshChannel();
    await the().seal(channel, null, []);
    const outcomes = await Promise.all([1, 2, 3].map(() => the().seal(channel, 1, [createSealed(['a'])])));

    expect(outcomes.toSorted()).toEqual(['committed', 'conflict', 'conflict']);
  });

  test('holds a message of 2,000 alerts', async () => {
    const channel = freshChannel();
    const ids = Array.from({ length: 2_000 }, (_, index) => sampleId(index));
    const message = sampleMessage({ lines: Array.from({ length: 10 }, () => 'ü'.repeat(600)), more: 1_990 });

    expect(await the().seal(channel, null, [{ message, alertIds: ids, ownedUntil: NOON }])).toBe('committed');

    expect((await the().open(channel, MAX_ALERTS)).sealed).toEqual([
      { message, alertIds: ids, ownedUntil: NOON },
    ]);
  });
}

function describeClaiming(the: () => Made): void {
  test('makes one run the owner of a message, until the instant that it gives', async () => {
    const channel = freshChannel();
    const sealed = createSealed(['a']);
    await the().alertStore.seal(channel, null, [sealed]);

    expect(await the().alertStore.claim(channel, sealed, NOON + 5)).toBe(true);

    expect((await the().alertStore.open(channel, MAX_ALERTS)).sealed).toEqual([
      { ...sealed, ownedUntil: NOON + 5 },
    ]);
  });

  test('succeeds for one of several runs, and for none that opened the channel before', async () => {
    const channel = freshChannel();
    const sealed = createSealed(['a']);
    await the().alertStore.seal(channel, null, [sealed]);

    const claims = await Promise.all(
      [1, 2, 3].map((by) => the().alertStore.claim(channel, sealed, NOON + by)),
    );

    expect(claims.filter((won) => won)).toHaveLength(1);
    expect(await the().alertStore.claim(channel, sealed, NOON + 4)).toBe(false);
  });

  test('fails for a finished message, and does not create it again', async () => {
    const channel = freshChannel();
    const sealed = createSealed(['a']);
    await the().alertStore.seal(channel, null, [sealed]);
    await the().alertStore.finish(channel, sealed, at);

    expect(await the().alertStore.claim(channel, sealed, NOON + 5)).toBe(false);

    expect((await the().alertStore.open(channel, MAX_ALERTS)).sealed).toEqual([]);
  });
}

function describeFinishing(the: () => Made): void {
  test('removes the alerts of a message, and marks them as delivered', async () => {
    const channel = freshChannel();
    const alerts = [sampleAlert(), sampleAlert(), sampleAlert({ urgent: true }), sampleAlert()];
    const [a = '', b = '', c = '', d = ''] = alerts.map(({ id }) => id);
    const [sent, cancelled] = [createSealed([a, c]), { message: null, alertIds: [b], ownedUntil: NOON }];
    await the().alertStore.add(channel, alerts, expiresAt);
    await the().alertStore.seal(channel, null, [sent, cancelled]);

    for (const sealed of [sent, cancelled, sent]) await the().alertStore.finish(channel, sealed, at);

    expect(await the().alertStore.open(channel, MAX_ALERTS)).toEqual({
      revision: 1,
      waiting: [alerts[3]],
      sealed: [],
    });
    const deliveries = await Promise.all([a, b, d].map((id) => the().ledger.load(id, `slack/${channel}`)));
    expect(deliveries).toMatchObject([
      { outcome: 'delivered', at: at.now, attempts: 1, detail: `in message ${sent.message?.id}` },
      {
        outcome: 'delivered',
        at: at.now,
        attempts: 1,
        detail: 'cancelled out, or counted in another message',
      },
      { outcome: 'waiting' },
    ]);
    expect(await the().alertStore.add(channel, alerts, expiresAt)).toBe(0);
  });

  test('handles more alerts than fit one request', async () => {
    const channel = freshChannel();
    const alerts = Array.from({ length: 130 }, (_, index) => sampleAlert({ at: NOON + index }));
    const sealed = createSealed(alerts.slice(10, 120).map(({ id }) => id));
    await the().alertStore.add(channel, alerts, expiresAt);
    await the().alertStore.seal(channel, null, [sealed]);

    await the().alertStore.finish(channel, sealed, at);

    const { waiting } = await the().alertStore.open(channel, 1_000);
    expect(waiting).toEqual([...alerts.slice(0, 10), ...alerts.slice(120)]);
  });
}

export function sampleAlert(values: Partial<Alert> = {}): Alert {
  samples += 1;
  return {
    id: sampleId(samples),
    type: 'workforce.timesheet.approved',
    connection: 'main',
    timeZone: 'Pacific/Auckland',
    at: NOON + samples,
    line: `Timesheet ${samples} approved.`,
    urgent: false,
    subject: `${samples}_4711`,
    reverses: null,
    department: '501_4711',
    ...values,
  };
}

function sampleMessage(values: Partial<ChannelMessage> = {}): ChannelMessage {
  samples += 1;
  return {
    id: sampleId(samples),
    title: 'Two timesheets approved',
    lines: ['one', 'two'],
    more: 0,
    urgent: false,
    at: NOON + samples,
    timeZone: 'Pacific/Auckland',
    ...values,
  };
}

function createSealed(alertIds: readonly string[]): SealedMessage {
  return { message: sampleMessage(), alertIds, ownedUntil: NOON };
}

function sampleId(number: number): string {
  return `${process.pid}${number}`.padStart(32, 'a1b2c3d4e5f60718');
}

function freshChannel(): string {
  const channel = CONTRACT_CHANNELS[channels];
  channels += 1;
  if (channel === undefined) throw new Error('more tests than CONTRACT_CHANNELS');
  return channel;
}
