import { beforeAll, describe, expect, test } from 'vitest';
import type { DeliveryStore } from '#shared/flow/deliveries.ts';
import type { ChannelStore, SealedMessage } from '#shared/people/flow/channel-store.ts';
import type { Message } from '#shared/people/message.ts';
import type { WaitingEvent } from '#shared/people/waiting-event.ts';
import { NOON } from './store-samples.ts';

const MAX_EVENTS = 100;
const expiresAt = NOON + 86_400_000;
const at = { now: NOON + 60_000, expiresAt };

/** Channels that an implementation must have. Each test uses its own. */
export const CONTRACT_CHANNELS = Array.from({ length: 20 }, (_, index) => `channel-${index}`);

let samples = 0;
let channels = 0;

interface Made {
  readonly channelStore: ChannelStore;
  readonly deliveryStore: DeliveryStore;
}

/** A channel of its own, with so many waiting events. */
interface Stage extends Made {
  readonly channel: string;
  readonly events: readonly WaitingEvent[];
  readonly ids: readonly string[];
  open(limit?: number): ReturnType<ChannelStore['open']>;
}

/** The contract of every channel store. Its deliveries names its channels `slack/{name}`. */
export function describeChannelStore(name: string, make: () => Promise<Made>): void {
  describe(`${name} as a channel store`, () => {
    let made: Made;
    beforeAll(async () => {
      made = await make();
      channels = 0;
    });
    const stage = async (...given: readonly Partial<WaitingEvent>[]): Promise<Stage> => {
      const { channelStore } = made;
      const channel = CONTRACT_CHANNELS[channels++];
      if (channel === undefined) throw new Error('more tests than CONTRACT_CHANNELS');
      const events = given.map(sampleEvent);
      await channelStore.add(channel, events, expiresAt);
      const ids = events.map(({ id }) => id);
      return {
        ...made,
        channel,
        events,
        ids,
        open: (limit = MAX_EVENTS) => channelStore.open(channel, limit),
      };
    };
    describe('adding', () => describeAdding(stage));
    describe('opening', () => describeOpening(stage));
    describe('sealing', () => describeSealing(stage));
    describe('claiming', () => describeClaiming(stage));
    describe('finishing', () => describeFinishing(stage));
  });
}

type MakeStage = (...given: readonly Partial<WaitingEvent>[]) => Promise<Stage>;

function describeAdding(stage: MakeStage): void {
  test('stores an event as it is, and marks in the delivery store that the channel has it', async () => {
    const text = '{"line":"Käthe <@U1> & \\"co\\""}';
    const made = await stage({ text, delay: 'hour', endsClocking: true });
    const { open, events, ids, channel, deliveryStore } = made;
    expect(await open()).toEqual({ revision: null, waiting: events, sealed: [] });
    const [eventId = ''] = ids;
    expect(await deliveryStore.load(eventId, `slack/${channel}`)).toEqual({
      ...{ eventId, destination: `slack/${channel}`, outcome: 'waiting', at: events[0]?.at },
      ...{ attempts: 0, detail: null },
    });
  });

  test('adds an event once to each channel, also when several add it', async () => {
    const { channelStore, channel, events, open } = await stage({}, {});
    const another = (await stage()).channel;
    expect(await channelStore.add(channel, events, expiresAt)).toBe(0);
    expect(await channelStore.add(channel, [], expiresAt)).toBe(0);
    expect(await channelStore.add(another, events, expiresAt)).toBe(2);
    const all = [1, 2, 3].map(() => channelStore.add(another, [sampleEvent(), ...events], 5));
    expect(await Promise.all(all)).toEqual([1, 1, 1]);
    expect((await open()).waiting).toEqual(events);
  });
}

function describeOpening(stage: MakeStage): void {
  test('returns waiting events in the order in which they were seen, up to the maximum', async () => {
    const { open } = await stage(...[4, 1, 3, 2].map((seconds) => ({ at: NOON + seconds * 1000 })));
    const seen = async (limit: number) => (await open(limit)).waiting.map((event) => event.at - NOON);
    expect(await seen(MAX_EVENTS)).toEqual([1000, 2000, 3000, 4000]);
    expect(await seen(2)).toEqual([1000, 2000]);
  });

  test('returns urgent events before any number of others', async () => {
    const { open, events } = await stage({}, {}, {}, { urgent: true });
    expect((await open(3)).waiting).toEqual([events[0], events[1], events[3]]);
  });
}

