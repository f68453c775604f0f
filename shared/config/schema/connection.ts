import * as z from 'zod';
import { secretNameSchema } from './secret-name.ts';
import { timeZoneSchema } from './time-zone.ts';

const days = (fallback: number) => z.int().min(0).max(730).default(fallback);

/** How far around today, in calendar days of the connection's zone, timesheets are watched. */
const windowSchema = z.strictObject({
  /** Days before today. */
  backDays: days(35),
  /** Days after today. */
  forwardDays: days(14),
});

/** When a slice that empties at once is doubted instead of believed (rule 6). */
const vanishingSchema = z.strictObject({
  /** Doubt it when more than this share of its records is missing, 0 to 1. */
  share: z.number().min(0).max(1).default(0.5),
  /** ... and at least this many records. */
  records: z.int().min(1).default(10),
  /** Believe it after this many minutes, when every missing record answers 404. */
  minutes: z.int().min(0).default(30),
});

/** How the source is asked. */
const requestsSchema = z.strictObject({
  /** Records per page that are asked for; what comes back is believed, and fewer are asked for when it is refused. */
  pageSize: z.int().min(1).max(10_000).default(1_000),
  /** Milliseconds until one request is given up. */
  timeoutMs: z.int().min(100).max(120_000).default(20_000),
  /** Bytes of one answer that are read at most. */
  maxResponseBytes: z
    .int()
    .min(1_000)
    .default(32 * 1024 * 1024),
  /** Requests a second at most; lower when the source says so. */
  maxPerSecond: z.number().positive().max(1_000).default(20),
});

/** What is said about the health of a connection, and when. */
const healthSchema = z.strictObject({
  /** Polls in a row that must fail before `source.unreachable` is said. */
  unreachableAfterPolls: z.int().min(1).default(3),
  /** Minutes without one complete scan, with a source that answers, before `poll.stalled` is said. */
  stalledAfterMinutes: z.int().min(1).default(60),
});

/** What else the partition keys of the table begin with. */
const RESERVED: ReadonlySet<string> = new Set(['alerts', 'deliveries', 'webhook']);

/**
 * One source API: where it is, who we are to it, and which dates of it we watch.
 * A scheduled invocation carries the whole connection, so that a function needs no configuration of its own.
 */
export const connectionSchema = z.strictObject({
  /** Part of event ids and storage keys: renaming a connection starts it anew. */
  name: z
    .string()
    .regex(
      /^[a-z][a-z0-9-]{0,30}$/,
      'a connection name is a-z, 0-9 and -, begins with a letter, at most 31 long',
    )
    .refine((name) => !RESERVED.has(name), {
      error: `no connection can be called ${[...RESERVED].join(', ')}: the table has parts of these names; use another name`,
    }),
  /** Address before `/api/v1`, such as `https://acme.workforce.example`. */
  baseUrl: z
    .url({
      protocol: /^https?$/,
      error: 'baseUrl is an http or https address, such as https://acme.workforce.example',
    })
    .refine((address) => !/^[^/]*\/\/[^/]*@/.test(address), {
      error: 'baseUrl holds no user name or password; they belong in the secret',
    }),
  /** Zone of the source's dates and of clock times that come without an offset. */
  timeZone: timeZoneSchema,
  /** Name of the secret: a token, or `{"token": ...}`, or `{"clientId": ..., "clientSecret": ...}`. */
  secretName: secretNameSchema({ isMisplaced: (text) => text.startsWith('{'), content: 'token' }),
  window: windowSchema.prefault({}),
  requests: requestsSchema.prefault({}),
  vanishing: vanishingSchema.prefault({}),
  health: healthSchema.prefault({}),
  /** Days that events and the marks of removed records are kept. */
  retentionDays: z.int().min(1).max(3_650).default(90),
});
export type Connection = z.output<typeof connectionSchema>;
