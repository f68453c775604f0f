import type * as z from 'zod';
import { isDate } from '../dates.ts';
import type { OperationType } from '../event-types.ts';
import { cleanCode, cleanText } from '../messages/clean-text.ts';
import { formatDates, formatDay, type MessageTimeContext } from '../messages/moments.ts';
import { formatCount, formatDuration, formatNumber } from '../messages/numbers.ts';
import type { Tolerant } from '../tolerant.ts';
import type { AlertNews } from './event-definition.ts';
import type { OPERATION_DATA } from './operation-data.ts';

/** How alerts treat each type about the notifier's own operation. */
export const OPERATION_NEWS = {
  'baseline.completed': { counted: ['list', 'now watched'] },
  'source.unreachable': { counted: ['outage', ''], mergesLists: true, byDefault: 'always' },
  'source.recovered': {
    counted: ['outage', 'over'],
    ends: 'source.unreachable',
    mergesLists: true,
    byDefault: 'always',
  },
  'record.quarantined': { counted: ['record', 'ignored'] },
  'record.readable': { counted: ['record', 'read again'], ends: 'record.quarantined' },
  'slice.shrunk': { counted: ['sudden disappearance', 'of records'] },
  'slice.whole': { counted: ['date', 'whole again'], ends: 'slice.shrunk' },
  'poll.stalled': { counted: ['list', 'not read completely'] },
  'poll.resumed': { counted: ['list', 'read again'], ends: 'poll.stalled' },
  'slice.unreadable': { counted: ['date', 'not readable'], mergesLists: true, byDefault: 'always' },
  'slice.readable': {
    counted: ['date', 'readable again'],
    ends: 'slice.unreadable',
    mergesLists: true,
    byDefault: 'always',
  },
  'feed.lagging': { counted: ['list of records', 'read late', 'lists of records'], byDefault: 'always' },
  'feed.caught_up': {
    counted: ['list of records', 'read in time again', 'lists of records'],
    ends: 'feed.lagging',
    byDefault: 'always',
  },
  'feed.complete': { counted: ['list of records', 'published completely', 'lists of records'] },
  'slice.mass_change': { counted: ['mass change', ''], byDefault: 'always' },
  'source.form_changed': {
    counted: ['list of records', 'in a form that cannot be read', 'lists of records'],
    byDefault: 'always',
  },
  'source.form_restored': {
    counted: ['list of records', 'in a readable form again', 'lists of records'],
    ends: 'source.form_changed',
    byDefault: 'always',
  },
  'publish.failed': { counted: ['failure', 'to publish'], byDefault: 'always' },
  'delivery.failed': { counted: ['event', 'not delivered to a webhook'], hasNoThread: true },
  'delivery.recovered': { counted: ['event', 'delivered to a webhook after all'], ends: 'delivery.failed' },
  'webhook.disabled': { counted: ['webhook', 'disabled'] },
  'webhook.enabled': { counted: ['webhook', 'in use again'], ends: 'webhook.disabled' },
} as const satisfies Readonly<Record<OperationType, AlertNews>>;

/** Members that a later version adds pass. */
export type DataOf<Type extends OperationType> = Tolerant<z.output<(typeof OPERATION_DATA)[Type]['data']>>;

/** What the sentence of an operational event is made of. */
interface OperationNews<Type extends OperationType> {
  readonly data: DataOf<Type>;
  /** ` of connection main`; empty where there is only one. */
  readonly ofConnection: string;
  /** ` on connection main`; empty where there is only one. */
  readonly onConnection: string;
  /** `timesheets`, `timesheets of Fri 13 Nov`; of several connections, `timesheets of main`. */
  readonly list: string;
  /** `the workforce service`. */
  readonly service: string;
  /** When it was published, as `momentOf` says it. */
  readonly seen: string;
  readonly timeContext: MessageTimeContext;
  /** `10:01`, or with its day. */
  readonly momentOf: (instant: string) => string;
  /** `at 10:01`. */
  readonly timeOf: (instant: string) => string;
}

/** How people are told of a type. */
interface OperationWords<Type extends OperationType> {
  /** A sentence of at most 78 characters. `{lists}`: such as `timesheets of main`. `{webhook}`: its name. */
  readonly heading: string;
  /** The whole sentence without its full stop. */
  readonly sentence: (news: OperationNews<Type>) => string;
  /** For those who pay: a heading with what it means for them, and what follows it. They read no cause. */
  readonly forPay?: (news: OperationNews<Type>) => readonly [heading: string, facts: string];
}

/** What those who pay read while records cannot be read, and when they can be again. */
const UNRELIABLE = "Do not rely on today's figures until we say so. Nothing gets lost";
const describeUnseen = (list: string, since: string) => `We cannot see ${list} since ${since}`;
const describeSeenAgain = (list: string, seen: string) => `We see ${list} again since ${seen}`;
const describeGap = (since: string) =>
  `We could not since ${since}. What changed meanwhile is told now, and figures are up to date again`;

