import * as z from 'zod';

const attemptSchema = z.looseObject({
  outcome: z.literal('delivery.attempted'),
  timestamp: z.iso.datetime({ offset: true }),
  webhook: z.string(),
  eventId: z.string(),
  result: z.string(),
});

/** Deliveries to webhooks in some time. */
export interface DeliveryCount {
  readonly delivered: number;
  /** Longest time from the publication of an event to its delivery, in milliseconds. */
  readonly maxDelayMs: number;
  /** Deliveries of an event to a webhook that had it already. */
  readonly twice: number;
}

/** Watches deliveries to webhooks in the log of their functions. */
export interface DeliveryWatch {
  readLine(line: string): void;
  /** Notes when events were published (ms since 1970). */
  published(ids: readonly string[], at: number): void;
  /** Counts deliveries of events that were published from an instant until another one. */
  count(from: number, until: number): DeliveryCount;
}

export function watchDeliveries(): DeliveryWatch {
  const publishedAt = new Map<string, number>();
  const deliveries: { readonly key: string; readonly eventId: string; readonly at: number }[] = [];
  return {
    published: (ids, at) => {
      for (const id of ids) publishedAt.set(id, at);
    },
    readLine: (line) => {
      if (!line.includes('delivery.attempted')) return;
      const parsed = attemptSchema.safeParse(JSON.parse(line));
      if (!parsed.success || parsed.data.result !== 'delivered') return;
      const { webhook, eventId, timestamp } = parsed.data;
      deliveries.push({ key: `${webhook} ${eventId}`, eventId, at: Date.parse(timestamp) });
    },
    count: (from, until) => {
      const chosen = deliveries.flatMap(({ key, eventId, at }) => {
        const begin = publishedAt.get(eventId) ?? at;
        return from <= begin && begin < until ? [{ key, delayMs: at - begin }] : [];
      });
      const different = new Set(chosen.map(({ key }) => key)).size;
      return {
        delivered: different,
        maxDelayMs: Math.max(0, ...chosen.map(({ delayMs }) => delayMs)),
        twice: chosen.length - different,
      };
    },
  };
}
