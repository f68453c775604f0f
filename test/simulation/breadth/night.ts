import type { ChannelMessage } from '#shared/alerts/alert.ts';
import { collectAlerts } from '#shared/alerts/flow/collect-alerts.ts';
import type { AlertStore } from '#shared/alerts/flow/collection.ts';
import { releaseAlerts } from '#shared/alerts/flow/release-alerts.ts';
import { REPLAYED_ATTRIBUTE } from '#shared/config/names.ts';
import { type Alerting, alertingSchema } from '#shared/config/schema/alerting.ts';
import { type Names, NO_NAMES } from '#shared/names/names.ts';
import { createMemoryAlertStore } from '#test/support/memory-alert-store.ts';
import { createMemoryDeliveryLedger } from '#test/support/memory-delivery-ledger.ts';
import type { History } from '../history.ts';
import { Random } from '../random.ts';
import { MINUTE_MS } from '../settings.ts';

/** A channel that calls people by their names and is quiet at night, and what it got. */
export interface Night {
  readonly from: string;
  readonly to: string;
  readonly digestMs: number;
  /** How long what can wait for more of its pay period does. */
  readonly gatherMs: number;
  /** Names by the ids of employees. */
  readonly people: ReadonlyMap<string, string>;
  /** By the ids of their events, in order. */
  readonly sent: readonly SentAtNight[];
}

export interface SentAtNight {
  readonly at: number;
  readonly message: ChannelMessage;
  /** Ids of the events that it tells. */
  readonly alertIds: readonly string[];
}

const CHANNEL = 'night';
const DIGEST_SECONDS = 300;
const GATHER_MINUTES = 45;
const EMPLOYEES = Array.from({ length: 200 }, (_, number) => number);
/** By then every quiet time and every weekend is over. */
const LONGEST_NIGHT_MS = 4 * 24 * 60 * MINUTE_MS;

/** Tells people what was published in a history, minute by minute, through nights. */
export async function tellAtNight({ seed, journal, settings }: History): Promise<Night> {
  const random = Random.of(seed, 'night');
  const hours = { from: `${random.between(17, 23)}:00`, to: `0${random.between(4, 8)}:30` };
  const people = new Map(EMPLOYEES.map((number) => [`7_${number}`, `Person ${number}`]));
  const { name, timeZone } = settings.connection;
  const alerting = alertingSchema.parse({
    connections: [{ name, timeZone }],
    channels: [
      {
        ...{ kind: 'slack', name: CHANNEL, secretName: 'acme/slack', digestSeconds: DIGEST_SECONDS },
        gatherMinutes: GATHER_MINUTES,
        ...{ quietHours: hours, names: ['employees'] },
      },
    ],
  });
  const sent = await tellChannel(journal, alerting, { ...NO_NAMES, employees: people });
  const times = { digestMs: DIGEST_SECONDS * 1_000, gatherMs: GATHER_MINUTES * MINUTE_MS };
  return { ...hours, ...times, people, sent };
}

/** What a channel gets of what was published, released minute by minute. */
export async function tellChannel(
  { publications }: History['journal'],
  alerting: Alerting,
  names: Names = NO_NAMES,
): Promise<readonly SentAtNight[]> {
  const porter = new Porter(alerting, names);
  for (const { at, text } of publications) {
    await porter.wait(Math.ceil(at));
    if (!text.includes('.snapshot"')) await porter.collect(text);
  }
  await porter.wait(porter.now + LONGEST_NIGHT_MS);
  return porter.sent;
}

class Porter {
  now = 0;
  readonly sent: SentAtNight[] = [];
  readonly #alerting: Alerting;
  readonly #names: Names;
  readonly #alerts = createMemoryAlertStore(createMemoryDeliveryLedger());
  #messages = 0;

  constructor(alerting: Alerting, names: Names) {
    this.#alerting = alerting;
    this.#names = names;
  }

  async collect(text: string): Promise<void> {
    this.#messages += 1;
    const message = { id: `message-${this.#messages}`, body: text, attributes: {} };
    await collectAlerts([message], this.#settings, {
      alertStore: this.#alerts,
      store: { loadFeedState: async () => null, loadHeads: async () => [] },
      directory: { load: async () => this.#names },
      ...this.#around,
    });
  }

  /** Releases what is due in each minute until an instant. */
  async wait(until: number): Promise<void> {
    if (this.now === 0) this.now = until;
    while (this.now < until) {
      const [channel] = this.#alerting.channels;
      const { waiting, sealed } = await this.#alerts.open(channel?.name ?? CHANNEL, 1);
      const isIdle = waiting.length + sealed.length === 0;
      this.now = isIdle ? until : Math.min(until, this.now + MINUTE_MS);
      if (!isIdle) await this.#release();
    }
  }

  async #release(): Promise<void> {
    const messages: ChannelMessage[] = [];
    const alertStore: AlertStore = {
      ...this.#alerts,
      finish: async (channel, sealed, at) => {
        await this.#alerts.finish(channel, sealed, at);
        const message = messages.find(({ id }) => id === sealed.message?.id);
        if (message !== undefined) this.sent.push({ at: this.now, message, alertIds: sealed.alertIds });
      },
    };
    const sender = {
      send: async (_channel: string, message: ChannelMessage) => void messages.push(message),
    };
    await releaseAlerts({ scope: 'due' }, this.#settings, { alertStore, sender, ...this.#around });
  }

  get #settings() {
    return { alerting: this.#alerting, retentionDays: 90, replayedAttribute: REPLAYED_ATTRIBUTE };
  }

  get #around() {
    return { clock: { now: () => this.now }, telemetry: { report: () => {} } };
  }
}
