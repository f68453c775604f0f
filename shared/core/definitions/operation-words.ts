import type * as z from 'zod';
import { capitalize, type Language, languageOf, sayCount } from '../../languages/language.ts';
import { type Filled, findEntry, say, type Text } from '../../languages/text.ts';
import { isDate } from '../dates.ts';
import type { OperationType } from '../event-types.ts';
import { cleanCode, cleanText } from '../messages/clean-text.ts';
import { formatDates, formatDay, type MessageTimeContext } from '../messages/moments.ts';
import { formatDuration, formatNumber } from '../messages/numbers.ts';
import type { Tolerant } from '../tolerant.ts';
import type { AlertNews } from './event-definition.ts';
import type { OPERATION_DATA } from './operation-data.ts';

/** How alerts treat each type about the notifier's own operation. */
export const OPERATION_NEWS = {
  'baseline.progressed': {},
  'baseline.completed': {},
  'source.unreachable': { mergesLists: true, preset: 'troubles', concernsPay: true },
  'source.recovered': {
    ends: 'source.unreachable',
    mergesLists: true,
    preset: 'troubles',
    concernsPay: true,
  },
  'record.quarantined': { preset: 'troubles' },
  'record.readable': { ends: 'record.quarantined', preset: 'troubles' },
  'slice.shrunk': { preset: 'troubles' },
  'slice.whole': { ends: 'slice.shrunk', preset: 'troubles' },
  'poll.stalled': { preset: 'troubles' },
  'poll.resumed': { ends: 'poll.stalled', preset: 'troubles' },
  'slice.unreadable': { mergesLists: true, preset: 'troubles', concernsPay: true },
  'slice.readable': {
    ends: 'slice.unreadable',
    mergesLists: true,
    preset: 'troubles',
    concernsPay: true,
  },
  'feed.lagging': { preset: 'troubles', concernsPay: true },
  'feed.caught_up': {
    ends: 'feed.lagging',
    preset: 'troubles',
    concernsPay: true,
  },
  'feed.complete': {},
  'slice.mass_change': { preset: 'troubles', concernsPay: true },
  'source.form_changed': {
    preset: 'troubles',
    concernsPay: true,
  },
  'source.form_restored': {
    ends: 'source.form_changed',
    preset: 'troubles',
    concernsPay: true,
  },
  'publish.failed': { preset: 'troubles', concernsPay: true },
  'delivery.failed': { preset: 'troubles' },
  'delivery.recovered': { ends: 'delivery.failed', preset: 'troubles' },
  'webhook.disabled': { preset: 'troubles' },
  'webhook.enabled': { ends: 'webhook.disabled', preset: 'troubles' },
} as const satisfies Readonly<Record<OperationType, AlertNews>>;

/** Members that a later version adds pass. */
export type DataOf<Type extends OperationType> = Tolerant<z.output<(typeof OPERATION_DATA)[Type]['data']>>;

/** What the sentence of an operational event is made of. */
export interface OperationNews<Type extends OperationType> {
  readonly data: DataOf<Type>;
  readonly language: Language;
  /** Values of places that stand in many sentences. */
  readonly common: Filled<
    | 'ofConnection'
    | 'onConnection'
    /** `timesheets`, and with their date `timesheets of Fri 13 Nov`. */
    | 'records'
    /** The same; of several connections, `timesheets of main`. */
    | 'list'
    | 'service'
    /** When it was published, as `momentOf` says it. */
    | 'seen'
    | 'command'
  >;
  readonly timeContext: MessageTimeContext;
  /** `10:01`, or with its day. */
  readonly momentOf: (instant: string) => string;
  /** `at 10:01`. */
  readonly timeOf: (instant: string) => string;
}

type Said = Language['operations']['says'];

