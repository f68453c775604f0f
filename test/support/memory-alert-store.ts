import type { DeliveryLedger } from '#shared/flow/deliveries.ts';
import type { Alert } from '#shared/people/alert.ts';
import type { AlertStore, RevertedHours, SealedMessage } from '#shared/people/flow/collection.ts';
import type { HoursAtReversal } from '#shared/people/reverted-hours.ts';

interface ChannelMemory {
  revision: number | null;
  readonly waiting: Map<string, Alert>;
  readonly sealed: Map<string, SealedMessage>;
}

export function createMemoryRevertedHours(): RevertedHours {
  const known = new Map<string, HoursAtReversal>();
  return {
    load: async (eventId) => known.get(eventId) ?? null,
    save: async (eventId, hours) => void known.set(eventId, hours),
  };
}

/** An alert store without a database. `destinationOf` gives the name of a channel in the ledger. */
export function createMemoryAlertStore(
  ledger: DeliveryLedger,
  destinationOf = (channel: string) => `slack/${channel}`,
): AlertStore {
  const channels = new Map<string, ChannelMemory>();
  const of = (channel: string): ChannelMemory => {
    const known = channels.get(channel) ?? { revision: null, waiting: new Map(), sealed: new Map() };
    channels.set(channel, known);
    return known;
  };
  return {
    async add(channel, alerts, expiresAt) {
      let added = 0;
      for (const alert of alerts) {
        const { id: eventId, at } = alert;
        const destination = destinationOf(channel);
        if ((await ledger.load(eventId, destination)) !== null) continue;
        await ledger.save(
          { eventId, destination, outcome: 'waiting', at, attempts: 0, detail: null },
          expiresAt,
        );
        of(channel).waiting.set(eventId, alert);
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
      for (const eventId of sealed.alertIds) {
        memory.waiting.delete(eventId);
        const { message } = sealed;
        const detail =
          message === null ? 'cancelled out, or counted in another message' : `in message ${message.id}`;
        const destination = destinationOf(channel);
        await ledger.save(
          { eventId, destination, outcome: 'delivered', at: now, attempts: 1, detail },
          expiresAt,
        );
      }
      memory.sealed.delete(keyOf(sealed));
    },
  };
}

/** Urgent alerts first when there are more than the maximum. */
function openChannel({ revision, waiting, sealed }: ChannelMemory, max: number) {
  const taken = new Set([...sealed.values()].flatMap(({ alertIds }) => alertIds));
  const free = [...waiting.values()].filter(({ id }) => !taken.has(id)).sort(byTime);
  const chosen = [...free.filter(({ urgent }) => urgent), ...free.filter(({ urgent }) => !urgent)];
  return { revision, waiting: chosen.slice(0, max).sort(byTime), sealed: [...sealed.values()] };
}

function byTime(a: Alert, b: Alert): number {
  return a.at - b.at || (a.sequence ?? 0) - (b.sequence ?? 0) || (a.id < b.id ? -1 : 1);
}

function keyOf({ message, alertIds }: SealedMessage): string {
  return message?.id ?? alertIds.toSorted().join(' ');
}
