import * as z from 'zod';

/** One line about what became of an event at a receiver. */
const receiverSchema = z.object({
  name: z.string(),
  outcome: z.enum(['delivered', 'waiting', 'failed', 'queued', 'untried']),
  /** RFC 3339. */
  at: z.string().nullable(),
  attempts: z.int(),
  /** Why each attempt failed, oldest first. */
  answers: z.array(z.string()),
  detail: z.string().nullable(),
  nextAt: z.string().nullable(),
});
export type ReceiverOutcome = z.output<typeof receiverSchema>;

/** What an event means to people. */
const chapterNoteSchema = z.object({
  eventId: z.string(),
  /** What changed. */
  says: z.string(),
  receivers: z.array(receiverSchema),
});
export type ChapterNote = z.output<typeof chapterNoteSchema>;

const delivery = z.looseObject({ destination: z.string(), outcome: z.string() });

/** One event of a record, as `events RECORD --json` has it. */
const chapterSchema = z.looseObject({
  event: z.looseObject({
    id: z.string(),
    type: z.string(),
    sequence: z.int(),
    time: z.string(),
    data: z.looseObject({
      current: z.record(z.string(), z.unknown()).nullish(),
      previous: z.record(z.string(), z.unknown()).nullish(),
      changed: z.array(z.string()),
      observed: z.object({ after: z.string().nullable(), by: z.string() }),
      occurredAt: z.string().nullish(),
      late: z.array(z.string()),
    }),
  }),
  committedAt: z.string(),
  published: z.boolean(),
  deliveries: z.array(delivery),
});
export type Chapter = z.output<typeof chapterSchema>;

/** The history of a record, as `events RECORD --json` has it. */
const foundRecordSchema = z.looseObject({
  connection: z.string(),
  timeZone: z.string(),
  feed: z.string(),
  record: z.string(),
  chapters: z.array(chapterSchema),
  state: z.record(z.string(), z.unknown()).nullable(),
  sequence: z.int().nullable(),
});

export const recordQuerySchema = z.object({
  id: z.string().min(1).max(200),
  connection: z.string().max(100).optional(),
  since: z.string().max(40).default('90d'),
});
export type RecordQuery = z.input<typeof recordQuerySchema>;

export const recordAnswerSchema = z.object({
  found: z.array(foundRecordSchema),
  /** For each record found: what its events mean, in the same order. */
  notes: z.array(
    z.object({
      employeeId: z.string().nullable(),
      employee: z.string().nullable(),
      /** Its name, or its id. */
      department: z.string().nullable(),
      /** The date of a timesheet. */
      date: z.string().nullable(),
      /** What a pay period is called; null for any other record. */
      period: z.string().nullable(),
      chapters: z.array(chapterNoteSchema),
      /** Commands to copy. */
      command: z.string(),
      send: z.string(),
      /** Asks the source for the record as it is now. */
      curl: z.string(),
    }),
  ),
});
export type RecordAnswer = z.output<typeof recordAnswerSchema>;
