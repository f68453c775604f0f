import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type * as z from 'zod';
import { NotifierError } from '#shared/core/errors.ts';

const REMEDY =
  'restore the folder from a copy, or name another one with --data: a new run starts empty, without the data of this one';

function createDamagedError(file: string, reason: string): NotifierError {
  const why = reason.replaceAll(/\s+/g, ' ').replaceAll('; ', ', ');
  return new NotifierError('data_folder_damaged', `the file ${file} cannot be used (${why}); ${REMEDY}`);
}

/**
 * Checks a database, unless it is still missing, before an engine is started on it: an engine that cannot read it reports
 * nothing, or an error for each request. Throws a `NotifierError` (`data_folder_damaged`).
 */
export function checkDatabase(file: string): void {
  if (!existsSync(file)) return;
  let database: DatabaseSync | undefined;
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
    database = new DatabaseSync(file);
    const found = database.prepare('PRAGMA quick_check(1)').get();
    if (found?.quick_check !== 'ok') throw new Error(String(found?.quick_check));
  } catch (cause) {
    throw createDamagedError(file, cause instanceof Error ? cause.message : String(cause));
  } finally {
    database?.close();
  }
}

/** An engine that was ended may hold its file for a moment. */
const MAX_WAIT_MS = 2_000;

/**
 * Takes what was deleted or replaced out of a database that no engine uses: SQLite leaves it in free pages and in the
 * log. A database that cannot be written is left as it is, for the next start to tell.
 */
export function compactDatabase(file: string): void {
  if (!existsSync(file)) return;
  const database = new DatabaseSync(file, { timeout: MAX_WAIT_MS });
  try {
    database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
  } finally {
    database.close();
  }
}

/** Reads a JSON file with a schema. Throws a `NotifierError` (`data_folder_damaged`). */
export function readJsonFile<Schema extends z.ZodType>(file: string, schema: Schema): z.output<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw createDamagedError(file, cause instanceof SyntaxError ? 'it is not complete JSON' : String(cause));
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const fields = result.error.issues.map(({ path }) => path.join('.') || 'its form').slice(0, 3);
  throw createDamagedError(file, `another version wrote it, or it was damaged: ${fields.join(', ')}`);
}
