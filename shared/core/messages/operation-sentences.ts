import * as z from 'zod';
import { isDate } from '../dates.ts';
import { cleanText, fitLine } from './clean-text.ts';
import { formatDates, formatDay, formatMoment, type MessageTimeContext } from './moments.ts';
import { formatCount, formatNumber } from './numbers.ts';
import { count, operationEvent, watchedFeed } from './operation-events.ts';
import { nameRecords, OUT_OF_DATE, WHO_ACTS } from './progress-sentences.ts';
import { type Audience, instant, toTimeContext } from './record-events.ts';

/** An event about polling, delivering or erasing itself, as far as its sentence needs it. */
export const operationEventSchema = z.discriminatedUnion('type', [
  operationEvent('workforce.baseline.completed', {
    ...watchedFeed,
    from: z.string(),
    to: z.string(),
    records: count,
  }),
  operationEvent('workforce.source.unreachable', {
    ...watchedFeed,
    failingSince: instant,
    failedPolls: count,
    reason: z.string().nullable(),
  }),
  operationEvent('workforce.source.recovered', {
    ...watchedFeed,
    unreachableSince: instant,
    failedPolls: count,
  }),
  operationEvent('workforce.record.quarantined', {
    ...watchedFeed,
    recordId: z.string().nullable(),
    issues: z.array(z.string()),
    listedTwice: z.boolean().optional(),
  }),
  operationEvent('workforce.record.readable', { ...watchedFeed, recordId: z.string(), since: instant }),
  operationEvent('workforce.slice.shrunk', {
    ...watchedFeed,
    slice: z.string(),
    missing: count,
    known: count,
  }),
  operationEvent('workforce.slice.whole', { ...watchedFeed, slice: z.string(), since: instant }),
  operationEvent('workforce.poll.stalled', { ...watchedFeed, completedAt: instant }),
  operationEvent('workforce.poll.resumed', { ...watchedFeed, stalledSince: instant }),
  operationEvent('workforce.record.forgotten', { timesheetId: z.string() }),
]);
type OperationEvent = z.output<typeof operationEventSchema>;

/** Invalid fields of a record that are named. */
const MAX_ISSUES = 5;
/** The source rejects the credential; waiting does not help. */
const REFUSALS: readonly string[] = ['source_unauthorised', 'source_forbidden'];

export function toOperationSentence(event: OperationEvent, audience: Audience): string {
  const sentence =
    event.type === 'workforce.record.forgotten'
      ? describeForgotten(event)
      : describeOperation(event, toTimeContext(event.time, audience));
  return fitLine(sentence, '.');
}

type ForgottenEvent = Extract<OperationEvent, { type: 'workforce.record.forgotten' }>;
type WatchingEvent = Exclude<OperationEvent, ForgottenEvent>;

function describeForgotten({ connection, data }: ForgottenEvent): string {
  return `Timesheet ${cleanText(data.timesheetId)} of connection ${cleanText(connection)} is forgotten here, because its employee is; whoever keeps a copy has to erase it as well`;
}

function describeOperation(event: WatchingEvent, timeContext: MessageTimeContext): string {
  const connection = cleanText(event.connection);
  const momentOf = (text: string) => formatMoment(Date.parse(text), timeContext);
  switch (event.type) {
    case 'workforce.baseline.completed': {
      const { feed, records, from, to } = event.data;
      const dates = isDate(from) && isDate(to) ? ` of ${formatDates(from, to, timeContext)}` : '';
      return `The ${nameRecords(feed)} of connection ${connection} are now watched (${formatNumber(records)}${dates}); every change to them is reported from now on`;
    }
    case 'workforce.source.unreachable': {
      const { feed, failingSince, failedPolls, reason } = event.data;
      const why = REFUSALS.includes(reason ?? '') ? 'refuses the credential' : 'gives no usable answer';
      const code = reason === null ? '' : `: ${cleanText(reason)}`;
      return `The ${nameRecords(feed)} of connection ${connection} have not been readable since ${momentOf(failingSince)}: the source ${why} (${formatCount(failedPolls, 'poll')} failed${code}); until they are, ${OUT_OF_DATE}; ${WHO_ACTS}`;
    }
    case 'workforce.source.recovered': {
      const { feed, unreachableSince, failedPolls } = event.data;
      return `The ${nameRecords(feed)} of connection ${connection} are readable again as of ${momentOf(event.time)}; they had not been since ${momentOf(unreachableSince)} (${formatCount(failedPolls, 'poll')} failed)`;
    }
    case 'workforce.record.quarantined': {
      const { issues, listedTwice } = event.data;
      const why = listedTwice
        ? `is listed twice and is ignored until it is listed once${describeIssues(issues, 'different')}`
        : `cannot be read and is ignored until it can${describeIssues(issues, 'invalid')}`;
      return `${describeBadRecord(event.data)} of connection ${connection} ${why}`;
    }
    case 'workforce.record.readable': {
      const since = momentOf(event.data.since);
      return `${describeBadRecord(event.data)} of connection ${connection} is read again as of ${momentOf(event.time)}; it had been ignored since ${since}`;
    }
    case 'workforce.slice.shrunk': {
      const { feed, slice, missing, known } = event.data;
      const where = isDate(slice) ? ` of ${formatDay(slice, timeContext)}` : '';
      return `${formatNumber(missing)} of ${formatNumber(known)} ${nameRecords(feed)}${where} on connection ${connection} disappeared at once; they are not reported as removed until that is certain`;
    }
    case 'workforce.slice.whole': {
      const { feed, slice, since } = event.data;
      const where = isDate(slice) ? ` of ${formatDay(slice, timeContext)}` : '';
      return `The ${nameRecords(feed)}${where} on connection ${connection} are whole again as of ${momentOf(event.time)}: those missing since ${momentOf(since)} are back, or reported as removed`;
    }
    case 'workforce.poll.stalled': {
      const { feed, completedAt } = event.data;
      return `The ${nameRecords(feed)} of connection ${connection} have not been read completely since ${momentOf(completedAt)}; changes may be reported late`;
    }
    case 'workforce.poll.resumed': {
      const { feed, stalledSince } = event.data;
      return `The ${nameRecords(feed)} of connection ${connection} are read again as of ${momentOf(event.time)}; it was reported at ${momentOf(stalledSince)} that they were not`;
    }
  }
}

function describeBadRecord({ feed, recordId }: { feed: string; recordId: string | null }): string {
  const noun = nameRecords(feed).replace(/s$/, '');
  if (recordId === null) return `A ${noun} without an id`;
  return `${noun.slice(0, 1).toUpperCase()}${noun.slice(1)} ${cleanText(recordId)}`;
}

function describeIssues(issues: readonly string[], word: 'invalid' | 'different'): string {
  if (issues.length === 0) return '';
  const named = issues.slice(0, MAX_ISSUES).map(cleanText);
  const more = issues.length - named.length;
  return ` (${word}: ${[...named, ...(more === 0 ? [] : [`${formatNumber(more)} more`])].join(', ')})`;
}
