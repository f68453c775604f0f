import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openDataFolder } from '#local/aws/engines/data-folder.ts';
import { startMessaging } from '#local/aws/engines/messaging-engine.ts';
import { openDataTarget } from '#local/data-target.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';

const TABLE = 'dynamodb.db';
const QUEUES = 'messaging/fauxqs.db';

let whole: string;
let path: string;

beforeAll(async () => {
  whole = mkdtempSync(join(tmpdir(), 'whole-'));
  const folder = await openDataFolder(whole);
  await (await startMessaging(folder, 'any')).stop();
  makeDatabase(folder.file(TABLE));
  folder.release();
});

afterAll(() => {
  rmSync(whole, { recursive: true, force: true });
});

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'damaged-'));
  cpSync(whole, path, { recursive: true });
});

afterEach(() => {
  rmSync(path, { recursive: true, force: true });
});

test.each([
  ['a table that is not a database', TABLE, () => 'garbage'.repeat(2_000), 'file is not a database'],
  ['a table with garbage inside', TABLE, withHole, '('],
  ['queues that are not a database', QUEUES, () => 'garbage'.repeat(2_000), 'file is not a database'],
  ['a truncated time', 'simulated-time.json', () => '{"seed":', 'it is not complete JSON'],
  ['an announcement of another version', 'machine.json', () => '{"form":2}', 'another version wrote it'],
])(
  '%s ends a command with the file, the cause and how to fix it, and frees the folder',
  async (...damaged) => {
    const [, file, damage, cause] = damaged;
    const before = file === TABLE ? readFileSync(join(path, file)) : Buffer.of();
    writeFileSync(join(path, file), damage(before));
    const config = {} as NotifierConfig;
    const synthesize = () => Promise.reject(new Error('damage is to be seen before the template is made'));

    const opening = openDataTarget(path, { config, synthesize, environment: {} });

    const error: Error = await opening.then(
      () => expect.fail('it was opened'),
      (thrown: Error) => thrown,
    );
    expect(error).toMatchObject({ code: 'data_folder_damaged' });
    expect(error.message).toContain(`the file ${join(path, file)} cannot be used (`);
    expect(error.message).toContain(cause);
    expect(error.message).toMatch(/; restore the folder from a copy, or name another one with --data/);
    (await openDataFolder(path)).release();
  },
);

function makeDatabase(file: string): void {
  const database = new DatabaseSync(file);
  database.exec('CREATE TABLE items (id INTEGER PRIMARY KEY, body TEXT)');
  database.exec('BEGIN');
  const insert = database.prepare('INSERT INTO items (body) VALUES (?)');
  for (let n = 0; n < 200; n += 1) insert.run('x'.repeat(1_000));
  database.exec('COMMIT');
  database.close();
}

function withHole(bytes: Buffer): Buffer {
  return Buffer.from(bytes).fill(0xff, 8_192, 16_384);
}
