import * as z from 'zod';

/** A fact that most records of a slice lost at once, as a second scan confirmed it. Instants since 1970 in ms. */
export const confirmedLossSchema = z.object({
  field: z.string(),
  /** Records that lost it, and how many the slice had. */
  records: z.int(),
  known: z.int(),
  /** Starts of the first scan that showed it, and of the one that confirmed it. */
  since: z.number(),
  at: z.number(),
  /** Of the records, those whose loss is committed. */
  published: z.int(),
});
export type ConfirmedLoss = Readonly<z.output<typeof confirmedLossSchema>>;

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
