import { formatMoment } from '#shared/people/messages/moments.ts';

/** What people say for codes that are stored; a status of HTTP says enough to whoever runs an endpoint. */
const WORDS: Readonly<Record<string, string>> = {
  timeout: 'no answer in time',
  disabled: 'its webhook is disabled',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut',
  ENOTFOUND: 'no such host',
};

/** `no answer in time` for `timeout`, `secret unreadable` for `secret_unreadable`; the message that an event is in has no name. */
export function describeCode(code: string): string {
  return WORDS[code] ?? code.replace(/^in message \S+/, 'in a message').replaceAll('_', ' ');
}

/** `Thu 12 Nov 10:01`. An instant in milliseconds since 1970. */
export function describeInstant(instant: number, timeZone: string): string {
  return formatMoment(instant, { timeZone, year: null, day: null });
}
