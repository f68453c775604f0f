import * as z from 'zod';

const instant = z.number();

/** Up to when what happened is published: of the hot slices, and of all; null when all of them are excepted. */
const throughSchema = z.object({ hot: instant.nullable(), all: instant.nullable() });
export type Through = Readonly<z.output<typeof throughSchema>>;

/** What a feed remembers of its watermarks (ADR 36). Instants in milliseconds since 1970. */
export const watermarkMemorySchema = z.object({
  /** Grows by one with every write. */
  revision: z.int(),
  /** What was first seen at or before these instants, on hot slices or on any, is not committed any more. */
  fence: z.object({ hot: instant, all: instant }),
  /** The last watermark; null before the first. */
  told: z
    .object({
      id: z.string(),
      at: instant,
      /** Identity of the table in which it was published: a restored table has another one. */
      tableId: z.string().nullable(),
      through: throughSchema,
      /** When the log was read for it. */
      readAt: instant,
      /** Marks of the last batches that were counted. */
      counted: z.array(z.string()),
    })
    .nullable(),
});
export type WatermarkMemory = z.output<typeof watermarkMemorySchema>;
export type PublishedWatermark = NonNullable<WatermarkMemory['told']>;

/** The memory after a write, and the revision that the stored one must have: null when there must be none yet. */
export interface WatermarkWrite {
  readonly memory: WatermarkMemory;
  readonly expectedRevision: number | null;
}

/**
 * When the events of a commit were first seen: the earliest of hot slices, and of all. The fence must be earlier, or
 * `ahead` of what a right clock could have written.
 */
export interface WatermarkCheck {
  readonly hot: number;
  readonly all: number;
  readonly ahead: number;
}

/** Whether a fence lets a commit pass. */
export function passesFence({ hot, all }: WatermarkMemory['fence'], check: WatermarkCheck): boolean {
  return (hot < check.hot || hot > check.ahead) && (all < check.all || all > check.ahead);
}
