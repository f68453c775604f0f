import * as z from 'zod';

/** A fact that some records lost, believed at once. `at`: start of the scan that saw it, in ms since 1970. */
export const recentLossSchema = z.object({ field: z.string(), records: z.int(), at: z.number() });
export type RecentLoss = Readonly<z.output<typeof recentLossSchema>>;

/** Key of a loss in the feed's state: names of slices hold no space. */
export function toLossKey(slice: string, field: string): string {
  return `${slice} ${field}`;
}

export function toSlice(key: string): string {
  return key.slice(0, key.indexOf(' '));
}
