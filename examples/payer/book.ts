import { DatabaseSync } from 'node:sqlite';
import type { Account, Book } from './payer.ts';

/** Opens the book in a SQLite file, or `:memory:`. An account is on the disk once `set` returned. */
export function openBook(file: string): Book & Disposable {
  const database = new DatabaseSync(file);
  database.exec('CREATE TABLE IF NOT EXISTS accounts (key TEXT PRIMARY KEY, account TEXT) WITHOUT ROWID');
  const find = database.prepare('SELECT account FROM accounts WHERE key = ?');
  const save = database.prepare('INSERT OR REPLACE INTO accounts VALUES (?, ?)');
  const list = database.prepare('SELECT key, account FROM accounts');
  const parse = (row: Readonly<Record<string, unknown>>) => JSON.parse(String(row.account)) as Account;
  return {
    get(key) {
      const row = find.get(key);
      return row === undefined ? undefined : parse(row);
    },
    set: (key, account) => save.run(key, JSON.stringify(account)),
    *[Symbol.iterator]() {
      for (const row of list.all()) yield [String(row.key), parse(row)] as const;
    },
    [Symbol.dispose]: () => database.close(),
  };
}
