import * as z from 'zod';
import { toQueueSafeJson } from '../core/queue-safe-json.ts';

/** What `dataschema` of a thin event ends with. */
const THIN = ':thin';

/** `data` of a thin event: what changed, by name. Both are empty in an event about no change of a record. */
const thinDataSchema = z.object({ changed: z.array(z.string()), late: z.array(z.string()) });

/** An event without its values: which it is, of what, and what changed. */
export const thinEventSchema = z.looseObject({
  id: z.string().min(1),
  source: z.string(),
  type: z.string(),
  subject: z.string().optional(),
  time: z.iso.datetime(),
  dataschema: z.string().endsWith(THIN),
  connection: z.string(),
  epoch: z.iso.datetime().optional(),
  sequence: z.int().min(0),
  data: thinDataSchema,
});
export type ThinEvent = z.output<typeof thinEventSchema>;

const wholeEventSchema = z.looseObject({
  dataschema: z.string().optional(),
  data: z.object({
    changed: z.array(z.string()).optional().catch(undefined),
    late: z.array(z.string()).optional().catch(undefined),
  }),
});

/**
 * The text of an event without anything of a person: its envelope with the same id, and in `data` only what changed. The
 * same text gives the same bytes, in every attempt.
 */
export function toThinText(text: string): string {
  const { dataschema = '', data, ...envelope } = wholeEventSchema.parse(JSON.parse(text));
  const { changed = [], late = [] } = data;
  return toQueueSafeJson({ ...envelope, dataschema: `${dataschema}${THIN}`, data: { changed, late } });
}