/** How a type reads in an alert, with the texts of its table. */
interface OperationWords<Type extends OperationType> {
  /** The whole sentence without its full stop. */
  readonly sentence: (news: OperationNews<Type>, says: Said[Type]) => string;
  /** For those who pay: a heading with what it means for them, and what follows it. They read no cause. */
  readonly forPay?: (news: OperationNews<Type>, says: Said[Type]) => SaidForPay;
}

/** A heading, what follows it, and the heading where there is less room. */
export interface SaidForPay {
  readonly heading: string;
  readonly facts: string;
  readonly brief: string;
}

/** What an operator calls, in any language. */
export const DOCTOR = 'npm run notifier -- doctor';

/** Fields or records that one sentence names. */
const MAX_NAMED = 5;

/** The source rejects the credential; waiting does not help. */
const REFUSALS: readonly string[] = ['source_unauthorised', 'source_forbidden'];

/** How each type about the notifier's own operation reads in an alert. */
export const OPERATION_WORDS: { readonly [Type in OperationType]: OperationWords<Type> } = {
  'baseline.progressed': {
    sentence: ({ data: { datesRead, dates, records: count }, common, language }, says) =>
      say(says.sentence, {
        ...common,
        read: formatNumber(datesRead, language),
        of: formatNumber(dates, language),
        n: formatNumber(count, language),
      }),
  },
  'baseline.completed': {
    sentence: ({ data: { records: count, from, to }, common, timeContext, language }, says) => {
      const dates =
        isDate(from) && isDate(to) ? say(says.dates, { dates: formatDates(from, to, timeContext) }) : '';
      return say(says.sentence, { ...common, n: formatNumber(count, language), dates });
    },
  },
  'source.unreachable': {
    sentence: ({ data: { failingSince, failedPolls, reason }, common, momentOf, language }, says) =>
      say(says.sentence, {
        ...common,
        since: momentOf(failingSince),
        why: REFUSALS.includes(reason ?? '') ? says.refused : says.unusable,
        polls: sayCount(language.operations.polls, failedPolls, language),
        code: reason === null ? '' : `: ${cleanText(reason)}`,
      }),
    forPay: ({ data, common, momentOf }, { forPay }) =>
      sayForPay(forPay, { ...common, since: momentOf(data.failingSince) }),
  },
  'source.recovered': {
    sentence: ({ data: { unreachableSince, failedPolls }, common, momentOf, language }, says) =>
      say(says.sentence, {
        ...common,
        since: momentOf(unreachableSince),
        polls: sayCount(language.operations.polls, failedPolls, language),
      }),
    forPay: ({ data, common, momentOf }, { forPay }) =>
      sayForPay(forPay, { ...common, since: momentOf(data.unreachableSince) }),
  },
  'record.quarantined': {
    sentence: ({ data, common, language }, says) => {
      const { listedTwice } = data;
      const issues = listNamed(data.issues.map(cleanText), language);
      const named = say(listedTwice ? says.different : says.invalid, { issues });
      return say(listedTwice ? says.listedTwice : says.sentence, {
        ...common,
        record: nameBadRecord(data, language),
        issues: data.issues.length === 0 ? '' : named,
      });
    },
  },
  'record.readable': {
    sentence: ({ data, common, momentOf, language }, says) =>
      say(says.sentence, {
        ...common,
        record: nameBadRecord(data, language),
        since: momentOf(data.since),
      }),
  },
  'slice.shrunk': {
    sentence: ({ data, common, language }, says) => {
      const [missing, known] = [data.missing, data.known].map((each) => formatNumber(each, language));
      return say(says.sentence, { ...common, missing: missing ?? '', known: known ?? '' });
    },
  },
  'slice.whole': { sentence: saySince },
  'poll.stalled': {
    sentence: ({ data, common, momentOf }, says) =>
      say(says.sentence, { ...common, since: momentOf(data.completedAt) }),
  },
  'poll.resumed': {
    sentence: ({ data, common, momentOf }, says) =>
      say(says.sentence, { ...common, since: momentOf(data.stalledSince) }),
  },
  'slice.unreadable': {
    sentence: ({ data, common, momentOf, timeOf, language }, says) =>
      say(says.sentence, {
        ...common,
        since: momentOf(data.since),
        attempts: sayCount(language.operations.attempts, data.attempts, language),
        reason: cleanText(data.reason),
        at: timeOf(data.nextTryAt),
      }),
    forPay: sayForPaySince,
  },
  'slice.readable': {
    sentence: ({ data, common, momentOf, language }, says) =>
      say(says.sentence, {
        ...common,
        since: momentOf(data.since),
        attempts: sayCount(language.operations.attempts, data.attempts, language),
      }),
    forPay: sayForPaySince,
  },
  'feed.lagging': {
    sentence: ({ data: { since, worst }, common, momentOf, language }, says) => {
      const { classes, lateBy } = language.operations;
      const lags = worst.map((lag) => {
        const duration = formatDuration(lag.lateSeconds, language);
        return say(lateBy, {
          dates: findEntry<string>(classes, lag.class) ?? cleanText(lag.class),
          duration,
        });
      });
      const named = lags.length === 0 ? '' : `: ${lags.join(', ')}`;
      return say(says.sentence, { ...common, since: momentOf(since), lags: named });
    },
    forPay: ({ data: { since, worst }, common, momentOf, language }, { forPay }) => {
      const late = Math.max(0, ...worst.map(({ lateSeconds }) => lateSeconds));
      const by = late === 0 ? '' : say(forPay.by, { duration: formatDuration(late, language) });
      return sayForPay(forPay, { ...common, since: momentOf(since), by });
    },
  },
  'feed.caught_up': { sentence: saySince, forPay: sayForPaySince },
  'feed.complete': {
    sentence: ({ data: { through, except }, common, momentOf, language }, says) => {
      const at = (through.window ?? through.payPeriods)?.at ?? null;
      const but = except.length === 0 ? '' : sayCount(says.except, except.length, language);
      const values = { ...common, except: but };
      return at === null
        ? say(says.uncertain, values)
        : say(says.sentence, { ...values, moment: momentOf(at) });
    },
  },
  'slice.mass_change': {
    sentence: (news, says) => say(says.sentence, describeMassChange(news)),
    forPay: (news, { forPay }) => sayForPay(forPay, describeMassChange(news)),
  },
  'source.form_changed': {
    sentence: ({ data, common, momentOf, language }, says) =>
      say(says.sentence, {
        ...common,
        since: momentOf(data.since),
        bad: formatNumber(data.bad, language),
        all: formatNumber(data.records, language),
        fields: describeFields(data.fields, language),
      }),
    forPay: ({ data, common, momentOf }, { forPay }) => {
      const said = sayForPay(forPay, { ...common, since: momentOf(data.since) });
      return { ...said, facts: capitalize(said.facts) };
    },
  },
  'source.form_restored': { sentence: saySince, forPay: sayForPaySince },
  'publish.failed': {
    sentence: ({ data: { reason, events, records, committedAt }, common, timeOf, language }, says) => {
      const whose = records.length === 0 ? '' : ` (${listNamed(records.map(cleanText), language)})`;
      return say(reason === 'expired' ? says.expired : says.sentence, {
        ...common,
        events: events === 0 ? says.noEvents : sayCount(says.events, events, language),
        whose,
        at: timeOf(committedAt),
      });
    },
    forPay: ({ data: { events, records, committedAt }, common, timeOf, language }, { forPay }) => {
      const { list } = common;
      const which = records.length === 0 ? '' : `: ${listNamed(records.map(cleanText), language)}`;
      const heading =
        events === 0 ? say(forPay.noChanges, { list }) : sayCount(forPay.heading, events, language, { list });
      return sayForPay({ heading, facts: forPay.facts }, { ...common, at: timeOf(committedAt), which });
    },
  },
  'delivery.failed': {
    sentence: ({ data, language }, says) => {
      const values = { ...nameDelivery(data), reason: cleanText(data.reason) };
      return data.attempts === 0
        ? say(says.untried, values)
        : sayCount(says.sentence, data.attempts, language, values);
    },
  },
  'delivery.recovered': {
    sentence: ({ data, momentOf }, says) =>
      say(says.sentence, { ...nameDelivery(data), at: momentOf(data.failedAt) }),
  },
  'webhook.disabled': {
    sentence: ({ data }, says) =>
      say(says.sentence, { webhook: cleanText(data.webhook), reason: cleanText(data.reason) }),
  },
  'webhook.enabled': {
    sentence: ({ data, momentOf }, says) =>
      say(says.sentence, { webhook: cleanText(data.webhook), since: momentOf(data.disabledAt) }),
  },
};

