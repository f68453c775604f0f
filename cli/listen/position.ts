import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { replaceFile } from '#shared/adapters/system/replace-file.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { LoggedBatch } from '#shared/flow/event-log.ts';

/** How far one feed was forwarded. Instants in milliseconds since 1970. */
const feedPositionSchema = z.object({
  /** Nothing committed before this is forwarded. */
  since: z.number(),
  /** Of the latest batch that was taken. */
  through: z.number(),
  /** Batches near `through`, by pointer, with how many of their events were taken. */
  recent: z.record(z.string(), z.object({ at: z.number(), taken: z.int() })),
});
export type FeedPosition = z.output<typeof feedPositionSchema>;

const receiverSchema = z.object({
  /** The generated signing secret; absent when the user gives one. */
  secret: z.string().exactOptional(),
  /** By connection and feed. */
  feeds: z.record(z.string(), feedPositionSchema),
});
/** What is remembered of a receiver. */
export type ReceiverMemory = z.output<typeof receiverSchema>;

const fileSchema = z.record(z.string(), receiverSchema);

/** Where `listen` ended, in a file, by address of the receiver. */
export interface ListenMemory {
  load(url: string): ReceiverMemory | null;
  save(url: string, memory: ReceiverMemory): void;
}

/** Throws a `NotifierError` (`position_unreadable`) for a file of another kind. */
export function openListenMemory(file: string): ListenMemory {
  const known = existsSync(file) ? readMemory(file) : {};
  return {
    load: (url) => known[url] ?? null,
    save: (url, memory) => {
      known[url] = memory;
      mkdirSync(dirname(file), { recursive: true });
      // It may hold a signing secret.
      replaceFile(file, JSON.stringify(known), 0o600);
    },
  };
}

function readMemory(file: string): z.output<typeof fileSchema> {
  try {
    return fileSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new NotifierError(
      'position_unreadable',
      `${file} does not say where listen ended; delete it, or name another file with --position`,
      { cause },
    );
  }
}

/** The position after some events of a batch. `overlapMs`: how long after a later batch an earlier one may appear. */
export function advance(
  { since, through, recent }: FeedPosition,
  { pointer, committedAt }: LoggedBatch,
  { taken, overlapMs }: { readonly taken: number; readonly overlapMs: number },
): FeedPosition {
  const latest = Math.max(through, committedAt);
  const near = Object.entries({ ...recent, [pointer]: { at: committedAt, taken } });
  return {
    since,
    through: latest,
    recent: Object.fromEntries(near.filter(([, { at }]) => at >= latest - overlapMs)),
  };
}

/** The earliest instant at which an event that was not taken can be. */
export function startOfRead({ since, through }: FeedPosition, overlapMs: number): number {
  return Math.max(since, through - overlapMs);
}
