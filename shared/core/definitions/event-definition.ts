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

/** A shape says the kind of an event without its colour. */
export type Mark =
  | 'in'
  | 'out'
  | 'check'
  | 'double'
  | 'paid'
  | 'edit'
  | 'plus'
  | 'minus'
  | 'back'
  | 'lock'
  | 'sum'
  | 'notice';
/** `calm`: work goes on. `undone`: something was taken back. `watch`: about the watching itself. */
export type Tone = 'calm' | 'done' | 'undone' | 'watch';

/** What the console calls a type: after a number above one (`102 approved for payroll`), and as a heading. */
export type ConsoleWords = readonly [many: string, one: string, mark: Mark, tone: Tone];