type Since = Pick<OperationNews<OperationType>, 'common' | 'momentOf'> & {
  readonly data: { readonly since: string };
};

function saySince<Place extends string>(
  { data, common, momentOf }: Since,
  { sentence }: { readonly sentence: Text<Place> },
): string {
  return say<string>(sentence, { ...common, since: momentOf(data.since) });
}

function sayForPaySince({ data, common, momentOf }: Since, says: { readonly forPay: SaidForPay }) {
  return sayForPay(says.forPay, { ...common, since: momentOf(data.since) });
}

function sayForPay(
  { heading, facts, brief = heading }: Omit<SaidForPay, 'brief'> & Partial<SaidForPay>,
  values: Filled<string>,
): SaidForPay {
  return { heading: say(heading, values), facts: say(facts, values), brief: say(brief, values) };
}

function describeMassChange({ data, common, timeOf, language }: OperationNews<'slice.mass_change'>) {
  const { losses, lost } = language.operations;
  return {
    ...common,
    lost: formatNumber(data.records, language),
    known: formatNumber(data.known, language),
    what: findEntry<string>(losses, data.field) ?? say(lost, { field: cleanCode(data.field) }),
    seen: timeOf(data.firstSeenAt),
    confirmed: timeOf(data.confirmedAt),
  };
}

