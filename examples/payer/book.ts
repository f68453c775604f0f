import { DatabaseSync } from 'node:sqlite';
import type { Book, Entry } from './payer.ts';

/** Opens the book in a SQLite file, or `:memory:`. An entry is on the disk once `set` returned. */
export function openBook(file: string): Book & Disposable {
  const database = new DatabaseSync(file);
  database.exec('CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, entry TEXT) WITHOUT ROWID');
  const find = database.prepare('SELECT entry FROM entries WHERE key = ?');
  const save = database.prepare('INSERT OR REPLACE INTO entries VALUES (?, ?)');
  const list = database.prepare('SELECT key, entry FROM entries');
  const parse = (row: Readonly<Record<string, unknown>>) => JSON.parse(String(row.entry)) as Entry;
  return {
    get(key) {
      const row = find.get(key);
      return row === undefined ? undefined : parse(row);
    },
    set: (key, entry) => save.run(key, JSON.stringify(entry)),
    *[Symbol.iterator]() {
      for (const row of list.all()) yield [String(row.key), parse(row)] as const;
    },
    [Symbol.dispose]: () => database.close(),
  };
}