/** What it means for payroll that lists cannot be read, and who does something about it. */
const OUT_OF_DATE = 'hours, approvals and closings may be out of date, and what changes is told afterwards';
const WHO_ACTS = 'whoever runs the notifier finds the cause with npm run notifier -- doctor';

/** Fields or records that one sentence names. */
const MAX_NAMED = 5;

/** The source rejects the credential; waiting does not help. */
const REFUSALS: readonly string[] = ['source_unauthorised', 'source_forbidden'];

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

/** How people are told of each type about the notifier's own operation. */
export const OPERATION_WORDS: { readonly [Type in OperationType]: OperationWords<Type> } = {
  'baseline.completed': {
    heading: 'The {lists} are now watched',
    sentence: ({ data: { feed, records, from, to }, ofConnection, timeContext }) => {
      const dates = isDate(from) && isDate(to) ? ` of ${formatDates(from, to, timeContext)}` : '';
      return `The ${nameRecords(feed)}${ofConnection} are now watched (${formatNumber(records)}${dates}); every change to them is reported from now on`;
    },
  },
  'source.unreachable': {
    heading: 'The {lists} cannot be read',
    sentence: ({ data: { feed, failingSince, failedPolls, reason }, ofConnection, service, momentOf }) => {
      const why = REFUSALS.includes(reason ?? '') ? 'refuses the credential' : 'gives no usable answer';
      const code = reason === null ? '' : `: ${cleanText(reason)}`;
      return `The ${nameRecords(feed)}${ofConnection} have not been readable since ${momentOf(failingSince)}: ${service} ${why} (${formatCount(failedPolls, 'poll')} failed${code}); until they are, ${OUT_OF_DATE}; ${WHO_ACTS}`;
    },
    forPay: ({ data, list, momentOf }) => [describeUnseen(list, momentOf(data.failingSince)), UNRELIABLE],
  },
  'source.recovered': {
    heading: 'The {lists} can be read again',
    sentence: ({ data: { feed, unreachableSince, failedPolls }, ofConnection, seen, momentOf }) =>
      `The ${nameRecords(feed)}${ofConnection} are readable again as of ${seen}; they had not been since ${momentOf(unreachableSince)} (${formatCount(failedPolls, 'poll')} failed)`,
    forPay: ({ data, list, seen, momentOf }) => [
      describeSeenAgain(list, seen),
      describeGap(momentOf(data.unreachableSince)),
    ],
  },
  'record.quarantined': {
    heading: 'One of the {lists} is ignored: it cannot be read',
    sentence: ({ data, ofConnection }) => {
      const why = data.listedTwice
        ? `is listed twice and is ignored until it is listed once${describeIssues(data.issues, 'different')}`
        : `cannot be read and is ignored until it can${describeIssues(data.issues, 'invalid')}`;
      return `${describeBadRecord(data)}${ofConnection} ${why}`;
    },
  },
  'record.readable': {
    heading: 'One of the {lists} is read again',
    sentence: ({ data, ofConnection, seen, momentOf }) =>
      `${describeBadRecord(data)}${ofConnection} is read again as of ${seen}; it had been ignored since ${momentOf(data.since)}`,
  },
  'slice.shrunk': {
    heading: 'Many of the {lists} disappeared at once',
    sentence: ({ data, onConnection, timeContext }) =>
      `${formatNumber(data.missing)} of ${formatNumber(data.known)} ${nameRecordsOn(data, timeContext)}${onConnection} disappeared at once; they are not reported as removed until that is certain`,
  },
  'slice.whole': {
    heading: 'A date of the {lists} is whole again',
    sentence: ({ data, onConnection, seen, timeContext, momentOf }) =>
      `The ${nameRecordsOn(data, timeContext)}${onConnection} are whole again as of ${seen}: those missing since ${momentOf(data.since)} are back, or reported as removed`,
  },
  'poll.stalled': {
    heading: 'The {lists} are not read completely',
    sentence: ({ data, ofConnection, momentOf }) =>
      `The ${nameRecords(data.feed)}${ofConnection} have not been read completely since ${momentOf(data.completedAt)}; changes may be reported late`,
  },
  'poll.resumed': {
    heading: 'The {lists} are read again',
    sentence: ({ data, ofConnection, seen, momentOf }) =>
      `The ${nameRecords(data.feed)}${ofConnection} are read again as of ${seen}; it was reported at ${momentOf(data.stalledSince)} that they were not`,
  },
  'slice.unreadable': {
    heading: 'A date of the {lists} cannot be read',
    sentence: ({ data, onConnection, timeContext, momentOf, timeOf }) =>
      `The ${nameRecordsOn(data, timeContext)}${onConnection} have not been readable since ${momentOf(data.since)} (${formatCount(data.attempts, 'attempt')} failed: ${cleanText(data.reason)}); numbers that include them may be incomplete until they are; they are tried again ${timeOf(data.nextTryAt)}, everything else is read as usual; ${WHO_ACTS}`,
    forPay: ({ data, list, momentOf }) => [
      describeUnseen(list, momentOf(data.since)),
      'Do not rely on figures that include them until we say so. Nothing gets lost, and everything else is up to date',
    ],
  },
  'slice.readable': {
    heading: 'A date of the {lists} can be read again',
    sentence: ({ data, onConnection, seen, timeContext, momentOf }) =>
      `The ${nameRecordsOn(data, timeContext)}${onConnection} are readable again as of ${seen}; they had not been since ${momentOf(data.since)} (${formatCount(data.attempts, 'attempt')} failed)`,
    forPay: ({ data, list, seen, momentOf }) => [
      describeSeenAgain(list, seen),
      describeGap(momentOf(data.since)),
    ],
  },
  'feed.lagging': {
    heading: 'The {lists} are read late',
    sentence: ({ data: { feed, since, worst }, ofConnection, momentOf }) => {
      const lags = worst.map(
        (lag) => `${CLASS_WORDS[lag.class] ?? cleanText(lag.class)} by ${formatDuration(lag.lateSeconds)}`,
      );
      const named = lags.length === 0 ? '' : `: ${lags.join(', ')}`;
      return `The ${nameRecords(feed)}${ofConnection} have been read late since ${momentOf(since)}${named}; changes are reported that much later`;
    },
    forPay: ({ data: { since, worst }, list, momentOf }) => {
      const late = Math.max(0, ...worst.map(({ lateSeconds }) => lateSeconds));
      const by = late === 0 ? '' : ` by up to ${formatDuration(late)}`;
      return [
        `Changes of ${list} are seen late since ${momentOf(since)}`,
        `Figures can be behind${by} until we say so. Nothing gets lost`,
      ];
    },
  },
  'feed.caught_up': {
    heading: 'The {lists} are read in time again',
    sentence: ({ data, ofConnection, seen, momentOf }) =>
      `The ${nameRecords(data.feed)}${ofConnection} are read in time again as of ${seen}; they had been late since ${momentOf(data.since)}`,
    forPay: ({ data, list, seen, momentOf }) => [
      `Changes of ${list} are seen in time again since ${seen}`,
      `They had been late since ${momentOf(data.since)}`,
    ],
  },
  'feed.complete': {
    heading: 'The {lists} are published completely',
    sentence: ({ data: { feed, through, except }, ofConnection, momentOf }) => {
      const at = (through.window ?? through.payPeriods)?.at ?? null;
      const until = at === null ? 'nothing is certain' : `everything until ${momentOf(at)} is published`;
      const but = except.length === 0 ? '' : `, with ${formatCount(except.length, 'exception')}`;
      return `Of the ${nameRecords(feed)}${ofConnection} ${until}${but}`;
    },
  },
  'slice.mass_change': {
    heading: 'Many of the {lists} changed at once',
    sentence: ({ data, onConnection, timeContext, timeOf }) => {
      const { field, records, known, firstSeenAt, confirmedAt } = data;
      return `All at once, ${formatNumber(records)} of ${formatNumber(known)} ${nameRecordsOn(data, timeContext)}${onConnection} ${describeLoss(field)} (seen ${timeOf(firstSeenAt)}, confirmed ${timeOf(confirmedAt)})`;
    },
    forPay: ({ data, list, timeOf }) => [
      `All at once, ${formatNumber(data.records)} of ${formatNumber(data.known)} ${list} ${describeLoss(data.field)}`,
      `Ask whether that was meant. Seen ${timeOf(data.firstSeenAt)}, confirmed ${timeOf(data.confirmedAt)}`,
    ],
  },
  'source.form_changed': {
    heading: 'The {lists} come in a form that cannot be read',
    sentence: ({ data: { feed, since, bad, records, fields }, ofConnection, momentOf }) =>
      `The ${nameRecords(feed)}${ofConnection} have come in a different form since ${momentOf(since)}: ${formatNumber(bad)} of ${formatNumber(records)} cannot be read${describeFields(fields)}; until they can, ${OUT_OF_DATE}; ${WHO_ACTS}`,
    forPay: ({ data, list, service, momentOf }) => [
      describeUnseen(list, momentOf(data.since)),
      `${service.slice(0, 1).toUpperCase()}${service.slice(1)} writes them in another form. ${UNRELIABLE}`,
    ],
  },
  'source.form_restored': {
    heading: 'The {lists} can be read again, in their old form',
    sentence: ({ data, ofConnection, seen, momentOf }) =>
      `The ${nameRecords(data.feed)}${ofConnection} can be read again as of ${seen}; they had come in a different form since ${momentOf(data.since)}`,
    forPay: ({ data, list, seen, momentOf }) => [
      describeSeenAgain(list, seen),
      describeGap(momentOf(data.since)),
    ],
  },
  'publish.failed': {
    heading: 'Events about {lists} cannot be published',
    sentence: ({ data: { feed, reason, events, records, committedAt }, ofConnection, timeOf }) => {
      const what = events === 0 ? 'Events' : formatCount(events, 'event');
      const why =
        reason === 'expired'
          ? 'can no longer be published: the event log no longer holds them'
          : 'cannot be published: SNS refuses them';
      const whose = records.length === 0 ? '' : ` (${formatList(records.map(cleanText))})`;
      return `${what} about ${nameRecords(feed)}${whose}${ofConnection}, found ${timeOf(committedAt)}, ${why}; subscribers will not receive them`;
    },
    forPay: ({ data: { events, records, committedAt }, list, service, timeOf }) => {
      const changes = events === 0 ? 'Changes' : formatCount(events, 'change');
      const which = records.length === 0 ? '' : `: ${formatList(records.map(cleanText))}`;
      return [
        `${changes} of ${list} could not be passed on`,
        `Neither people nor systems are told of what was seen ${timeOf(committedAt)}; look it up in ${service}${which}`,
      ];
    },
  },
  'delivery.failed': {
    heading: 'The webhook {webhook} did not accept an event',
    sentence: ({ data }) => {
      const { attempts, reason } = data;
      const after =
        attempts === 0 ? 'it was not tried' : `given up after ${formatCount(attempts, 'attempt')}`;
      return `${nameWebhook(data)} did not accept ${describeEvent(data)}; ${after} (${cleanText(reason)})`;
    },
  },
  'delivery.recovered': {
    heading: 'The webhook {webhook} accepted an event after all',
    sentence: ({ data, momentOf }) =>
      `${nameWebhook(data)} accepted ${describeEvent(data)} after all; it was given up at ${momentOf(data.failedAt)}`,
  },
  'webhook.disabled': {
    heading: 'The webhook {webhook} is disabled and gets no more events',
    sentence: ({ data }) =>
      `${nameWebhook(data)} asked for no more events (it answered ${cleanText(data.reason)}); nothing is sent to it until its address in the config changes`,
  },
  'webhook.enabled': {
    heading: 'The webhook {webhook} gets events again',
    sentence: ({ data, momentOf }) =>
      `${nameWebhook(data)} gets events again; it had been disabled since ${momentOf(data.disabledAt)}; what it missed is in its dead-letter queue`,
  },
};