/** `timesheets`, `pay periods`; of a date, `timesheets of Fri 13 Nov`. */
export function nameRecordsOn(
  { feed, slice }: { readonly feed: string; readonly slice: string },
  timeContext: MessageTimeContext,
): string {
  const { lists, listOfDay } = languageOf(timeContext).operations;
  const list = findEntry<string>(lists, feed) ?? cleanText(feed.replaceAll('-', ' '));
  return isDate(slice) ? say(listOfDay, { list, day: formatDay(slice, timeContext) }) : list;
}

function nameBadRecord(
  { feed, recordId }: { readonly feed: string; readonly recordId: string | null },
  { operations: { records } }: Language,
): string {
  const { named, unnamed } = findEntry<typeof records.other>(records, feed) ?? records.other;
  return recordId === null ? unnamed : say(named, { id: cleanText(recordId) });
}

function describeFields(fields: DataOf<'source.form_changed'>['fields'], language: Language): string {
  if (fields.length === 0) return '';
  const { fieldIs, or } = language.operations;
  const named = fields.map(({ field, kinds }) => {
    const came = kinds.map(cleanText).join(or);
    return came === '' ? cleanCode(field) : say(fieldIs, { field: cleanCode(field), kinds: came });
  });
  return ` (${listNamed(named, language)})`;
}

function nameDelivery({
  webhook,
  eventType,
  eventId,
}: Pick<DataOf<'delivery.failed'>, 'webhook' | 'eventType' | 'eventId'>) {
  const type = cleanCode(eventType.replace(/^workforce\./, ''));
  return { webhook: cleanText(webhook), type, id: cleanText(eventId) };
}

/** `a, b, c, d, e, 2 more`. */
function listNamed(all: readonly string[], language: Language): string {
  const more = all.length - MAX_NAMED;
  const rest = more > 0 ? [sayCount(language.forms.more, more, language)] : [];
  return [...all.slice(0, MAX_NAMED), ...rest].join(', ');
}
