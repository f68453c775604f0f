import { DatabaseSync } from 'node:sqlite';

/** Ids of what a receiver has seen, kept in a file: whoever acts on events remembers them, and so do we. */
export interface ReceivedIds {
  has(receiver: string, id: string): boolean;
  add(receiver: string, id: string): void;
  close(): void;
}

/** Opens the memory. What was added outlives a kill of this process. */
export function openReceivedIds(file: string): ReceivedIds {
  const database = new DatabaseSync(file);
  // A kill of the process loses nothing that the operating system has; a power cut may, and then it is shown again.
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
