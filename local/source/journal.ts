import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { z } from '@hono/zod-openapi';
import { type CompanyChange, changeSchema } from './company/changes.ts';
import type { CompanySettings } from './company/world.ts';

const VERSION = 1;

const instant = z.iso.datetime();
const firstLineSchema = z.strictObject({
  version: z.literal(VERSION),
  seed: z.int(),
  size: z.int(),
  timeZone: z.string(),
  startsAt: instant,
  calendars: z.literal(2).optional(),
});
const entrySchema = z.strictObject({ at: instant, change: changeSchema.optional() });

/** A manual change, or a move of the clock (no `change`), at a simulated instant (ms since 1970). */
interface JournalEntry {
  readonly at: number;
  readonly change?: CompanyChange | undefined;
}

/** Manual changes in a file of JSON lines, repeated at the next start. */
export interface Journal {
  readonly entries: readonly JournalEntry[];
  append(entry: JournalEntry): void;
}

/**
 * The `startsAt` of a journal, or `null` when there is none yet. Throws an `Error` that names the file when it is not a
 * journal.
 */
export function readJournalStart(path: string): number | null {
  const firstLine = existsSync(path) ? readLines(path)[0] : undefined;
  return firstLine === undefined ? null : Date.parse(parse(path, firstLine, firstLineSchema).startsAt);
}

/**
 * Opens or creates a journal. Throws an `Error` when the file belongs to a company with other settings: its changes name
 * records that this company does not have.
 */
export function openJournal(path: string, settings: CompanySettings): Journal {
  const firstLine = JSON.stringify({
    version: VERSION,
    seed: settings.seed,
    size: settings.size,
    timeZone: settings.timeZone,
    startsAt: new Date(settings.startsAt).toISOString(),
    ...(settings.calendars === 2 ? { calendars: 2 } : {}),
  });
  const lines = existsSync(path) ? readLines(path) : [];
  if (lines.length > 0 && lines[0] !== firstLine) {
    throw new Error(`the journal ${path} belongs to another company: ${lines[0]}; this one is ${firstLine}`);
  }
  // Drops a last line that a crash truncated.
  writeFileSync(path, [firstLine, ...lines.slice(1), ''].join('\n'));
  return {
    entries: lines.slice(1).map((line) => {
      const { at, change } = parse(path, line, entrySchema);
      return { at: Date.parse(at), change };
    }),
    append: ({ at, change }) =>
      appendFileSync(path, `${JSON.stringify({ at: new Date(at).toISOString(), change })}\n`),
  };
}

/** Complete lines only. */
function readLines(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').slice(0, -1);
}

function parse<T>(path: string, line: string, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(line));
  } catch (cause) {
    throw new Error(`the journal ${path} has an invalid line: ${line.slice(0, 100)}`, { cause });
  }
}
