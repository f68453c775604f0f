import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { replaceFile } from '#shared/adapters/system/replace-file.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { readJsonFile } from './check-database.ts';
import type { DataFolder } from './data-folder.ts';

const FILE = 'machine.json';

const announcementSchema = z.object({
  endpoints: z.object({
    dynamoDb: z.string(),
    /** SNS and SQS. */
    messaging: z.string(),
    secretsManager: z.string(),
    accessKeyId: z.string(),
  }),
  /** Folder of the cloud assembly. */
  assembly: z.string(),
  clock: z.object({ startsAtMs: z.number(), anchorMs: z.number(), speed: z.number() }).nullable(),
  /** The connection as polled, with the source and time zone of the run. */
  connection: connectionSchema,
  /** Whether alerts are delivered in this run; otherwise they wait. */
  tellsPeople: z.boolean(),
});

/** Where the command line finds the engines of a machine. */
export type Announcement = z.output<typeof announcementSchema>;

/** Publishes where a machine is. It remains when the machine is stopped, as that of the last one. */
export function announce(folder: Pick<DataFolder, 'file'>, announcement: Announcement): void {
  // Whoever can read it can read the token of the source.
  replaceFile(folder.file(FILE), JSON.stringify(announcement), 0o600);
}

/** Takes back what the last machine announced. */
export function withdrawAnnouncement(folder: Pick<DataFolder, 'file'>): void {
  rmSync(folder.file(FILE), { force: true });
}

/** The announcement of the machine of a folder; null while it is still starting, or where there never was one. */
export function readAnnouncement(path: string): Announcement | null {
  const file = join(path, FILE);
  return existsSync(file) ? readJsonFile(file, announcementSchema) : null;
}
