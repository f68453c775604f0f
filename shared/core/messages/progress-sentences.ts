import * as z from 'zod';
import { isDate } from '../dates.ts';
import { cleanCode, cleanText, fitLine } from './clean-text.ts';
import { formatAt, formatDay, formatMoment, type MessageTimeContext } from './moments.ts';
import { formatCount, formatDuration, formatNumber } from './numbers.ts';
import { count, operationEvent, watchedFeed } from './operation-events.ts';
import { type Audience, instant, toTimeContext } from './record-events.ts';

/** An event about a poll or a publisher that cannot keep up, as far as its sentence needs it. */
export const progressEventSchema = z.discriminatedUnion('type', [
  operationEvent('workforce.slice.unreadable', {
    ...watchedFeed,
    slice: z.string(),
    since: instant,
    attempts: count,
    reason: z.string(),
    nextTryAt: instant,
  }),
  operationEvent('workforce.slice.readable', {
    ...watchedFeed,
    slice: z.string(),
    since: instant,
    attempts: count,
  }),
  operationEvent('workforce.feed.lagging', {
    ...watchedFeed,
    since: instant,
    worst: z.array(z.looseObject({ class: z.string(), lateSeconds: z.number() })),
  }),
  operationEvent('workforce.feed.caught_up', { ...watchedFeed, since: instant }),
  operationEvent('workforce.slice.mass_change', {
    ...watchedFeed,
    slice: z.string(),
    field: z.string(),
    records: count,
    known: count,
    firstSeenAt: instant,
    confirmedAt: instant,
  }),
  operationEvent('workforce.source.form_changed', {
    ...watchedFeed,
    since: instant,
    fields: z.array(z.looseObject({ field: z.string(), kinds: z.array(z.string()) })),
    bad: count,
    records: count,
  }),
  operationEvent('workforce.source.form_restored', { ...watchedFeed, since: instant }),
  operationEvent('workforce.publish.failed', {
    ...watchedFeed,
    reason: z.string(),
    events: count,
    records: z.array(z.string()),
    committedAt: instant,
  }),
]);
type ProgressEvent = z.output<typeof progressEventSchema>;
type DataOf<Type extends ProgressEvent['type']> = Extract<ProgressEvent, { type: Type }>['data'];

/** What it means for payroll that lists cannot be read, and who does something about it. */
export const OUT_OF_DATE =
  'hours, approvals and closings may be out of date, and what changes is told afterwards';
export const WHO_ACTS = 'whoever runs the notifier finds the cause with npm run notifier -- doctor';

/** Fields or records that one sentence names. */
const MAX_NAMED = 5;

/** Words for the classes of dates (`shared/core/plan/`). */
const CLASS_WORDS: Readonly<Record<string, string>> = {
  hot: 'the days around today',
  active: 'dates still being worked on',
  settled: 'settled dates',
};

/** What records lost, by field. */
const LOSSES: Readonly<Record<string, string>> = {
  approvedHours: 'lost their approval',
  approvedPayroll: 'lost their payroll approval',
  processed: 'are no longer processed',
  clockIn: 'lost their clock-in',
  clockOut: 'lost their clock-out',
  closed: 'are no longer closed',
};

export function toProgressSentence(event: ProgressEvent, audience: Audience): string {
  return fitLine(describeProgress(event, toTimeContext(event.time, audience)), '.');
}

