import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type NotifierConfig, parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { PROJECT_ROOT } from './project-root.ts';

/** The config of a deployment, unless another file is named. */
const DEFAULT_FILE = 'notifier.config.ts';

/**
 * Reads a config file: a module whose default export is the config, relative to the project's root. Throws a
 * `NotifierError` that says what is wrong with it.
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
    `${file}: it exports no config; write export default defineNotifierConfig({ ... })`,
  );
}

/** What does not parse has its line at the top of the stack, as `file:///.../notifier.config.ts:12`. */
function describeErrorLine(cause: unknown): string {
  const [, line] = cause instanceof SyntaxError ? (/^\S+:(\d+)\n/.exec(cause.stack ?? '') ?? []) : [];
  return line === undefined ? '' : `:${line}`;
}
