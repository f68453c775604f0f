import { PAY_FEEDS } from '#shared/core/feeds.ts';
import type { FeedState } from '#shared/core/snapshot/feed-state.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import type { Target } from '#shared/operator/target.ts';
import type { NameReader } from '#shared/people/flow/load-names.ts';
import type { Audience } from '#shared/people/messages/record-events.ts';
import { type Names, NO_NAMES } from '#shared/people/names/names.ts';
import { rememberFor } from './remember.ts';

/** Real time: names and calendars change rarely, and each request of the page needs them. */
const MAX_AGE_MS = 5_000;

type PayPeriod = FeedState['payPeriods'][number];

/** What the console knows of a connection besides its events, and how sentences are written to whoever reads it. */
export interface ConnectionKnowledge extends Pick<Audience, 'serviceName' | 'namesConnection'> {
  readonly connection: string;
  readonly timeZone: string;
  readonly names: Names;
  readonly payPeriods: readonly PayPeriod[];
  /** Null before the first poll of a feed. */
  readonly states: Readonly<Record<(typeof PAY_FEEDS)[number], FeedState | null>>;
}

export interface Knowledge {
  /** Throws what the store throws. */
  load(connection: string): Promise<ConnectionKnowledge>;
  loadAll(): Promise<readonly ConnectionKnowledge[]>;
}

interface KnowledgeOptions {
  readonly target: Target;
  readonly store: SnapshotStore;
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
  const [stored, known] = await Promise.all([
    Promise.all(PAY_FEEDS.map((feed) => store.loadFeedState({ connection, feed }))),
    // Without names the console shows ids.
    names.load(connection, target.config.people.names).catch(() => NO_NAMES),
  ]);
  const [timesheets = null, payPeriods = null] = stored.map((each) => each?.state ?? null);
  const { timeZone = 'UTC' } = target.connections.find(({ name }) => name === connection) ?? {};
  return {
    connection,
    timeZone,
    serviceName: target.config.people.serviceName,
    namesConnection: target.connections.length > 1,
    names: known,
    payPeriods: payPeriods?.payPeriods ?? [],
    states: { timesheets, 'pay-periods': payPeriods },
  };
}

/** Calendars of the pay periods that cover a date. */
export function findCalendars({ payPeriods }: ConnectionKnowledge, date: string): string[] {
  const covering = payPeriods.filter(({ startDate, finishDate }) => startDate <= date && date <= finishDate);
  return [...new Set(covering.flatMap(({ calendar }) => calendar ?? []))];
}
