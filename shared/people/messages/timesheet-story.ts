import * as z from 'zod';

const change = z.object({ label: z.string(), before: z.string().nullable(), after: z.string().nullable() });

/** In `late` for a change that may have come after the close of its pay period or before it. */
export const PERHAPS_CLOSE = 'perhaps_close';

/** What a timesheet's event adds to the story of the timesheet. Texts are clean, but not escaped for any medium. */
export const timesheetStorySchema = z.object({
  /** `Ana Lee, Kitchen, Thu 12 Nov`, with ids where names may not be shown. */
  who: z.string(),
  /** Name of the department, or its id after the word. */
  place: z.string().nullable(),
  /** Hours to pay before, when this event changed them; null when there was no timesheet. */
  hoursBefore: z.number().nullable().optional(),
  /** Hours to pay afterwards; null when there is no timesheet, or none are known. */
  hours: z.number().nullable(),
  /** Other values that changed. Without `before` and `after` when they have no words. */
  changes: z.array(change),
  /** What was done or undone; null when values changed. Later steps of one aspect replace earlier ones. */
  step: z
    .object({ aspect: z.string(), words: z.string(), done: z.boolean(), repeated: z.boolean() })
    .nullable(),
  /** What stood before: `approval`, `processing`, `close`, or what may have: `PERHAPS_CLOSE`. */
  late: z.array(z.string()),
  approved: z.boolean(),
  processed: z.boolean(),
});
export type TimesheetStory = z.output<typeof timesheetStorySchema>;

/** What was done, once more where it is repeated. */
export function done(aspect: string, words: string, repeated: boolean): TimesheetStory['step'] {
  return { aspect, words, done: true, repeated };
}

/** What was undone, or happened. */
export function undone(aspect: string, words: string): TimesheetStory['step'] {
  return { aspect, words, done: false, repeated: false };
}
