import type { DeliveryStore } from '#shared/flow/deliveries.ts';
import type { ChannelStore, SealedMessage } from '#shared/people/flow/channel-store.ts';
import type { WaitingEvent } from '#shared/people/waiting-event.ts';

interface ChannelMemory {
  revision: number | null;
  readonly waiting: Map<string, WaitingEvent>;
  readonly sealed: Map<string, SealedMessage>;
}

/** A channel store without a database. `destinationOf` gives the name of a channel in the delivery store. */
export function createMemoryChannelStore(
  deliveryStore: DeliveryStore,
  destinationOf = (channel: string) => `slack/${channel}`,
): ChannelStore {
  const channels = new Map<string, ChannelMemory>();
  const of = (channel: string): ChannelMemory => {
    const known = channels.get(channel) ?? { revision: null, waiting: new Map(), sealed: new Map() };
    channels.set(channel, known);
    return known;
  };
  return {
    async add(channel, events, expiresAt) {
      let added = 0;
      for (const event of events) {
        const { id: eventId, at } = event;
        const destination = destinationOf(channel);
        if ((await deliveryStore.load(eventId, destination)) !== null) continue;
        await deliveryStore.save(
          { eventId, destination, outcome: 'waiting', at, attempts: 0, detail: null },
          expiresAt,
        );
        of(channel).waiting.set(eventId, event);
        added += 1;
      }
      return added;
    },
    open: async (channel, max) => openChannel(of(channel), max),
    async seal(channel, revision, messages) {
      const memory = of(channel);
      if (memory.revision !== revision) return 'conflict';
      memory.revision = (revision ?? 0) + 1;
      for (const message of messages) memory.sealed.set(keyOf(message), message);
      return 'committed';
    },
    async claim(channel, sealed, ownedUntil) {
      const known = of(channel).sealed.get(keyOf(sealed));
      if (known === undefined || known.ownedUntil !== sealed.ownedUntil) return false;
      of(channel).sealed.set(keyOf(sealed), { ...known, ownedUntil });
      return true;
    },
    async finish(channel, sealed, { now, expiresAt }) {
      const memory = of(channel);
      if (!memory.sealed.has(keyOf(sealed))) return;
      for (const eventId of sealed.eventIds) {
        memory.waiting.delete(eventId);
        const { message } = sealed;
        const detail =
          message === null ? 'cancelled out, or counted in another message' : `in message ${message.id}`;
        const destination = destinationOf(channel);
        await deliveryStore.save(
          { eventId, destination, outcome: 'delivered', at: now, attempts: 1, detail },
          expiresAt,
        );
      }
      memory.sealed.delete(keyOf(sealed));
    },
  };
}

/** Urgent events first when there are more than the maximum. */
function openChannel({ revision, waiting, sealed }: ChannelMemory, max: number) {
  const taken = new Set([...sealed.values()].flatMap(({ eventIds }) => eventIds));
  const free = [...waiting.values()].filter(({ id }) => !taken.has(id)).sort(byTime);
  const chosen = [...free.filter(({ urgent }) => urgent), ...free.filter(({ urgent }) => !urgent)];
  return { revision, waiting: chosen.slice(0, max).sort(byTime), sealed: [...sealed.values()] };
}

function byTime(a: WaitingEvent, b: WaitingEvent): number {
  return a.at - b.at || (a.id < b.id ? -1 : 1);
}

function keyOf({ message, eventIds }: SealedMessage): string {
  return message?.id ?? eventIds.toSorted().join(' ');
}
