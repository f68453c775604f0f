import * as z from 'zod';
import { recordCursorSchema } from './stored-records.ts';

/** One start: of a receiver, for a connection, and the how manieth of that. */
export interface StartKey {
  /** Such as `webhook-payroll` or `subscription-payroll`. */
  readonly receiver: string;
  readonly generation: number;
  readonly connection: string;
}

/** How far a start is. Instants in milliseconds since 1970. */
export const receiverStartSchema = z.object({
  /** Grows by one with every write. */
  revision: z.int().min(1),
  /** Where it goes on; null before the first record. */
  after: recordCursorSchema.nullable(),
  /** Events sent so far; a few may have been sent twice. */
  sent: z.int(),
  /** Until then one run owns it. */
  ownedUntil: z.number(),
  /** When everything was sent; null before. */
  doneAt: z.number().nullable(),
});
export type ReceiverStart = z.output<typeof receiverStartSchema>;

/** What a run may begin with; null when it is done, or another run owns it. */
export function claimStart(
  known: ReceiverStart | null,
  { now, ownedUntil }: { readonly now: number; readonly ownedUntil: number },
): ReceiverStart | null {
  if (known === null) return { revision: 1, after: null, sent: 0, ownedUntil, doneAt: null };
  if (known.doneAt !== null || known.ownedUntil > now) return null;
  return { ...known, revision: known.revision + 1, ownedUntil };
}
