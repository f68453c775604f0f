import type { Connection } from '#shared/config/schema/connection.ts';
import { PAY_FEEDS } from '#shared/core/feeds.ts';
import type { KnownPeriod } from '#shared/core/records/pay-period.ts';
import type { ConnectionState } from '#shared/core/snapshot/state.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import { loadPeriods } from '#shared/flow/stored-records.ts';
import { describeProgress, type Progress } from '#shared/operator/progress.ts';
import type { Target } from '#shared/operator/target.ts';
import type { NameReader } from '#shared/people/flow/load-names.ts';
import { type Names, NO_NAMES } from '#shared/people/names/names.ts';
import type { Reader } from '#shared/people/reader.ts';
import { rememberFor } from './remember.ts';

/** Real time: names and calendars change rarely, and each request of the page needs them. */
const MAX_AGE_MS = 5_000;

/** What the console knows of a connection besides its events, and how sentences are written to whoever reads it. */
export interface ConnectionKnowledge extends Pick<Reader, 'serviceName' | 'namesConnection'> {
  readonly connection: string;
  readonly timeZone: string;
  readonly names: Names;
  readonly payPeriods: readonly KnownPeriod[];
  /** Null before the first poll. */
  readonly state: ConnectionState | null;
  readonly progress: readonly Progress[];
}

export interface Knowledge {
  /** Throws what the store throws. */
  load(connection: string): Promise<ConnectionKnowledge>;
  loadAll(): Promise<readonly ConnectionKnowledge[]>;
}

interface KnowledgeOptions {
  readonly target: Target;
  readonly store: Store;
  readonly names: NameReader;
}

export function createKnowledge(options: KnowledgeOptions): Knowledge {
  const remembered = new Map<string, () => Promise<ConnectionKnowledge>>();
  const load = (connection: string): Promise<ConnectionKnowledge> => {
    const known = remembered.get(connection) ?? rememberFor(MAX_AGE_MS, () => read(connection, options));
    remembered.set(connection, known);
    return known();
  };
  return { load, loadAll: () => Promise.all(options.target.connections.map(({ name }) => load(name))) };
}

async function read(
  connection: string,
  { target, store, names }: KnowledgeOptions,
): Promise<ConnectionKnowledge> {
  const [state, heads, payPeriods, known] = await Promise.all([
    store.loadState(connection),
    store.loadHeads(connection),
    loadPeriods(connection, store),
    // Without names the console shows ids.
    names.load(connection, target.config.people.names).catch(() => NO_NAMES),
  ]);
  const configured = target.connections.find(({ name }) => name === connection);
  return {
    connection,
    timeZone: configured?.timeZone ?? 'UTC',
    serviceName: target.config.people.serviceName,
    namesConnection: target.connections.length > 1,
    names: known,
    payPeriods: payPeriods ?? [],
    state,
    progress:
      state === null || configured === undefined ? [] : readProgress({ state, heads }, configured, target),
  };
}

function readProgress(
  stored: Pick<Parameters<typeof describeProgress>[0], 'state' | 'heads'>,
  connection: Connection,
  { system }: Target,
): Progress[] {
  return describeProgress({ ...stored, connection, feeds: PAY_FEEDS, now: system.now() });
}
