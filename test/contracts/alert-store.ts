import { beforeAll, describe, expect, test } from 'vitest';
import type { Alert, ChannelMessage } from '#shared/core/alerts/alert.ts';
import type { AlertStore, SealedMessage } from '#shared/ports/alerts.ts';
import type { DeliveryLedger } from '#shared/ports/deliveries.ts';
import { NOON } from './snapshot-samples.ts';

const MAX_ALERTS = 100;
const expiresAt = NOON + 86_400_000;
const at = { now: NOON + 60_000, expiresAt };

/** Channels that an implementation must know, each used by one test. */
export const CONTRACT_CHANNELS = Array.from({ length: 20 }, (_, index) => `channel-${index}`);

let samples = 0;
let channels = 0;

interface Made {
  readonly book: AlertStore;
  readonly ledger: DeliveryLedger;
}

/** What every book of alerts promises, whatever it is made of. Its channels are called `slack/{name}` in its ledger. */
export function describeAlertStore(name: string, make: () => Promise<Made>): void {
  describe(`${name} as a book of alerts`, () => {
    let made: Made;
    beforeAll(async () => {
      made = await make();
      channels = 0;
    });
    const book = () => made.book;
    describe('adding', () => describeAdding(() => made));
    describe('opening', () => describeOpening(book));
    describe('sealing', () => describeSealing(book));
    describe('claiming', () => describeClaiming(() => made));
    describe('finishing', () => describeFinishing(() => made));
    describe('processing of a period', () => describeProcessing(book));
  });
}

