import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { connectionSchema } from '#shared/config/connection.ts';
import type { DataFolder } from './data-folder.ts';

const FILE = 'machine.json';

const announcementSchema = z.object({
  endpoints: z.object({ dynamoDb: z.string(), messaging: z.string(), secretsManager: z.string() }),
  /** Folder of the cloud assembly that runs. */
  assembly: z.string(),
  clock: z.object({ startsAtMs: z.number(), anchorMs: z.number(), speed: z.number() }).nullable(),
  /** The connection as it is polled: its source and zone are those of the run. */
  connection: connectionSchema,
});

/** What a machine that runs tells the command line, which works with its engines. */
export type Announcement = z.output<typeof announcementSchema>;

/** Writes down where a machine is to be found; answers what takes it back. */
export function announce(
  folder: Pick<DataFolder, 'file'>,
  announcement: Announcement,
): { stop(): Promise<void> } {
  writeFileSync(folder.file(FILE), JSON.stringify(announcement));
  return {
    stop: async () => rmSync(folder.file(FILE), { force: true }),
  };
}

/** Where the machine that runs on a folder is; null when it has not said so yet. */
export function readAnnouncement(path: string): Announcement | null {
  const file = join(path, FILE);
  return existsSync(file) ? announcementSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : null;
}
