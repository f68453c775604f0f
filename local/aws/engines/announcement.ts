import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { replaceFile } from '#shared/adapters/system/replace-file.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { readJsonFile } from './check-database.ts';
import type { DataFolder } from './data-folder.ts';

const FILE = 'machine.json';
/** The announcement of the last machine, once it is stopped. */
const LAST_FILE = 'last-machine.json';

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
  /** Steers the sample company; null for a real source, whose token is never written. */
  /** Whether alerts are delivered in this run; otherwise they wait. */
  tellsPeople: z.boolean().default(true),
});

/** Where the command line finds the engines of a running machine. */
export type Announcement = z.output<typeof announcementSchema>;

/** Publishes where a machine is, until it is stopped. */
export function announce(
  folder: Pick<DataFolder, 'file'>,
  announcement: z.input<typeof announcementSchema>,
): { stop(): Promise<void> } {
  // Whoever can read it can read the token of the source.
  replaceFile(folder.file(FILE), JSON.stringify(announcement), 0o600);
  return { stop: async () => withdrawAnnouncement(folder) };
}

/** Withdraws the announcement of a machine that was stopped or killed. It remains readable as the last one. */
export function withdrawAnnouncement(folder: Pick<DataFolder, 'file'>): void {
  if (existsSync(folder.file(FILE))) renameSync(folder.file(FILE), folder.file(LAST_FILE));
}

/** The announcement of the running machine; null while it is still starting. */
export function readAnnouncement(path: string): Announcement | null {
  return read(join(path, FILE));
}

/** The announcement of the last machine on a folder; null when there never was one. */
export function readLastAnnouncement(path: string): Announcement | null {
  return read(join(path, FILE)) ?? read(join(path, LAST_FILE));
}

function read(file: string): Announcement | null {
  return existsSync(file) ? readJsonFile(file, announcementSchema) : null;
}
