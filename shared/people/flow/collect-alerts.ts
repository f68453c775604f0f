import { computeDeliveryRetentionMs } from '#shared/core/delivery-retention.ts';
import { describeFailure } from '#shared/core/errors.ts';
import type { BatchResult, QueueMessage } from '#shared/flow/system.ts';
import { matchChannels, zoneOf } from '../channels.ts';
import { type Received, receive } from '../received-event.ts';
import { type AlertPorts, type AlertSettings, releaseChannels } from './release-alerts.ts';

/**
 * Puts a batch of events into the channels that are told of them: parse -> match -> put. Each channel gets an event
 * once, so a message may be delivered any number of times. Messages that cannot be read or stored are returned as
 * failed, without affecting the others; the queue moves them to the dead-letter queue in the end. Channels are told of
 * an event that only its envelope can be read of.
 *
 * What is due at once is sent here, and does not wait for the next minute. Where that fails, the next minute sends it.
 */
export async function collectAlerts(
  messages: readonly QueueMessage[],
  settings: AlertSettings,
  ports: AlertPorts,
): Promise<BatchResult> {
  const startedAt = ports.clock.now();
  const collection = new Collection(settings, ports);
  for (const message of messages) await collection.collect(message);
  const released = await collection.releaseUrgent();
  const { counts, failed, reason, added } = collection;
  ports.telemetry.report({
    outcome: 'alerts.collected',
    result: failed.length === 0 ? 'complete' : 'incomplete',
    reason,
    messages: messages.length,
    events: counts.event,
    ...(counts.unknown === 0 ? {} : { unknown: counts.unknown }),
    strange: counts.strange + counts.unreadable,
    failed: failed.length,
    added,
    ...released,
    duration_ms: ports.clock.now() - startedAt,
  });
  return { failed };
}

class Collection {
  readonly counts: Record<Received['outcome'], number> = { event: 0, unreadable: 0, unknown: 0, strange: 0 };
  readonly failed: string[] = [];
  added = 0;
  /** Code of the first error. */
  reason: string | null = null;
  readonly #settings: AlertSettings;
  readonly #ports: AlertPorts;
  /** Names of the channels that got an event which is due at once. */
  readonly #due = new Set<string>();

  constructor(settings: AlertSettings, ports: AlertPorts) {
    this.#settings = settings;
    this.#ports = ports;
  }

  async collect({ id, body }: QueueMessage): Promise<void> {
    const received = receive(body);
    this.counts[received.outcome] += 1;
    try {
      if ('event' in received) await this.#put(received, body);
      if (received.outcome === 'strange' || received.outcome === 'unreadable')
        this.#fail(id, 'message_strange');
    } catch (error) {
      this.#fail(id, describeFailure(error));
    }
  }

  /** One that cannot be read has an id of its own, so that channels are told of it once it can be and comes again. */
  async #put(
    { outcome, event }: Extract<Received, { readonly event: unknown }>,
    text: string,
  ): Promise<void> {
    const { alerting, retentionDays } = this.#settings;
    const { channelStore, clock } = this.#ports;
    const id = outcome === 'event' ? event.id : `${event.id}-unreadable`;
    const expiresAt = clock.now() + computeDeliveryRetentionMs(retentionDays);
    const timeZone = zoneOf(event.connection, alerting.connections);
    for (const match of matchChannels(event, { channels: alerting.channels, timeZone })) {
      const { channel, ...how } = match;
      const waiting = { id, text, at: Date.parse(event.time), ...how };
      const added = await channelStore.add(channel, [waiting], expiresAt);
      this.added += added;
      if (added > 0 && match.delay === 'now') this.#due.add(channel);
    }
  }

  #fail(id: string, reason: string): void {
    this.failed.push(id);
    this.reason ??= reason;
  }

  /** Sends what is due at once. Returns how many channels there were, and why one of them could not be served. */
  async releaseUrgent(): Promise<{ readonly released?: number; readonly unsent?: string }> {
    if (this.#due.size === 0) return {};
    const channels = this.#settings.alerting.channels.filter(({ name }) => this.#due.has(name));
    const released = channels.length;
    try {
      await releaseChannels(channels, { scope: 'due', settings: this.#settings, ports: this.#ports });
      return { released };
    } catch (error) {
      return { released, unsent: describeFailure(error) };
    }
  }
}
