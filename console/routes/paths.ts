/** Addresses of the console's API, below its origin. */
export const PATHS = {
  session: '/api/session',
  overview: '/api/overview',
  events: '/api/events',
  stream: '/api/events/stream',
  event: '/api/event',
  find: '/api/find',
  person: '/api/person',
  record: '/api/records',
  periods: '/api/periods',
  period: '/api/period',
  periodCsv: '/api/period.csv',
  deliveries: '/api/deliveries',
  resend: '/api/deliveries/resend',
  doctor: '/api/doctor',
} as const;

/** Why the console shows nothing to a page. */
export const REFUSALS = [
  'address_needed',
  'address_wrong',
  'address_used',
  'address_expired',
  'session_ended',
] as const;
export type Refusal = (typeof REFUSALS)[number];

/** Where the console listens unless the port is taken. */
export const CONSOLE_PORT = 4600;

/** What a page lists of the log, or of deliveries: the newest. */
export const MAX_LISTED = 500;

/** Names of the events in the stream of server-sent events. */
export const STREAM_EVENTS = {
  /** New lines, in the order of the log. */
  lines: 'lines',
  /** The clock, the feeds and whether the log can be read; also keeps the connection alive. */
  status: 'status',
} as const;
