import { DatabaseSync } from 'node:sqlite';
import { type FoldState, fold, isRecordEvent, type VerifiedWebhook } from 'workforce-change-notifier';

/** A received event of a known or unknown type. */
export type Arrival = Extract<VerifiedWebhook, { readonly outcome: 'event' | 'unknown_type' }>;

/** Every received event once, and the state of the records. Survives a crash once `take` returned. */
export interface Inbox {
  /** Stores an event and returns whether it is new. Once it returns, answer the sender with 2xx. */
  take(arrival: Arrival): boolean;
  /** The last applied sequence by record id. */
  reached(): Readonly<Record<string, number>>;
  close(): void;
}

const TABLES = `
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY, event TEXT) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS records (key TEXT PRIMARY KEY, id TEXT, state TEXT) WITHOUT ROWID;
`;

/** Opens the inbox in a SQLite file, or `:memory:`. */
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
    const key = arrival.event.partitionkey;
    const known = parseState(findState.get(key));
    const { state } = fold(known, arrival.event);
    saveState.run(key, event.subject ?? '', JSON.stringify(state));
    return isNew;
  };

  return {
    take(arrival) {
      // Event and state in one transaction: a stored event is never applied again, so its state must be stored too.
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

function parseState(row: Readonly<Record<string, unknown>> | undefined): FoldState | null {
  return row === undefined ? null : (JSON.parse(String(row.state)) as FoldState);
}
