import * as z from 'zod';

/** The state of all stored records, sent once when the receiver is new; `snapshot: 2` sends it once more. */
export const startWithSchema = z.union(
  [z.literal('snapshot'), z.strictObject({ snapshot: z.int().min(1) })],
  {
    error: ({ input }) =>
      `startWith is "snapshot", or { snapshot: 2 } to get it once more, not ${JSON.stringify(input)}`,
  },
);
export type StartWith = z.output<typeof startWithSchema>;

/** How often a receiver wants to have begun. */
export function readGeneration(startWith: StartWith): number {
  return startWith === 'snapshot' ? 1 : startWith.snapshot;
}
