import * as z from 'zod';

/** What a page lists of the log, or of deliveries: the newest. */
export const MAX_LISTED = 500;

/** One event of the log. Instants are RFC 3339. */
export const lineSchema = z.object({
  /** Sorts lines as the log does: by the instant of the commit, then the place in it. */
  key: z.string(),
  id: z.string(),
  /** Without its prefix. */
  type: z.string(),
  connection: z.string(),
  timeZone: z.string(),
  /** Id of the timesheet or pay period; null for an event about the watching itself. */
  record: z.string().nullable(),
  date: z.string().nullable(),
  employeeId: z.string().nullable(),
  employee: z.string().nullable(),
  departmentId: z.string().nullable(),
  department: z.string().nullable(),
  late: z.array(z.string()),
  occurredAt: z.string().nullable(),
  /** When the change was seen. */
  seenAt: z.string(),
  committedAt: z.string(),
  /** Of an event about a pay period: which one, such as `Weekly 12-18 Nov`. */
  period: z.string().nullable(),
  /** What changed, without whose or of which period it is: `Approved at 16:33 with 7.5 h to pay.` */
  says: z.string(),
});
export type Line = z.output<typeof lineSchema>;

/** A type without its prefix, with `*` for any text, or several with commas in between. */
export const typePatternSchema = z.string().max(300);

/** Which lines are wanted; an absent condition always holds. */
export const lineFilterSchema = z.object({
  type: typePatternSchema.optional(),
  department: z.string().max(200).optional(),
  late: z.enum(['yes']).optional(),
  connection: z.string().max(100).optional(),
});
export type LineFilter = z.output<typeof lineFilterSchema>;

export const linesQuerySchema = lineFilterSchema.extend({
  /** Only lines before this key, or this instant (RFC 3339). */
  before: z.string().max(300).optional(),
  limit: z.coerce.number().int().min(1).max(MAX_LISTED).default(MAX_LISTED),
});

export const linesAnswerSchema = z.object({
  /** Newest first. */
  lines: z.array(lineSchema),
  /** Pass it as `before` for what is earlier; null when the log has nothing earlier. */
  next: z.string().nullable(),
});

/** Where one event is in the log. */
export const eventPlaceSchema = z.object({
  id: z.string().max(200),
  connection: z.string().max(100),
  committedAt: z.iso.datetime(),
});
export type EventPlace = z.output<typeof eventPlaceSchema>;