function describeLoss(field: string): string {
  return LOSSES[field] ?? `lost their ${cleanCode(field)}`;
}

/** `timesheets`, `pay periods`. */
function nameRecords(feed: string): string {
  return cleanText(feed.replaceAll('-', ' '));
}

/** `timesheets of Fri 13 Nov`, `pay periods`. */
export function nameRecordsOn(
  { feed, slice }: { readonly feed: string; readonly slice: string },
  timeContext: MessageTimeContext,
): string {
  return `${nameRecords(feed)}${isDate(slice) ? ` of ${formatDay(slice, timeContext)}` : ''}`;
}

function describeBadRecord({ feed, recordId }: { feed: string; recordId: string | null }): string {
  const noun = nameRecords(feed).replace(/s$/, '');
  if (recordId === null) return `A ${noun} without an id`;
  return `${noun.slice(0, 1).toUpperCase()}${noun.slice(1)} ${cleanText(recordId)}`;
}

function describeIssues(issues: readonly string[], word: 'invalid' | 'different'): string {
  return issues.length === 0 ? '' : ` (${word}: ${formatList(issues.map(cleanText))})`;
}

function describeFields(fields: DataOf<'source.form_changed'>['fields']): string {
  if (fields.length === 0) return '';
  const named = fields.map(({ field, kinds }) => {
    const came = kinds.map(cleanText).join(' or ');
    return came === '' ? cleanCode(field) : `${cleanCode(field)} is ${came}`;
  });
  return ` (${formatList(named)})`;
}

function nameWebhook({ webhook }: { readonly webhook: string }): string {
  return `The webhook ${cleanText(webhook)}`;
}

function describeEvent({ eventType, eventId }: { eventType: string; eventId: string }): string {
  return `the event ${cleanCode(eventType.replace(/^workforce\./, ''))} ${cleanText(eventId)}`;
}

/** `a, b, c, d, e, 2 more`. */
function formatList(all: readonly string[]): string {
  const more = all.length - MAX_NAMED;
  return [...all.slice(0, MAX_NAMED), ...(more > 0 ? [`${formatNumber(more)} more`] : [])].join(', ');
}
