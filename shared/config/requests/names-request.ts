import * as z from 'zod';
import { NAMED_KINDS } from '#shared/core/names/names.ts';
import { connectionSchema } from '../schema/connection.ts';
import { readRequest } from './read-request.ts';

/** What the schedule sends to the function that refreshes names. */
export const directoryRequestSchema = z.strictObject({
  connection: connectionSchema,
  /** Kinds that some channel shows by their names: no others are asked for. */
  kinds: z
    .array(z.enum(NAMED_KINDS))
    .min(1)
    .transform((kinds) => NAMED_KINDS.filter((kind) => kinds.includes(kind))),
});
export type DirectoryRequest = z.output<typeof directoryRequestSchema>;

/** Reads the event of an invocation. Throws a `NotifierError` (`request_invalid`) that says what is wrong with it. */
export function readDirectoryRequest(event: unknown): DirectoryRequest {
  return readRequest(directoryRequestSchema, event, {
    purpose: 'for names',
    advice: 'send what a schedule of this stack sends',
  });
}
