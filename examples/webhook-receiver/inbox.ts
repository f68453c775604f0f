import { DatabaseSync } from 'node:sqlite';
import { type Folded, fold, isRecordEvent, type ParsedEvent, recordKey } from 'workforce-change-notifier';

/** An event that came, of a type that is known or not. */
export type Arrival = Extract<ParsedEvent, { readonly outcome: 'event' | 'unknown_type' }>;

/** Events that came, each once, and what they tell of their records. What was taken outlives a kill. */
export interface Inbox {
  /** Stores an event, and says whether it is new. When this returns, the sender may be told that it was taken. */
  take(arrival: Arrival): boolean;
  /** The sequence that each record has reached, by the id of the record. */
  reached(): Readonly<Record<string, number>>;
  close(): void;
}

const TABLES = `
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY, event TEXT) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS records (key TEXT PRIMARY KEY, id TEXT, state TEXT) WITHOUT ROWID;
`;

/** Opens the inbox in a file; `:memory:` is none. */
export function openInbox(file: string): Inbox {
  const database = new DatabaseSync(file);
  database.exec(TABLES);
  const insertEvent = database.prepare('INSERT OR IGNORE INTO events VALUES (?, ?)');
  const findState = database.prepare('SELECT state FROM records WHERE key = ?');
  const saveState = database.prepare('INSERT OR REPLACE INTO records VALUES (?, ?, ?)');
  const listStates = database.prepare('SELECT id, state FROM records');

  const takeNew = (arrival: Arrival): boolean => {
    const { event } = arrival;
    const isNew = insertEvent.run(event.id, JSON.stringify(event)).changes > 0;
    if (!isNew || arrival.outcome === 'unknown_type' || !isRecordEvent(arrival.event)) return isNew;
    const key = recordKey(arrival.event);
    const known = parseState(findState.get(key));
    const { state } = fold(known, arrival.event);
    saveState.run(key, event.subject ?? '', JSON.stringify(state));
    return isNew;
  };

  return {
    take(arrival) {
      // Event and state together or not at all: what is stored is never told again, so it must have been applied.
      database.exec('BEGIN IMMEDIATE');
      try {
        const isNew = takeNew(arrival);
        database.exec('COMMIT');
        return isNew;
      } catch (error) {
        database.exec('ROLLBACK');
        throw error;
      }
    },
    reached: () =>
      Object.fromEntries(listStates.all().map((row) => [String(row.id), parseState(row)?.sequence ?? 0])),
    close: () => database.close(),
  };
}

function parseState(row: Readonly<Record<string, unknown>> | undefined): Folded | null {
  return row === undefined ? null : (JSON.parse(String(row.state)) as Folded);
}
