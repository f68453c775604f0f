import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { readJsonFile } from './check-database.ts';
import type { DataFolder } from './data-folder.ts';

const FILE = 'machine.json';
/** What the last machine on the folder said, for when none runs. */
const LAST_FILE = 'last-machine.json';

const announcementSchema = z.object({
  endpoints: z.object({ dynamoDb: z.string(), messaging: z.string(), secretsManager: z.string() }),
  /** Folder of the cloud assembly that runs. */
  assembly: z.string(),
  clock: z.object({ startsAtMs: z.number(), anchorMs: z.number(), speed: z.number() }).nullable(),
  /** The connection as it is polled: its source and zone are those of the run. */
  connection: connectionSchema,
  /** Whether people are told in this run; when not, what is for them waits. */
  tellsPeople: z.boolean().default(true),
});

/** What a machine that runs tells the command line, which works with its engines. */
export type Announcement = z.output<typeof announcementSchema>;

/** Writes down where a machine is to be found, until it is stopped. */
export function announce(
  folder: Pick<DataFolder, 'file'>,
  announcement: z.input<typeof announcementSchema>,
): { stop(): Promise<void> } {
  writeFileSync(folder.file(FILE), JSON.stringify(announcement));
  return { stop: async () => withdrawAnnouncement(folder) };
}

/** Nobody is to look for a machine there any more: it is stopped, or was killed. */
export function withdrawAnnouncement(folder: Pick<DataFolder, 'file'>): void {
  if (existsSync(folder.file(FILE))) renameSync(folder.file(FILE), folder.file(LAST_FILE));
}

/** Where the machine that runs on a folder is; null when it has not said so yet. */
export function readAnnouncement(path: string): Announcement | null {
  return read(join(path, FILE));
}

/** What was last said on a folder on which no machine runs; null when there never was one. */
export function readLastAnnouncement(path: string): Announcement | null {
  return read(join(path, FILE)) ?? read(join(path, LAST_FILE));
}

function read(file: string): Announcement | null {
  return existsSync(file) ? readJsonFile(file, announcementSchema) : null;
}