function describeSealing(stage: MakeStage): void {
  test('moves events into messages, which do not count towards the maximum', async () => {
    const { channelStore, channel, open, events, ids } = await stage({}, {}, {}, {}, {});
    const messages = [createSealed(ids.slice(0, 2)), createSealed(ids.slice(2, 3), null)];
    expect(await channelStore.seal(channel, null, messages)).toBe('committed');
    const { sealed, ...rest } = await open(2);
    expect(rest).toEqual({ revision: 1, waiting: events.slice(3) });
    expect(sealed).toHaveLength(2);
    expect(sealed).toEqual(expect.arrayContaining(messages));
  });

  test('is a conflict when another run sealed meanwhile, and changes nothing', async () => {
    const { channelStore, channel, open, ids } = await stage({});
    const first = createSealed(ids);
    await channelStore.seal(channel, null, [first]);
    for (const revision of [null, 0, 2])
      expect(await channelStore.seal(channel, revision, [createSealed(['other'])])).toBe('conflict');
    expect(await open()).toEqual({ revision: 1, waiting: [], sealed: [first] });
  });

  test('succeeds for one of several concurrent runs', async () => {
    const { channelStore, channel } = await stage();
    await channelStore.seal(channel, null, []);
    const seal = () => channelStore.seal(channel, 1, [createSealed(['a'])]);
    expect((await Promise.all([seal(), seal(), seal()])).toSorted()).toEqual([
      'committed',
      'conflict',
      'conflict',
    ]);
  });

  test('holds a message of 10,000 events', async () => {
    const { channelStore, channel, open } = await stage();
    const ids = Array.from({ length: 10_000 }, (_, index) => sampleId(index));
    const lines = Array.from({ length: 40 }, () => ({ spans: [{ bold: 'ü'.repeat(600) }, 'a'], url: 'b' }));
    const sealed = createSealed(ids, { lines, more: 9_960, thread: 'main#9_7' });
    expect(await channelStore.seal(channel, null, [sealed])).toBe('committed');
    expect((await open()).sealed).toEqual([sealed]);
  });
}

function describeClaiming(stage: MakeStage): void {
  test('makes one of several runs the owner of a message, and none that opened the channel before', async () => {
    const { channelStore, channel, open } = await stage();
    const sealed = createSealed(['a']);
    await channelStore.seal(channel, null, [sealed]);
    const claims = await Promise.all([1, 2, 3].map((by) => channelStore.claim(channel, sealed, NOON + by)));
    expect(claims.filter((won) => won)).toHaveLength(1);
    expect((await open()).sealed).toEqual([{ ...sealed, ownedUntil: NOON + claims.indexOf(true) + 1 }]);
    expect(await channelStore.claim(channel, sealed, NOON + 4)).toBe(false);
  });
}

function describeFinishing(stage: MakeStage): void {
  test('removes the events of a message, and marks them as delivered', async () => {
    const made = await stage({}, {}, { urgent: true }, {});
    const { channelStore, deliveryStore, channel, open, events, ids } = made;
    const [a = '', b = '', c = '', d = ''] = ids;
    const [sent, undone] = [createSealed([a, c]), createSealed([b], null)];
    await channelStore.seal(channel, null, [sent, undone]);
    for (const sealed of [sent, undone, sent]) await channelStore.finish(channel, sealed, at);
    expect(await open()).toEqual({ revision: 1, waiting: [events[3]], sealed: [] });
    const delivered = { outcome: 'delivered', at: at.now, attempts: 1 };
    expect(
      await Promise.all([a, b, d].map((id) => deliveryStore.load(id, `slack/${channel}`))),
    ).toMatchObject([
      { ...delivered, detail: `in message ${sent.message?.id}` },
      { ...delivered, detail: 'cancelled out, or counted in another message' },
      { outcome: 'waiting' },
    ]);
    expect(await channelStore.add(channel, events, expiresAt)).toBe(0);
    expect(await channelStore.claim(channel, sent, NOON + 5)).toBe(false);
    expect((await open()).sealed).toEqual([]);
  });

  test('handles more events than fit one request', async () => {
    const { channelStore, channel, open, events, ids } = await stage(...Array(130).fill({}));
    const sealed = createSealed(ids.slice(10, 120));
    await channelStore.seal(channel, null, [sealed]);
    await channelStore.finish(channel, sealed, at);
    expect((await open(1_000)).waiting).toEqual([...events.slice(0, 10), ...events.slice(120)]);
  });
}

export function sampleEvent(values: Partial<WaitingEvent> = {}): WaitingEvent {
  samples += 1;
  const id = sampleId(samples);
  const text = JSON.stringify({ id, connection: 'main' });
  return { id, text, at: NOON + samples, delay: 'minute', urgent: false, ...values };
}

function createSealed(eventIds: readonly string[], values: Partial<Message> | null = {}): SealedMessage {
  samples += 1;
  const message = {
    ...{ id: sampleId(samples), heading: 'Two timesheets approved', lines: [{ spans: ['one'] }] },
    ...{ more: 0, urgent: false, at: NOON + samples, timeZone: 'Pacific/Auckland', ...values },
  };
  return { message: values === null ? null : message, eventIds, ownedUntil: NOON };
}

function sampleId(number: number): string {
  return `${process.pid}${number}`.padStart(32, 'a1b2c3d4e5f60718');
}
