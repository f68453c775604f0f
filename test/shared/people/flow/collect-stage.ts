import { type Alerting, alertingSchema } from '#shared/config/schema/people.ts';
import type { BatchResult, OutcomeLine, QueueMessage } from '#shared/flow/system.ts';
import type { Alert } from '#shared/people/alert.ts';
import { collectAlerts } from '#shared/people/flow/collect-alerts.ts';
import type { AlertStore, CollectPorts } from '#shared/people/flow/collection.ts';
import { type ChannelSender, releaseAlerts } from '#shared/people/flow/release-alerts.ts';
import { type Names, NO_NAMES } from '#shared/people/names/names.ts';
import type { Event } from '#test/shared/core/events/history.ts';
import { createMemoryAlertStore, createMemoryRevertedHours } from '#test/support/memory-alert-store.ts';
import { createMemoryDeliveryLedger } from '#test/support/memory-delivery-ledger.ts';

export const NOW = Date.parse('2026-03-05T01:02:00.000Z');
const CONNECTIONS = [{ name: 'main', timeZone: 'Pacific/Auckland' }];

type AlertingInput = Parameters<typeof alertingSchema.parse>[0];

/** Everything that collecting works on, in memory. What tests change is public. */
export class CollectStage {
  readonly lines: OutcomeLine[] = [];
  readonly ledger = createMemoryDeliveryLedger();
  readonly alertStore: AlertStore = createMemoryAlertStore(this.ledger);
  readonly revertedHours = createMemoryRevertedHours();
  readonly alerting: Alerting;
  names: Names | Error = NO_NAMES;
  namesLoaded: string[] = [];
  now = NOW;

  constructor(alerting: AlertingInput) {
    this.alerting = alertingSchema.parse({ connections: CONNECTIONS, ...(alerting as object) });
  }

  get ports(): CollectPorts {
    return {
      alertStore: this.alertStore,
      names: {
        load: async (connection, kinds) => {
          this.namesLoaded.push(`${connection}: ${kinds.join(', ')}`);
          if (this.names instanceof Error) throw this.names;
          const { names } = this;
          return { ...NO_NAMES, ...Object.fromEntries(kinds.map((kind) => [kind, names[kind]])) };
        },
      },
      revertedHours: this.revertedHours,
      clock: { now: () => this.now },
      telemetry: { report: (line) => void this.lines.push(line) },
    };
  }

  async collect(messages: readonly QueueMessage[], ports = this.ports): Promise<BatchResult> {
    const settings = { alerting: this.alerting, retentionDays: 90 };
    return await collectAlerts(messages, settings, ports);
  }

  /** Sends what is due. */
  async release(send: ChannelSender['send']): Promise<void> {
    const { alertStore } = this;
    const around = { clock: { now: () => this.now }, telemetry: { report: () => {} } };
    const settings = { alerting: this.alerting, retentionDays: 90 };
    await releaseAlerts({ scope: 'due' }, settings, { alertStore, sender: { send }, ...around });
  }

  async waiting(channel: string): Promise<readonly Alert[]> {
    return (await this.alertStore.open(channel, 10_000)).waiting;
  }
}

let messages = 0;

/** An event as the queue brings it. */
export function createMessage(event: object | string, attributes: Record<string, string> = {}): QueueMessage {
  messages += 1;
  const body = typeof event === 'string' ? event : JSON.stringify(event);
  return { id: `message-${messages}`, body, attributes };
}

/** The first event, which must be there. */
export function only([event]: readonly Event[]): Event {
  if (event === undefined) throw new Error('nothing was published');
  return event;
}
