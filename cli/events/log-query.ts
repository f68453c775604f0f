import { createEventLog } from '#shared/adapters/dynamo/snapshot/event-log.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import { toIso } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { EVENT_TYPES, type EventType } from '#shared/core/event-types.ts';
import { FEED_NAMES, type FeedName } from '#shared/core/feeds.ts';
import type { Target } from '../targets/target.ts';
import { parseInstantOption, type TimeContext } from '../time-options.ts';

const DAY_MS = 86_400_000;
/** The log is that of the feeds, and these are of no feed. */
const UNLOGGED_TYPES: readonly EventType[] = ['workforce.delivery.failed', 'workforce.webhook.disabled'];

/** How the user says which events are meant. */
export interface LogFlags {
  readonly connection?: string;
  readonly feed?: FeedName;
  /** A type without its prefix, with `*` for anything. */
  readonly type?: string;
  readonly record?: string;
  readonly since: string;
  readonly until?: string;
}

/** Which events of one connection are meant. Instants in milliseconds since 1970. */
export interface LogQuery {
  readonly connection: Connection;
  readonly feeds: readonly FeedName[];
  readonly from: number;
  readonly to: number;
  /** Full names; absent when all are meant. */
  readonly types?: readonly EventType[];
  readonly record?: string;
}

/** One query for each connection that is meant. Throws a `NotifierError` when there is none, or no such type. */
export function buildQueries(flags: LogFlags, target: Target): LogQuery[] {
  const { connection: wanted, feed, type, record, since, until } = flags;
  const types = type === undefined ? undefined : matchTypes(type);
  return selectConnections(target, wanted).map((connection) => {
    // The clock of a company may run in fractions.
    const reading = { now: Math.floor(target.system.now()), timeZone: connection.timeZone };
    return {
      connection,
      feeds: feed === undefined ? FEED_NAMES : [feed],
      ...parseTimeRange({ since, until }, reading),
      ...(types === undefined ? {} : { types }),
      ...(record === undefined ? {} : { record }),
    };
  });
}

/** The time that is meant. Throws a `NotifierError` (`time_invalid`, `time_empty`). */
function parseTimeRange(
  { since, until }: { readonly since: string; readonly until: string | undefined },
  reading: TimeContext,
): Pick<LogQuery, 'from' | 'to'> {
  const from = parseInstantOption('--since', since, reading);
  // What is committed while we look, or by a clock ahead of ours, is meant too.
  const to = until === undefined ? reading.now + DAY_MS : parseInstantOption('--until', until, reading);
  if (from < to) return { from, to };
  const end = until === undefined ? 'the end of what is known' : `--until ${until} (${toIso(to)})`;
  throw new NotifierError(
    'time_empty',
    `--since ${since} (${toIso(from)}) is not before ${end}, and nothing can be in between; give the earlier time with --since`,
  );
}

/** The connections that are meant. Throws a `NotifierError` (`connection_unknown`). */
function selectConnections({ connections }: Target, wanted: string | undefined): readonly Connection[] {
  const found = connections.filter(({ name }) => wanted === undefined || name === wanted);
  if (found.length > 0) return found;
  const names = connections.map(({ name }) => name).join(', ');
  throw new NotifierError('connection_unknown', `there is no connection "${wanted}"; use one of ${names}`);
}

/** The types that a pattern such as `timesheet.*` names. */
function matchTypes(pattern: string): EventType[] {
  const text = pattern.replace(/^workforce\./, '').replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&');
  const matching = new RegExp(`^workforce\\.${text.replaceAll('*', '.*')}$`);
  const types = EVENT_TYPES.filter((type) => matching.test(type));
  const kept = types.filter((type) => !UNLOGGED_TYPES.includes(type));
  if (kept.length > 0) return kept;
  if (types.length > 0) {
    throw new NotifierError(
      'type_not_kept',
      `${types.join(' and ')} tell of webhooks, and are published but not kept in the log; npm run notifier -- doctor says how webhooks are now`,
    );
  }
  throw new NotifierError(
    'type_unknown',
    `--type is ${JSON.stringify(pattern)}, which no type of event fits; docs/events.md lists them all`,
  );
}

/** The log of a target. */
export function openEventLog({ dynamoDb: client, tableName, system }: Target) {
  const { sleep, random } = system;
  return createEventLog({ client, tableName, sleep, random });
}
