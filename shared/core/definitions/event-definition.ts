import type * as z from 'zod';

/** What subscribers can rely on of a type of event. */
export interface EventContract {
  /** One sentence, for documents. */
  readonly meaning: string;
  /** Schema of its `data`. */
  readonly data: z.ZodObject;
}

/** What a channel can be told: the news of one purpose. */
export const PRESETS = ['approvals', 'closings', 'late-changes', 'missing-clockings', 'troubles'] as const;
export type Preset = (typeof PRESETS)[number];
