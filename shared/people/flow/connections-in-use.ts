import type { Alerting } from '#shared/config/schema/people.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { Telemetry } from '#shared/flow/system.ts';
import type { ComposedConnection } from '../compose.ts';
import type { Group } from '../groups.ts';
import { type Names, NO_NAMES } from '../names/names.ts';
import type { NameReader } from './load-names.ts';
import type { PeriodReader } from './load-periods.ts';

interface InUsePorts {
  readonly names: NameReader;
  readonly periods: PeriodReader;
  readonly telemetry: Telemetry;
}

/** What the messages of one run show of connections. The names of each are loaded once, when its first event is sent. */
export class ConnectionsInUse {
  readonly #alerting: Alerting;
  readonly #ports: InUsePorts;
  readonly #names = new Map<string, Promise<Names>>();

  constructor(alerting: Alerting, ports: InUsePorts) {
    this.#alerting = alerting;
    this.#ports = ports;
  }

  /** All connections of the config, with what messages of the groups need of them. */
  async forGroups(all: readonly Group[]): Promise<ReadonlyMap<string, ComposedConnection>> {
    const groups = Map.groupBy(all, ({ connection }) => connection);
    const entries = this.#alerting.connections.map(async ({ name, timeZone }) => {
      const own = groups.get(name);
      return [
        name,
        { timeZone, ...(own === undefined ? { names: NO_NAMES } : await this.#load(name, own)) },
      ] as const;
    });
    return new Map(await Promise.all(entries));
  }

  async #load(connection: string, groups: readonly Group[]): Promise<Omit<ComposedConnection, 'timeZone'>> {
    const { names: kinds } = this.#alerting;
    const { names, periods } = this.#ports;
    const loaded =
      this.#names.get(connection) ??
      this.#orNothing(connection, NO_NAMES, async () =>
        kinds.length === 0 ? NO_NAMES : await names.load(connection, kinds),
      );
    this.#names.set(connection, loaded);
    const ids = groups.flatMap(({ periodId }) => periodId ?? []);
    const known = this.#orNothing(connection, new Map(), async () =>
      ids.length === 0 ? new Map() : await periods.load(connection, ids),
    );
    return { names: await loaded, periods: await known };
  }

  /** Without what cannot be read messages are still sent, with ids. */
  async #orNothing<Known>(connection: string, nothing: Known, load: () => Promise<Known>): Promise<Known> {
    try {
      return await load();
    } catch (error) {
      if (!(error instanceof NotifierError) || error.retryable) throw error;
      this.#ports.telemetry.report({ outcome: 'alerts.names_missing', connection, reason: error.code });
      return nothing;
    }
  }
}
