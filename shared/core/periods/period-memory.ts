import * as z from 'zod';

/**
 * What the row of a pay period remembers from one moment of its account to the next. Stored as JSON. Instants in
 * milliseconds since 1970.
 */
export const periodMemorySchema = z.object({
  /** The last moment that was told. */
  told: z.enum(['closed', 'recounted', 'settled', 'reopened']),
  /** When that was seen. */
  at: z.number(),
  /** When the closing was seen that these moments belong to. */
  closedAt: z.number(),
  /** How many times it closed. */
  closings: z.number(),
  /**
   * The stored count that later ones are held against: its name, when it was told, and whether it was of all timesheets of
   * the period, so that what it has not was added since. Null before one was stored.
   */
  count: z.object({ name: z.string(), at: z.number(), isWhole: z.boolean() }).nullable(),
  /** The closing was told with a reserve that may end: it is recounted then. */
  hasReserve: z.boolean(),
  /** Since when nothing but the totals of the source stands against settling; null while something else does. */
  differsSince: z.number().nullable(),
});
export type PeriodMemory = z.output<typeof periodMemorySchema>;

/** Whether time brings another moment of a closed period. */
export function awaitsMoment(memory: PeriodMemory | undefined): boolean {
  return memory !== undefined && (memory.told === 'closed' || memory.told === 'recounted');
}
