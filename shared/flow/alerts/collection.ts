import type { Alerting } from '#shared/config/schema/alerting.ts';
import { filterNames } from '#shared/core/alerts/build-alert.ts';
import { computeDeliveryRetention } from '#shared/core/delivery-retention.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { type NamedKind, type Names, NO_NAMES } from '#shared/core/names/names.ts';
import type { AlertStore, NameStore } from '#shared/delivery-ports.ts';
import type { Clock, SnapshotStore, Telemetry } from '#shared/ports.ts';

/** What collecting alerts needs from the world. */
export interface CollectPorts {
  readonly alertStore: AlertStore;
  readonly store: Pick<SnapshotStore, 'loadFeedState' | 'loadHeads'>;
  readonly directory: Pick<NameStore, 'load'>;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

export interface CollectSettings {
  readonly alerting: Alerting;
  /** Days that alerts and their deliveries are remembered. */
  readonly retentionDays: number;
  /** The message attribute that is `true` on an event that was published before. */
  readonly replayedAttribute: string;
}

const DAY_MS = 86_400_000;
/** Of a connection that is no longer in the config. */
const UNKNOWN_ZONE = 'UTC';

/** What all messages of one invocation have in common. */
export class AlertCollection {
  readonly settings: CollectSettings;
  readonly ports: CollectPorts;
  /** Instant after which what is written may be forgotten. */
  readonly expiresAt: number;
  /** Whether people must be told which connection is meant. */
  readonly namesConnection: boolean;
  readonly #names = new Map<string, Promise<Names>>();

  constructor(settings: CollectSettings, ports: CollectPorts) {
    this.settings = settings;
    this.ports = ports;
    this.namesConnection = settings.alerting.connections.length > 1;
    this.expiresAt = ports.clock.now() + computeDeliveryRetention(settings.retentionDays * DAY_MS);
  }

  zoneOf(connection: string): string {
    const { connections } = this.settings.alerting;
    return connections.find(({ name }) => name === connection)?.timeZone ?? UNKNOWN_ZONE;
  }

  /** The names that a channel may see; loaded once for all channels, when the first needs any. */
  async namesFor(channel: string, connection: string): Promise<Names> {
    const { channels } = this.settings.alerting;
    const kinds = channels.find(({ name }) => name === channel)?.names ?? [];
    if (kinds.length === 0) return NO_NAMES;
    const all =
      this.#names.get(connection) ??
      this.#load(connection, [...new Set(channels.flatMap(({ names }) => names))]);
    this.#names.set(connection, all);
    return filterNames(kinds, await all);
  }

  /** Names that cannot be read are no reason to tell nothing: ids do then. */
  async #load(connection: string, kinds: readonly NamedKind[]): Promise<Names> {
    try {
      return await this.ports.directory.load(connection, kinds);
    } catch (error) {
      if (!(error instanceof NotifierError) || error.retryable) throw error;
      this.ports.telemetry.report({ outcome: 'alerts.names_missing', connection, reason: error.code });
      return NO_NAMES;
    }
  }
}
