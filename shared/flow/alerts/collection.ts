import type { Alerting } from '#shared/config/schema/alerting.ts';
import { filterNames } from '#shared/core/alerts/build-alert.ts';
import { type ChannelRules, toChannelRules } from '#shared/core/alerts/closing.ts';
import { computeDeliveryRetentionMs } from '#shared/core/delivery-retention.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { type NamedKind, type Names, NO_NAMES } from '#shared/core/names/names.ts';
import type { AlertStore, RevertedHours } from '#shared/ports/alerts.ts';
import type { NameStore } from '#shared/ports/names.ts';
import type { SnapshotStore } from '#shared/ports/poll.ts';
import type { Clock, Telemetry } from '#shared/ports/system.ts';

export interface CollectPorts {
  readonly alertStore: AlertStore;
  readonly store: Pick<SnapshotStore, 'loadFeedState' | 'loadHeads'>;
  readonly directory: Pick<NameStore, 'load'>;
  /** Without it a timesheet that is processed again is told without the hours before. */
  readonly revertedHours?: RevertedHours | undefined;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

export interface AlertSettings {
  readonly alerting: Alerting;
  /** Days for which alerts and their deliveries are remembered. */
  readonly retentionDays: number;
}

/** Shared by all messages of one invocation. */
export class AlertCollection {
  readonly settings: AlertSettings;
  readonly ports: CollectPorts;
  /** When alerts written now may be forgotten, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** Whether sentences name the connection: there are several. */
  readonly namesConnection: boolean;
  readonly #names = new Map<string, Promise<Names>>();

  constructor(settings: AlertSettings, ports: CollectPorts) {
    this.settings = settings;
    this.ports = ports;
    this.namesConnection = settings.alerting.connections.length > 1;
    this.expiresAt = ports.clock.now() + computeDeliveryRetentionMs(settings.retentionDays);
  }

  zoneOf(connection: string): string {
    return this.channelRulesOf(connection).timeZone;
  }

  channelRulesOf(connection: string): ChannelRules {
    return toChannelRules(connection, this.settings.alerting);
  }

  /**
   * Names that a channel may see. Loaded once for all channels, when the first one needs any; none of a connection that
   * was taken out of the config while its events were under way, since the role of this function reads them no more.
   */
  async namesFor(channel: string, connection: string): Promise<Names> {
    const { channels, connections } = this.settings.alerting;
    const kinds = channels.find(({ name }) => name === channel)?.names ?? [];
    if (kinds.length === 0 || !connections.some(({ name }) => name === connection)) return NO_NAMES;
    const all =
      this.#names.get(connection) ??
      this.#load(connection, [...new Set(channels.flatMap(({ names }) => names))]);
    this.#names.set(connection, all);
    return filterNames(kinds, await all);
  }

  /** Without readable names the alerts are still sent, with ids. */
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
