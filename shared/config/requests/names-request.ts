import * as z from 'zod';
import { NAMED_KINDS } from '#shared/people/names/names.ts';
import { connectionSchema } from '../schema/connection.ts';
import { readRequest } from './read-request.ts';

/** What the schedule sends to the function that refreshes names. */
export const namesRequestSchema = z.strictObject({
  connection: connectionSchema,
  /** Kinds that are called by their names. */
  kinds: z
    .array(z.enum(NAMED_KINDS))
    .min(1)
    .transform((kinds) => NAMED_KINDS.filter((kind) => kinds.includes(kind))),
  /** Only those of which none are stored: nothing is requested from the source while there are names of all. */
  only: z.literal('missing').optional(),
});
export type NamesRequest = z.output<typeof namesRequestSchema>;

/** Reads the event of an invocation. Throws a `NotifierError` (`request_invalid`) that says what is wrong with it. */
export function readNamesRequest(event: unknown): NamesRequest {
  return readRequest(namesRequestSchema, event, {
    purpose: 'for names',
    advice: 'send what a schedule of this stack sends',
  });
}
