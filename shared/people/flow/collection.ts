import type { Alerting } from '#shared/config/schema/people.ts';
import { computeDeliveryRetentionMs } from '#shared/core/delivery-retention.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { Clock, Telemetry } from '#shared/flow/system.ts';
import { type Names, NO_NAMES } from '#shared/people/names/names.ts';
import type { Alert, ChannelMessage } from '../alert.ts';
import { type Hearers, zoneOf } from '../match-channels.ts';
import type { HoursAtReversal } from '../reverted-hours.ts';
import type { NameReader } from './load-names.ts';

/** What a channel has to send: alerts that wait, and messages made of them that may not be sent yet. */
export interface ChannelBacklog {
  /** Grows by one with every `seal`; null before the first. */
  readonly revision: number | null;
  /** In the order of observation. */
  readonly waiting: readonly Alert[];
  readonly sealed: readonly SealedMessage[];
}

/** A message with the ids of all alerts it stands for, including those that cancelled each other out. */
export interface SealedMessage {
  /** Null when there is nothing to send. */
  readonly message: ChannelMessage | null;
  readonly alertIds: readonly string[];
  /** Until this instant (ms since 1970) only the run that sealed or claimed it may send it. */
  readonly ownedUntil: number;
}

/** Alerts and sealed messages of all channels. */
export interface AlertStore {
  /** Adds the alerts that the channel never had; returns how many. `expiresAt`: when that may be forgotten. */
  add(channel: string, alerts: readonly Alert[], expiresAt: number): Promise<number>;
  /** At most `limit` waiting alerts, urgent ones before others. All reads are strongly consistent. */
  open(channel: string, limit: number): Promise<ChannelBacklog>;
  /** Moves waiting alerts into messages. A conflict when another run did since `open`. */
  seal(
    channel: string,
    revision: number | null,
    messages: readonly SealedMessage[],
  ): Promise<'committed' | 'conflict'>;
  /** Takes over a sealed message; false when another run did, or when it is gone. */
  claim(channel: string, sealed: SealedMessage, ownedUntil: number): Promise<boolean>;
  /** Deletes a message that was sent, and records its alerts as delivered. */
  finish(channel: string, sealed: SealedMessage, at: { now: number; expiresAt: number }): Promise<void>;
}

/** Hours to pay of timesheets when their processing was reverted, by the id of the event that says so. */
export interface RevertedHours {
  /** Null when they are not known. */
  load(eventId: string): Promise<HoursAtReversal | null>;
  save(eventId: string, hours: HoursAtReversal, expiresAt: number): Promise<void>;
}

export interface CollectPorts {
  readonly alertStore: AlertStore;
  readonly names: NameReader;
  /** Without it an alert about a timesheet that is processed again lacks the hours before. */
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

  hearersOf(connection: string): Hearers {
    const { channels, connections } = this.settings.alerting;
    return { channels, timeZone: zoneOf(connection, connections) };
  }

  /**
   * Names that may be shown. Loaded once, when the first event needs them; none of a connection that was taken out of
   * the config while its events were under way, since the role of this function reads them no more.
   */
  async namesOf(connection: string): Promise<Names> {
    const { names, connections } = this.settings.alerting;
    if (names.length === 0 || !connections.some(({ name }) => name === connection)) return NO_NAMES;
    const loaded = this.#names.get(connection) ?? this.#load(connection);
    this.#names.set(connection, loaded);
    return await loaded;
  }

  /** Without readable names the alerts are still sent, with ids. */
  async #load(connection: string): Promise<Names> {
    try {
      return await this.ports.names.load(connection, this.settings.alerting.names);
    } catch (error) {
      if (!(error instanceof NotifierError) || error.retryable) throw error;
      this.ports.telemetry.report({ outcome: 'alerts.names_missing', connection, reason: error.code });
      return NO_NAMES;
    }
  }
}
