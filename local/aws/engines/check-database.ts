import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type * as z from 'zod';
import { NotifierError } from '#shared/core/errors.ts';

const REMEDY =
  'put back a copy of the folder, or name another one with --data: a new run makes everything anew, and what was remembered is gone';

/** What is wrong with a file of a data folder, and how to mend it. */
function damaged(file: string, reason: string): NotifierError {
  const why = reason.replaceAll(/\s+/g, ' ').replaceAll('; ', ', ');
  return new NotifierError('data_folder_damaged', `the file ${file} cannot be used (${why}); ${REMEDY}`);
}

/**
 * Looks at a database before an engine is started on it, because an engine that cannot read it does not say so, or
 * says it only in answer to each request. `thorough` reads all of it and wants it to be there; without it, a file that
 * is not there yet is no damage. Throws a `NotifierError` `data_folder_damaged`.
 */
export function checkDatabase(file: string, { thorough }: { readonly thorough: boolean }): void {
  if (!existsSync(file)) {
    if (thorough) throw damaged(file, 'it is missing');
    return;
  }
  let database: DatabaseSync | undefined;
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
    database = new DatabaseSync(file);
    database.prepare('SELECT count(*) FROM sqlite_master').get();
    const found = thorough ? database.prepare('PRAGMA quick_check(1)').get() : { quick_check: 'ok' };
    if (found?.quick_check !== 'ok') throw new Error(String(found?.quick_check));
  } catch (cause) {
    throw damaged(file, cause instanceof Error ? cause.message : String(cause));
  } finally {
    database?.close();
  }
}

/** The value of a JSON file in a shape. Throws a `NotifierError` `data_folder_damaged` for anything else. */
export function readJsonFile<Schema extends z.ZodType>(file: string, schema: Schema): z.output<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw damaged(file, cause instanceof SyntaxError ? 'it is no whole JSON' : String(cause));
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const fields = result.error.issues.map(({ path }) => path.join('.') || 'its form').slice(0, 3);
  throw damaged(file, `another version wrote it, or it was damaged: ${fields.join(', ')}`);
}
