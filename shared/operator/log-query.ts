import type { Connection } from '#shared/config/schema/connection.ts';
import { toIso } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { EVENT_TYPES, type EventType } from '#shared/core/event-types.ts';
import { createEventLog, type EventLog } from '#shared/flow/event-log.ts';
import { parseInstantOption, type TimeContext } from '#shared/terminal/options.ts';
import { openStore } from './open-store.ts';
import { selectConnections, type Target } from './target.ts';

const DAY_MS = 86_400_000;

/** What selects events. */
export interface LogFlags {
  /** A name; default: all. */
  readonly connection?: string;
  /** A type without its prefix, with `*` for any text, or several with commas in between. */
  readonly type?: string;
  readonly record?: string;
  readonly since: string;
  readonly until?: string;
}

/** The selected events of one connection. Instants in milliseconds since 1970. */
export interface LogQuery {
  readonly connection: Connection;
  readonly from: number;
  readonly to: number;
  /** Full names; absent for all. */
  readonly types?: readonly EventType[];
  readonly record?: string;
}

/** One query per selected connection. Throws a `NotifierError` for an unknown connection or type, or an empty range. */
export function buildQueries(flags: LogFlags, target: Target): LogQuery[] {
  const { connection: wanted, type, record, since, until } = flags;
  const types = type === undefined ? undefined : matchTypes(type);
  return selectConnections(target.connections, wanted).map((connection) => {
    // A simulated clock may have fractions of a millisecond.
    const reading = { now: Math.floor(target.system.now()), timeZone: connection.timeZone };
    return {
      connection,
      ...parseTimeRange({ since, until }, reading),
      ...(types === undefined ? {} : { types }),
      ...(record === undefined ? {} : { record }),
    };
  });
}

/** Throws a `NotifierError` (`time_invalid`, `time_empty`). */
function parseTimeRange(
  { since, until }: { readonly since: string; readonly until: string | undefined },
  reading: TimeContext,
): Pick<LogQuery, 'from' | 'to'> {
  const from = parseInstantOption('--since', since, reading);
  // A day ahead: includes what is committed while the log is read, and by a clock ahead of this one.
  const to = until === undefined ? reading.now + DAY_MS : parseInstantOption('--until', until, reading);
  if (from < to) return { from, to };
  const end = until === undefined ? 'the end of the log' : `--until ${until} (${toIso(to)})`;
  throw new NotifierError(
    'time_empty',
    `--since ${since} (${toIso(from)}) is not before ${end}; pass the earlier time with --since`,
  );
}

/** The types that match a pattern such as `timesheet.*`, or one of several with commas in between. */
function matchTypes(patterns: string): EventType[] {
  return [...new Set(patterns.split(',').flatMap((pattern) => matchPattern(pattern.trim())))];
}

function matchPattern(pattern: string): EventType[] {
  const text = pattern.replace(/^workforce\./, '').replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&');
  const matching = new RegExp(`^workforce\\.${text.replaceAll('*', '.*')}$`);
  const types = EVENT_TYPES.filter((type) => matching.test(type));
  if (types.length > 0) return types;
  throw new NotifierError(
    'type_unknown',
    `--type is ${JSON.stringify(pattern)}, which matches no event type; docs/events.md lists them all`,
  );
}

/** The log of committed events. */
export function openEventLog(target: Target): EventLog {
  return createEventLog(openStore(target));
}