function describeAdding(the: () => Made): void {
  test('keeps an alert as it is, and marks that the channel was given it', async () => {
    const channel = freshChannel();
    const alert = sampleAlert({ urgent: true, reverses: 'e0', department: null, line: 'Käthe <@U1> & co' });

    expect(await the().book.add(channel, [alert], expiresAt)).toBe(1);

    expect(await the().book.open(channel, MAX_ALERTS)).toEqual({
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

  test('takes an alert once for each channel, whoever brings it again', async () => {
    const [first, second] = [freshChannel(), freshChannel()];
    const alerts = [sampleAlert(), sampleAlert()];

    expect(await the().book.add(first, alerts.slice(0, 1), expiresAt)).toBe(1);
    expect(await the().book.add(first, alerts, expiresAt)).toBe(1);
    expect(await the().book.add(first, alerts, expiresAt)).toBe(0);
    expect(await the().book.add(second, alerts, expiresAt)).toBe(2);
    const both = await Promise.all(
      [1, 2, 3].map(() => the().book.add(second, [sampleAlert(), ...alerts], 5)),
    );

    expect(both).toEqual([1, 1, 1]);
    expect((await the().book.open(first, MAX_ALERTS)).waiting).toEqual(alerts);
  });

  test('of none does nothing', async () => {
    expect(await the().book.add(freshChannel(), [], expiresAt)).toBe(0);
  });
}

function describeOpening(the: () => AlertStore): void {
  test('gives what waits in the order in which it was seen, at most as many as are asked for', async () => {
    const channel = freshChannel();
    const alerts = [4, 1, 3, 2].map((seconds) => sampleAlert({ at: NOON + seconds * 1000 }));
    await the().add(channel, alerts, expiresAt);

    const ats = async (most: number) =>
      (await the().open(channel, most)).waiting.map((alert) => alert.at - NOON);

    expect(await ats(MAX_ALERTS)).toEqual([1000, 2000, 3000, 4000]);
    expect(await ats(2)).toEqual([1000, 2000]);
  });

  test('gives what was seen at the same moment in the order of a record’s events', async () => {
    const channel = freshChannel();
    const alerts = [10, 2, 1, 9].map((sequence) =>
      sampleAlert({ at: NOON, sequence, urgent: sequence === 9 }),
    );
    await the().add(channel, alerts, expiresAt);

    const { waiting } = await the().open(channel, MAX_ALERTS);

    expect(waiting.map(({ sequence }) => sequence)).toEqual([1, 2, 9, 10]);
  });

  test('leaves no urgent one behind others that are held', async () => {
    const channel = freshChannel();
    const held = [1, 2, 3, 4].map((seconds) => sampleAlert({ at: NOON + seconds * 1000 }));
    const urgent = sampleAlert({ at: NOON + 3_500, urgent: true });
    await the().add(channel, [...held, urgent], expiresAt);

    const { waiting } = await the().open(channel, 3);

    expect(waiting).toEqual([held[0], held[1], urgent]);
  });
}

function describeSealing(the: () => AlertStore): void {
  test('takes alerts into messages, which then are what is open', async () => {
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

  test('what is sealed counts for nothing in how many are asked for', async () => {
    const channel = freshChannel();
    const alerts = [1, 2, 3, 4].map((seconds) => sampleAlert({ at: NOON + seconds }));
    await the().add(channel, alerts, expiresAt);
    await the().seal(channel, null, [createSealed(alerts.slice(0, 2).map(({ id }) => id))]);

    expect((await the().open(channel, 2)).waiting).toEqual(alerts.slice(2));
  });

  test('is a conflict when somebody sealed meanwhile, and leaves nothing', async () => {
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

  test('has one winner', async () => {
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
  test("makes a message one run's own, for as long as it says", async () => {
    const channel = freshChannel();
    const sealed = createSealed(['a']);
    await the().book.seal(channel, null, [sealed]);

    expect(await the().book.claim(channel, sealed, NOON + 5)).toBe(true);

    expect((await the().book.open(channel, MAX_ALERTS)).sealed).toEqual([
      { ...sealed, ownedUntil: NOON + 5 },
    ]);
  });

  test('has one winner, and no way back for who looked before', async () => {
    const channel = freshChannel();
    const sealed = createSealed(['a']);
    await the().book.seal(channel, null, [sealed]);

    const claims = await Promise.all([1, 2, 3].map((by) => the().book.claim(channel, sealed, NOON + by)));

    expect(claims.filter((won) => won)).toHaveLength(1);
    expect(await the().book.claim(channel, sealed, NOON + 4)).toBe(false);
  });

  test('of what is finished is in vain, and does not bring it back', async () => {
    const channel = freshChannel();
    const sealed = createSealed(['a']);
    await the().book.seal(channel, null, [sealed]);
    await the().book.finish(channel, sealed, at);

    expect(await the().book.claim(channel, sealed, NOON + 5)).toBe(false);

    expect((await the().book.open(channel, MAX_ALERTS)).sealed).toEqual([]);
  });
}

function describeFinishing(the: () => Made): void {
  test('ends the waiting of the alerts of a message, and remembers what became of them', async () => {
    const channel = freshChannel();
    const alerts = [sampleAlert(), sampleAlert(), sampleAlert({ urgent: true }), sampleAlert()];
    const [a = '', b = '', c = '', d = ''] = alerts.map(({ id }) => id);
    const [told, cancelled] = [createSealed([a, c]), { message: null, alertIds: [b], ownedUntil: NOON }];
    await the().book.add(channel, alerts, expiresAt);
    await the().book.seal(channel, null, [told, cancelled]);

    for (const sealed of [told, cancelled, told]) await the().book.finish(channel, sealed, at);

    expect(await the().book.open(channel, MAX_ALERTS)).toEqual({
      revision: 1,
      waiting: [alerts[3]],
      sealed: [],
    });
    const deliveries = await Promise.all([a, b, d].map((id) => the().ledger.load(id, `slack/${channel}`)));
    expect(deliveries).toMatchObject([
      { outcome: 'delivered', at: at.now, attempts: 1, detail: `in message ${told.message?.id}` },
      {
        outcome: 'delivered',
        at: at.now,
        attempts: 1,
        detail: 'cancelled out, or counted in another message',
      },
      { outcome: 'waiting' },
    ]);
    expect(await the().book.add(channel, alerts, expiresAt)).toBe(0);
  });

  test('works for more alerts than fit one request', async () => {
    const channel = freshChannel();
    const alerts = Array.from({ length: 130 }, (_, index) => sampleAlert({ at: NOON + index }));
    const sealed = createSealed(alerts.slice(10, 120).map(({ id }) => id));
    await the().book.add(channel, alerts, expiresAt);
    await the().book.seal(channel, null, [sealed]);

    await the().book.finish(channel, sealed, at);

    const { waiting } = await the().book.open(channel, 1_000);
    expect(waiting).toEqual([...alerts.slice(0, 10), ...alerts.slice(120)]);
  });
}

function describeProcessing(the: () => AlertStore): void {
  test('is remembered by revision', async () => {
    const key = { connection: `acme-${process.pid}-${samples}`, payPeriodId: '3_4711' };
    const once = { revision: 1, finished: true, times: 1 };
    const reverted = { revision: 2, finished: false, times: 1 };

    expect(await the().loadProcessing(key.connection, key.payPeriodId)).toBeNull();
    expect(await the().saveProcessing({ ...key, expectedRevision: 1 }, once)).toBe('conflict');
    expect(await the().saveProcessing({ ...key, expectedRevision: null }, once)).toBe('committed');
    expect(await the().saveProcessing({ ...key, expectedRevision: null }, reverted)).toBe('conflict');
    expect(await the().loadProcessing(key.connection, key.payPeriodId)).toEqual(once);
    expect(await the().saveProcessing({ ...key, expectedRevision: 1 }, reverted)).toBe('committed');
    expect(await the().loadProcessing(key.connection, key.payPeriodId)).toEqual(reverted);
    expect(await the().loadProcessing(key.connection, '3_4712')).toBeNull();
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
