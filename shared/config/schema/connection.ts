import * as z from 'zod';
import { allowedTargetsSchema } from './allowed-targets.ts';
import { calendarsSchema } from './calendar.ts';
import { isPlainHttp } from './plain-http.ts';
import { secretNameSchema } from './secret-name.ts';
import { timeZoneSchema } from './time-zone.ts';

const days = (fallback: number) => z.int().min(0).max(730).default(fallback);

/** Timesheets of these calendar days around today, in the connection's zone, are watched. */
const windowSchema = z.strictObject({
  /** Days before today. */
  backDays: days(35),
  /** Days after today. */
  forwardDays: days(14),
});

/** Requests to the source API. */
const requestsSchema = z.strictObject({
  /** Requested records per page. The source may send fewer; when it refuses the size or fails, smaller ones are tried. */
  pageSize: z.int().min(1).max(10_000).default(1_000),
  /** Requests per second at most; fewer when the source throttles. */
  maxPerSecond: z.number().positive().max(1_000).default(20),
});

/** When a clocking counts as missing. What is left out is not watched for. */
const absencesSchema = z
  .strictObject({
    /** Minutes after the planned start without a clock-in. */
    clockInMinutes: z.int().min(1).max(1_440).optional(),
    /** Hours after the planned finish without a clock-out, for those who clocked in. */
    clockOutHours: z.number().positive().max(48).optional(),
  })
  .refine(
    ({ clockInMinutes, clockOutHours }) => clockInMinutes !== undefined || clockOutHours !== undefined,
    {
      error: 'absences sets clockInMinutes, clockOutHours or both; leave absences out to watch for none',
    },
  );

/** Somebody outside of the account who notices when no request comes any more, such as healthchecks.io. */
const heartbeatSchema = z.strictObject({
  /** Name of the secret that holds the address: whoever knows it can feign that all is well. */
  secretName: secretNameSchema({ isMisplaced: (text) => text.includes('://'), content: 'address' }),
  /** As of a webhook: a private address needs `network`, too. */
  allow: allowedTargetsSchema.prefault({}),
});

/** Other prefixes of partition keys in the table. */
const RESERVED: ReadonlySet<string> = new Set(['alerts', 'deliveries', 'webhook']);

const connectionShape = z.strictObject({
  /** Part of event ids and storage keys: a renamed connection starts with a new baseline. */
  name: z
    .string()
    .regex(
      /^[a-z][a-z0-9-]{0,30}$/,
      'a connection name is such as main: a-z, 0-9 and -, begins with a letter, at most 31 long',
    )
    .refine((name) => !RESERVED.has(name), {
      error: `a connection cannot be called ${[...RESERVED].join(', ')}: the table uses these names; use another one`,
    }),
  /** Address of the API without `/api/v1`, such as `https://acme.workforce.example`. */
  baseUrl: z
    .url({
      protocol: /^https?$/,
      error: 'baseUrl is an http or https address, such as https://acme.workforce.example',
    })
    .refine((address) => !/^[^/]*\/\/[^/]*@/.test(address), {
      error: 'baseUrl must not contain a user name or password; put them into the secret',
    }),
  /**
   * Accepts a `baseUrl` with http, which shows token and pay to every network on the way. Not needed for the host
   * itself, such as `http://127.0.0.1:8080`.
   */
  allowHttp: z.boolean().optional(),
  /** IANA zone, of a place or UTC, of the source's dates and of its times without an offset. */
  timeZone: timeZoneSchema,
  /** Name of the secret: a token, or `{"token": ...}`, or `{"clientId": ..., "clientSecret": ...}`. */
  secretName: secretNameSchema({ isMisplaced: (text) => text.startsWith('{'), content: 'token' }),
  window: windowSchema.prefault({}),
  /** Deadlines of pay calendars. Without them nobody is reminded; `doctor` offers those of the last closings. */
  calendars: calendarsSchema.optional(),
  requests: requestsSchema.prefault({}),
  /**
   * Publishes who has not clocked in or out. Without it nothing is. A change holds for what becomes due from the
   * deployment on: docs/source-api.md, Missing clockings.
   */
  absences: absencesSchema.optional(),
  /**
   * A request (`POST`, no body) after each scheduled poll while the connection is in time. It is the one thing that tells
   * of a stack or a region that is gone. Default: none.
   */
  heartbeat: heartbeatSchema.optional(),
  /**
   * Publishes `feed.complete` every five minutes: up to when everything that happened is published.
   */
  watermark: z.boolean().default(false),
  /** Days for which events are kept. */
  retentionDays: z.int().min(1).max(3_650).default(90),
});

/**
 * One source API: address, credential, and the dates to watch. A scheduled invocation carries the whole connection, so
 * that a function needs no configuration of its own.
 */
export const connectionSchema = connectionShape.refine(
  ({ baseUrl, allowHttp }) => allowHttp === true || !isPlainHttp(baseUrl),
  {
    path: ['baseUrl'],
    error: 'baseUrl is http, which shows the token to the network; use https, or set allowHttp to true',
  },
);
export type Connection = z.output<typeof connectionSchema>;
