import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { announce, withdrawAnnouncement } from '#local/aws/engines/announcement.ts';
import { checkDatabase } from '#local/aws/engines/check-database.ts';
import { openDataFolder } from '#local/aws/engines/data-folder.ts';
import { startMessaging } from '#local/aws/engines/messaging-engine.ts';
import { openDataTarget } from '#local/data-target.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';

const TABLE = 'dynamodb.db';
const QUEUES = 'messaging/fauxqs.db';
const TIME = 'simulated-time.json';
const LAST = 'last-machine.json';

let whole: string;
let path: string;

beforeAll(async () => {
  whole = mkdtempSync(join(tmpdir(), 'whole-'));
  const folder = await openDataFolder(whole);
  await (await startMessaging(folder, 'any')).stop();
  makeDatabase(folder.file(TABLE));
  const connection = connectionSchema.parse({
    name: 'main',
    baseUrl: 'http://127.0.0.1:1',
    timeZone: 'UTC',
    secretName: 'main',
  });
  const endpoints = { dynamoDb: 'http://127.0.0.1:1', messaging: '', secretsManager: '', accessKeyId: '' };
  announce(folder, { endpoints, assembly: '', clock: null, connection });
  withdrawAnnouncement(folder);
  const times = { startsAt: '2026-03-05T07:45:00.000Z', resumeAt: '2026-03-05T08:45:00.000Z' };
  writeFileSync(folder.file(TIME), JSON.stringify({ seed: 1, timeZone: 'UTC', calendars: 1, ...times }));
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
  { what: 'a table that is not a database', file: TABLE, damage: garbage, cause: 'file is not a database' },
  { what: 'a truncated table', file: TABLE, damage: half, cause: '(' },
  { what: 'a table with garbage inside', file: TABLE, damage: withHole, cause: '(' },
  { what: 'queues that are not a database', file: QUEUES, damage: garbage, cause: 'file is not a database' },
  { what: 'a truncated time', file: TIME, damage: half, cause: 'it is not complete JSON' },
  {
    what: 'a time of another version',
    file: TIME,
    damage: () => '{"form":2}',
    cause: 'another version wrote it',
  },
  { what: 'a truncated announcement', file: LAST, damage: half, cause: 'it is not complete JSON' },
])('$what ends every command with the file, the cause and how to fix it', async ({ file, damage, cause }) => {
  writeFileSync(join(path, file), damage(readFileSync(join(path, file))));

  const error = await open().catch((thrown: unknown) => thrown);

  expect(error).toMatchObject({ code: 'data_folder_damaged' });
  const { message } = error as Error;
  expect(message).toContain(`the file ${join(path, file)} cannot be used (`);
  expect(message).toContain(cause);
  expect(message).toMatch(/; restore the folder from a copy, or name another one with --data/);
});

test.each([TABLE, QUEUES])('a missing %s is named too', async (file) => {
  renameSync(join(path, file), join(path, 'elsewhere'));

  await expect(open()).rejects.toMatchObject({ message: expect.stringContaining('it is missing') });
});

test('the folder is free again afterwards', async () => {
  writeFileSync(join(path, QUEUES), 'garbage'.repeat(2_000));
  await open().catch(() => {});

  (await openDataFolder(path)).release();
});

test('intact databases, and missing ones before the first run, are not damage', () => {
  expect(() => checkDatabase(join(path, TABLE), { thorough: true })).not.toThrow();
  expect(() => checkDatabase(join(path, 'none.db'), { thorough: false })).not.toThrow();
});

function open() {
  const config = {} as NotifierConfig;
  const synthesize = () => Promise.reject(new Error('damage is to be seen before anything is started'));
  return openDataTarget(path, { config, synthesize, environment: {} });
}

function garbage(): string {
  return 'garbage'.repeat(2_000);
}

function makeDatabase(file: string): void {
  const database = new DatabaseSync(file);
  database.exec('CREATE TABLE items (id INTEGER PRIMARY KEY, body TEXT)');
  database.exec('BEGIN');
  const insert = database.prepare('INSERT INTO items (body) VALUES (?)');
  for (let n = 0; n < 200; n += 1) insert.run('x'.repeat(1_000));
  database.exec('COMMIT');
  database.close();
}

function half(bytes: Buffer): Buffer {
  return bytes.subarray(0, Math.floor(bytes.length / 2));
}

function withHole(bytes: Buffer): Buffer {
  return Buffer.from(bytes).fill(0xff, 8_192, 16_384);
}
