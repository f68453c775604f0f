import { type LogQuery, openEventLog } from '#shared/operator/log-query.ts';
import type { Target } from '#shared/operator/target.ts';
import { selectEvents } from '#shared/systems/selection.ts';

/** How long after it was dated a commit may appear in the log: it takes time. */
const OVERLAP_MS = 60_000;
const DAY_MS = 86_400_000;

/** A CloudEvent as JSON, byte for byte as it was published. */
export interface LoggedEvent {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly committedAt: number;
  readonly connection: string;
  readonly timeZone: string;
}

/** Reads what the queries select, in the order of the commits; each further call what came since the one before. */
export function openLogReader(queries: readonly LogQuery[], target: Target): () => Promise<LoggedEvent[]> {
  const read = new Set<string>();
  let readAt: number | null = null;
  return async () => {
    const now = target.system.now();
    const since = readAt === null ? null : { from: readAt - OVERLAP_MS * target.speed, to: now + DAY_MS };
    const events = [];
    for (const query of queries) {
      const from = Math.max(query.from, since?.from ?? 0);
      events.push(...(await readNew({ ...query, from, to: since?.to ?? query.to }, target, read)));
    }
    readAt = now;
    return events.sort((a, b) => a.committedAt - b.committedAt);
  };
}

/** The selected events of commits that were not read, which it adds to those that were. */
async function readNew(query: LogQuery, target: Target, read: Set<string>): Promise<LoggedEvent[]> {
  const { connection, types, record, ...stretch } = query;
  const { name, timeZone } = connection;
  const events: LoggedEvent[] = [];
  for await (const { key, committedAt, texts } of openEventLog(target).read(name, stretch)) {
    const commit = `${name} ${key}`;
    if (read.has(commit)) continue;
    read.add(commit);
    for (const { text } of selectEvents(texts, { types, record }))
      events.push({ text, committedAt, connection: name, timeZone });
  }
  return events;
}
