import type { ChannelMessage } from '#shared/alerts/alert.ts';
import { collectAlerts } from '#shared/alerts/flow/collect-alerts.ts';
import type { AlertStore, SealedMessage } from '#shared/alerts/flow/collection.ts';
import { releaseAlerts } from '#shared/alerts/flow/release-alerts.ts';
import { REPLAYED_ATTRIBUTE } from '#shared/config/names.ts';
import { type Alerting, alertingSchema } from '#shared/config/schema/alerting.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { QueueMessage } from '#shared/flow/system.ts';
import { NO_NAMES } from '#shared/names/names.ts';
import { createMemoryAlertStore } from '#test/support/memory-alert-store.ts';
import { createMemoryDeliveryLedger } from '#test/support/memory-delivery-ledger.ts';
import type { Journal } from '../journal.ts';
import type { Random } from '../random.ts';
import { MINUTE_MS, type Settings } from '../settings.ts';

/** Messages to people about a history, by the default rules. */
export interface ToldPeople {
  /** Finished messages, with the ids of their alerts. */
  readonly finished: readonly SealedMessage[];
  /** Sent messages by id. */
  readonly sent: ReadonlyMap<string, ChannelMessage>;
  /** Attempts to send that failed. */
  readonly failures: number;
}

const CHANNEL = 'payroll';
const MAX_BATCH = 10;
/** A failed run owns its messages for less. */
const LATER_MS = 5 * MINUTE_MS;
/** Longer than any weekend, over which some news wait. */
const MAX_LATER_RUNS = 4 * 24 * 12;

/** Collects and releases alerts of published events: in batches, some repeated, to a channel that sometimes fails. */
export async function tellPeople(
  { publications }: Journal,
  settings: Settings,
  random: Random,
): Promise<ToldPeople> {
  const office = new Office(settings, random);
  for (let next = 0; next < publications.length; ) {
    const size = random.between(1, MAX_BATCH);
    const batch = publications.slice(next, next + size);
    next += size;
    office.now = Math.max(office.now, Math.ceil(batch.at(-1)?.at ?? 0));
    // The subscription of alerts names its types, and snapshots are none of them.
    await office.collect(batch.map(({ text }) => text).filter((text) => !isSnapshot(text)));
    if (random.chance(0.3)) await office.release();
  }
  for (let runs = 0; await office.hasWork(); runs += 1) {
    if (runs > MAX_LATER_RUNS) break;
    office.now += LATER_MS;
    await office.release();
  }
  return office;
}

/** The functions that collect and release alerts, on stores in memory. */
class Office implements ToldPeople {
  now = 0;
  readonly finished: SealedMessage[] = [];
  readonly sent = new Map<string, ChannelMessage>();
  failures = 0;
  readonly #alerting: Alerting;
  readonly #alerts: AlertStore;
  readonly #random: Random;
  #messages = 0;

  constructor({ connection }: Settings, random: Random) {
    this.#alerting = alertingSchema.parse({
      connections: [{ name: connection.name, timeZone: connection.timeZone }],
      channels: [{ kind: 'slack', name: CHANNEL, secretName: 'acme/slack' }],
    });
    const alerts = createMemoryAlertStore(createMemoryDeliveryLedger());
    this.#alerts = {
      ...alerts,
      finish: async (channel, sealed, at) => {
        await alerts.finish(channel, sealed, at);
        this.finished.push(sealed);
      },
    };
    this.#random = random;
  }

  /** Sometimes a message arrives again after it was collected. */
  async collect(texts: readonly string[]): Promise<void> {
    const messages = texts.map((text): QueueMessage => {
      this.#messages += 1;
      return { id: `message-${this.#messages}`, body: text, attributes: {} };
    });
    const rounds = this.#random.chance(0.1) ? 2 : 1;
    for (let round = 0; round < rounds; round += 1) {
      const { failed } = await collectAlerts(messages, this.#settings, {
        alertStore: this.#alerts,
        store: { loadFeedState: async () => null, loadHeads: async () => [] },
        directory: { load: async () => NO_NAMES },
        ...this.#around,
      });
      if (failed.length > 0) throw new Error(`${failed.length} messages could not be collected`);
    }
  }

  /** One run, which fails when the channel does. */
  async release(): Promise<void> {
    const sender = {
      send: async (_channel: string, message: ChannelMessage) => {
        if (this.#random.chance(0.15)) {
          this.failures += 1;
          throw new NotifierError('outlet_failed', 'the channel failed on purpose', { retryable: true });
        }
        this.sent.set(message.id, message);
      },
    };
    const request = { scope: 'due' } as const;
    await releaseAlerts(request, this.#settings, { alertStore: this.#alerts, sender, ...this.#around }).catch(
      (error: unknown) => {
        if (!(error instanceof NotifierError)) throw error;
      },
    );
  }

  async hasWork(): Promise<boolean> {
    const { waiting, sealed } = await this.#alerts.open(CHANNEL, 1);
    return waiting.length + sealed.length > 0;
  }

  get #settings() {
    return { alerting: this.#alerting, retentionDays: 90, replayedAttribute: REPLAYED_ATTRIBUTE };
  }

  get #around() {
    return { clock: { now: () => this.now }, telemetry: { report: () => {} } };
  }
}

function isSnapshot(text: string): boolean {
  return (JSON.parse(text) as { readonly type: string }).type.endsWith('.snapshot');
}