function describeProgress(event: ProgressEvent, timeContext: MessageTimeContext): string {
  const connection = `connection ${cleanText(event.connection)}`;
  const all = `The ${nameRecords(event.data.feed)} of ${connection}`;
  const timeOf = (text: string) => formatAt(Date.parse(text), timeContext);
  const momentOf = (text: string) => formatMoment(Date.parse(text), timeContext);
  switch (event.type) {
    case 'workforce.slice.unreadable': {
      const { feed, slice, since, attempts, reason, nextTryAt } = event.data;
      return `The ${nameRecordsOn(feed, slice, timeContext)} on ${connection} have not been readable since ${momentOf(since)} (${formatCount(attempts, 'attempt')} failed: ${cleanText(reason)}); numbers that include them may be incomplete until they are; they are tried again ${timeOf(nextTryAt)}, everything else is read as usual; ${WHO_ACTS}`;
    }
    case 'workforce.slice.readable': {
      const { feed, slice, since, attempts } = event.data;
      return `The ${nameRecordsOn(feed, slice, timeContext)} on ${connection} are readable again as of ${momentOf(event.time)}; they had not been since ${momentOf(since)} (${formatCount(attempts, 'attempt')} failed)`;
    }
    case 'workforce.feed.lagging':
      return `${all} have been read late since ${momentOf(event.data.since)}${describeLags(event.data)}; changes are reported that much later`;
    case 'workforce.feed.caught_up':
      return `${all} are read in time again as of ${momentOf(event.time)}; they had been late since ${momentOf(event.data.since)}`;
    case 'workforce.slice.mass_change': {
      const { feed, slice, field, records, known, firstSeenAt, confirmedAt } = event.data;
      const lost = LOSSES[field] ?? `lost their ${cleanCode(field)}`;
      return `All at once, ${formatNumber(records)} of ${formatNumber(known)} ${nameRecordsOn(feed, slice, timeContext)} on ${connection} ${lost} (seen ${timeOf(firstSeenAt)}, confirmed ${timeOf(confirmedAt)})`;
    }
    case 'workforce.source.form_changed': {
      const { since, bad, records } = event.data;
      return `${all} have come in a different form since ${momentOf(since)}: ${formatNumber(bad)} of ${formatNumber(records)} cannot be read${describeFields(event.data)}; until they can, ${OUT_OF_DATE}; ${WHO_ACTS}`;
    }
    case 'workforce.source.form_restored':
      return `${all} can be read again as of ${momentOf(event.time)}; they had come in a different form since ${momentOf(event.data.since)}`;
    case 'workforce.publish.failed':
      return describeUnpublished(event.data, connection, timeOf(event.data.committedAt));
  }
}

function describeLags({ worst }: DataOf<'workforce.feed.lagging'>): string {
  const lags = worst.map(
    (lag) => `${CLASS_WORDS[lag.class] ?? cleanText(lag.class)} by ${formatDuration(lag.lateSeconds)}`,
  );
  return lags.length === 0 ? '' : `: ${lags.join(', ')}`;
}

function describeFields({ fields }: DataOf<'workforce.source.form_changed'>): string {
  if (fields.length === 0) return '';
  const named = fields.map(({ field, kinds }) => {
    const came = kinds.map(cleanText).join(' or ');
    return came === '' ? cleanCode(field) : `${cleanCode(field)} is ${came}`;
  });
  return ` (${formatList(named)})`;
}

function describeUnpublished(
  { feed, reason, events, records }: DataOf<'workforce.publish.failed'>,
  connection: string,
  foundAt: string,
): string {
  const what = events === 0 ? 'Events' : formatCount(events, 'event');
  const why =
    reason === 'expired'
      ? 'can no longer be published: the event log no longer holds them'
      : 'cannot be published: SNS refuses them';
  const whose = records.length === 0 ? '' : ` (${formatList(records.map(cleanText))})`;
  return `${what} about ${nameRecords(feed)}${whose} of ${connection}, found ${foundAt}, ${why}; subscribers will not receive them`;
}

/** `a, b, c, d, e, 2 more`. */
function formatList(all: readonly string[]): string {
  const more = all.length - MAX_NAMED;
  return [...all.slice(0, MAX_NAMED), ...(more > 0 ? [`${formatNumber(more)} more`] : [])].join(', ');
}

/** What cannot be read, or can again; null for an event about something else. */
export function nameUnreadable(
  { type, time, data }: { readonly type: string; readonly time: string; readonly data: object },
  audience: Audience,
): string | null {
  if (!UNREADABLE.includes(type) || !('feed' in data)) return null;
  const slice = 'slice' in data ? String(data.slice) : '';
  return nameRecordsOn(String(data.feed), slice, toTimeContext(time, audience));
}

const UNREADABLE: readonly string[] = [
  'workforce.source.unreachable',
  'workforce.source.recovered',
  'workforce.slice.unreadable',
  'workforce.slice.readable',
];

/** `timesheets of Fri 13 Nov`, `pay periods`. */
function nameRecordsOn(feed: string, slice: string, timeContext: MessageTimeContext): string {
  return `${nameRecords(feed)}${isDate(slice) ? ` of ${formatDay(slice, timeContext)}` : ''}`;
}

/** `timesheets`, `pay periods`. */
export function nameRecords(feed: string): string {
  return cleanText(feed.replaceAll('-', ' '));
}
