import * as z from 'zod';

export const findQuerySchema = z.object({ q: z.string().max(200) });

/** Kinds of what can be found, in the order in which they are listed. */
export const FOUND_KINDS = ['person', 'timesheet', 'period', 'department', 'date', 'receiver'] as const;

const suggestionSchema = z.object({
  kind: z.enum(FOUND_KINDS),
  title: z.string(),
  /** What tells it from others of that title. */
  note: z.string(),
  /** A screen of the page. */
  to: z.string().regex(/^\/(?!\/)/),
});
export type Suggestion = z.output<typeof suggestionSchema>;

export const findAnswerSchema = z.object({
  /** By kind, the best of each first. */
  suggestions: z.array(suggestionSchema),
});
export type FindAnswer = z.output<typeof findAnswerSchema>;
