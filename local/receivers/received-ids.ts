import { DatabaseSync } from 'node:sqlite';

/** Ids of the events a receiver has seen, kept in a file, to drop repeats. */
export interface ReceivedIds {
  has(receiver: string, id: string): boolean;
  add(receiver: string, id: string): void;
  close(): void;
}

/** Opens the file. Added ids survive a kill of this process. */
export function openReceivedIds(file: string): ReceivedIds {
  const database = new DatabaseSync(file);
  // Survives a kill of the process, not a power cut: an event may then be shown twice.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
  database.exec(
    'CREATE TABLE IF NOT EXISTS received (receiver TEXT, id TEXT, PRIMARY KEY (receiver, id)) WITHOUT ROWID',
  );
  const find = database.prepare('SELECT 1 FROM received WHERE receiver = ? AND id = ?');
  const insert = database.prepare('INSERT OR IGNORE INTO received VALUES (?, ?)');
  return {
    has: (receiver, id) => find.get(receiver, id) !== undefined,
    add: (receiver, id) => void insert.run(receiver, id),
    close: () => database.close(),
  };
}
