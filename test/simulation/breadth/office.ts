import type { Alerting } from '#shared/config/schema/people.ts';
import type { QueueMessage } from '#shared/flow/system.ts';
import type { ChannelMessage } from '#shared/people/alert.ts';
import { collectAlerts } from '#shared/people/flow/collect-alerts.ts';
import type { AlertStore, SealedMessage } from '#shared/people/flow/collection.ts';
import { releaseAlerts } from '#shared/people/flow/release-alerts.ts';
import { type Names, NO_NAMES } from '#shared/people/names/names.ts';
import { createMemoryAlertStore } from '#test/support/memory-alert-store.ts';
import { createMemoryDeliveryLedger } from '#test/support/memory-delivery-ledger.ts';

/** What becomes of the messages of a run. */
interface Outlet {
  /** Throws when the channel does not take it. */
  send(message: ChannelMessage): void;
  finished(sealed: SealedMessage): void;
}

/** The functions that collect and release alerts, on stores in memory. */
export class Office {
  now = 0;
  readonly #alerting: Alerting;
  readonly #names: Names;
  readonly #alerts = createMemoryAlertStore(createMemoryDeliveryLedger());
  #messages = 0;

  constructor(alerting: Alerting, names: Names = NO_NAMES) {
    this.#alerting = alerting;
    this.#names = names;
  }

  /** Events as they come in a queue. */
  toMessages(texts: readonly string[]): QueueMessage[] {
    return texts.map((body) => {
      this.#messages += 1;
      return { id: `message-${this.#messages}`, body, attributes: {} };
    });
  }

  async collect(messages: readonly QueueMessage[]): Promise<void> {
    const { failed } = await collectAlerts(messages, this.#settings, {
      alertStore: this.#alerts,
      names: { load: async () => this.#names },
      ...this.#around,
    });
    if (failed.length > 0) throw new Error(`${failed.length} messages could not be collected`);
  }

  /** One run. */
  async release(outlet: Outlet): Promise<void> {
    const alertStore: AlertStore = {
      ...this.#alerts,
      finish: async (channel, sealed, at) => {
        await this.#alerts.finish(channel, sealed, at);
        outlet.finished(sealed);
      },
    };
    const sender = { send: async (_channel: string, message: ChannelMessage) => outlet.send(message) };
    await releaseAlerts({ scope: 'due' }, this.#settings, { alertStore, sender, ...this.#around });
  }

  /** Whether something waits for its channels. */
  async hasWork(): Promise<boolean> {
    for (const { name } of this.#alerting.channels) {
      const { waiting, sealed } = await this.#alerts.open(name, 1);
      if (waiting.length + sealed.length > 0) return true;
    }
    return false;
  }

  get #settings() {
    return { alerting: this.#alerting, retentionDays: 90 };
  }

  get #around() {
    return { clock: { now: () => this.now }, telemetry: { report: () => {} } };
  }
}
