import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type NotifierConfig, parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { PROJECT_ROOT } from './project-root.ts';

const DEFAULT_FILE = 'notifier.config.ts';

/**
 * Loads a config file: a module whose default export is the config. A relative path starts at the project root. Throws `NotifierError`: `config_missing`, `config_unreadable` or `config_invalid`.
 */
export async function loadNotifierConfig(file = DEFAULT_FILE): Promise<NotifierConfig> {
  const path = isAbsolute(file) ? file : join(PROJECT_ROOT, file);
  if (!existsSync(path)) {
    throw new NotifierError('config_missing', `${file}: no such file; create it, or name another one`);
  }
  return parseNotifierConfig(await importDefaultExport(path, file), file);
}

async function importDefaultExport(path: string, file: string): Promise<unknown> {
  try {
    const module: { default?: unknown } = await import(pathToFileURL(path).href);
    if (module.default !== undefined) return module.default;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new NotifierError('config_unreadable', `${file}${describeErrorLine(cause)}: ${reason}`, { cause });
  }
  throw new NotifierError(
    'config_unreadable',
    `${file}: has no default export; write export default defineNotifierConfig({ ... })`,
  );
}

/** The stack of a syntax error begins with the place: `file:///.../notifier.config.ts:12`. */
function describeErrorLine(cause: unknown): string {
  const [, line] = cause instanceof SyntaxError ? (/^\S+:(\d+)\n/.exec(cause.stack ?? '') ?? []) : [];
  return line === undefined ? '' : `:${line}`;
}
