import type * as z from 'zod';
import { type Language, languageOf, sayCount } from '../../languages/language.ts';
import { findEntry, say } from '../../languages/text.ts';
import { isDate } from '../dates.ts';
import type { OperationType } from '../event-types.ts';
import type { TroubleKind } from '../events/trouble.ts';
import { cleanCode, cleanText } from '../messages/clean-text.ts';
import { formatDates, formatDay, formatMoment } from '../messages/moments.ts';
import { formatNumber } from '../messages/numbers.ts';
import { type Audience, nameService, toTimeContext } from '../messages/record-events.ts';
import type { Tolerant } from '../tolerant.ts';
import type { AlertNews } from './event-definition.ts';
import type { OPERATION_DATA } from './operation-data.ts';

/** How alerts treat each type about the notifier's own operation. */
export const OPERATION_NEWS = {
  'baseline.completed': {},
  'feed.complete': {},
  'trouble.began': { preset: 'troubles' },
  'trouble.ended': { preset: 'troubles' },
} as const satisfies Readonly<Record<OperationType, AlertNews>>;

/** Kinds of trouble that mean something for those who pay: the others are for operations. */
export const TROUBLES_FOR_PAY: readonly TroubleKind[] = [
  'source_unreachable',
  'dates_unreadable',
  'dates_doubtful',
  'feed_late',
  'publish_failed',
];

/** Members that a later version adds pass. */
type DataOf<Type extends OperationType> = Tolerant<z.output<(typeof OPERATION_DATA)[Type]['data']>>;

/** The members of an operational event that its words need. */
export type OperationEvent = {
  [Type in OperationType]: {
    readonly type: `workforce.${Type}`;
    readonly connection: string;
    readonly time: string;
    readonly data: DataOf<Type>;
  };
}[OperationType];
type EventOf<Type extends OperationType> = Extract<OperationEvent, { readonly type: `workforce.${Type}` }>;
type TroubleEvent = EventOf<'trouble.began' | 'trouble.ended'>;

/** A heading, and what follows it, without full stops. */
export interface Said {
  readonly heading: string;
  readonly facts: string;
}

/** How an event about the notifier's own operation reads. */
export function describeOperation(event: OperationEvent, audience: Audience): Said {
  switch (event.type) {
    case 'workforce.baseline.completed':
      return describeBaseline(event, audience);
    case 'workforce.feed.complete':
      return describeComplete(event, audience);
    case 'workforce.trouble.began':
    case 'workforce.trouble.ended':
      return describeTrouble(event, audience);
  }
}

function describeBaseline(event: EventOf<'baseline.completed'>, audience: Audience): Said {
  const language = languageOf(audience);
  const { heading, facts, dates } = language.operations.watched;
  const { records, from, to } = event.data;
  const isDated = isDate(from) && isDate(to);
  const range = isDated ? formatDates(from, to, toTimeContext(event.time, audience)) : '';
  const said = say(heading, { list: nameList(event, audience) });
  const n = formatNumber(records, language);
  const values = { n, dates: isDated ? say(dates, { dates: range }) : '' };
  return { heading: said, facts: say(facts, values) };
}

function describeComplete(event: EventOf<'feed.complete'>, audience: Audience): Said {
  const language = languageOf(audience);
  const { heading, facts, uncertain, except } = language.operations.complete;
  const { through, except: exceptions } = event.data;
  const at = (through.window ?? through.payPeriods)?.at ?? null;
  const but = exceptions.length === 0 ? '' : sayCount(except, exceptions.length, language);
  const said = say(heading, { list: nameList(event, audience) });
  const text =
    at === null
      ? say(uncertain, { except: but })
      : say(facts, { moment: momentOf(at, event, audience), except: but });
  return { heading: said, facts: text };
}

/** The texts of a kind of trouble. */
type TroubleTexts = Readonly<Record<'began' | 'ended', Readonly<Record<keyof Said, string>>>>;

/** What began or ended, and for those who look after the notifier also why, and what to do. */
function describeTrouble(event: TroubleEvent, audience: Audience): Said {
  const language = languageOf(audience);
  const { cause, troubles } = language.operations;
  const { type, data, time } = event;
  const ofKind = findEntry<TroubleTexts>(troubles, data.kind) ?? troubles.other;
  const texts = ofKind[type === 'workforce.trouble.began' ? 'began' : 'ended'];
  const about = cleanText(data.about.at(-1) ?? '');
  const values = {
    list: nameList(event, audience),
    since: momentOf(data.since, event, audience),
    seen: momentOf(time, event, audience),
    service: nameService(audience),
    webhook: shortenName(data.about[0] ?? ''),
    about,
    record: say<string>(findEntry<string>(language.operations.records, data.feed ?? '') ?? '{id}', {
      id: about,
    }),
    kind: cleanCode(data.kind),
    n: type === 'workforce.trouble.began' ? formatNumber(data.count, language) : '',
  };
  const [heading, facts] = [texts.heading, texts.facts].map((text) => say<string>(text, values));
  const said = { heading: heading ?? '', facts: facts ?? '' };
  if (type === 'workforce.trouble.ended' || audience.isForPay === true) return said;
  const why = { facts: said.facts, cause: cleanCode(data.cause), action: data.action };
  return { ...said, facts: say(cause, why).replace(/\.$/, '') };
}

function momentOf(instant: string, { time }: OperationEvent, audience: Audience): string {
  return formatMoment(Date.parse(instant), toTimeContext(time, audience));
}

/** `timesheets of Fri 13 Nov`; of several connections, `timesheets of main`. Empty for an event about a webhook. */
export function nameList(
  event: Pick<OperationEvent, 'connection' | 'data' | 'time'>,
  audience: Audience,
): string {
  const { list } = nameUnread(event, audience);
  if (list === '' || audience.namesConnection === false) return list;
  return say(languageOf(audience).operations.listOf, { list, connection: shortenName(event.connection) });
}

/** The same without the connection; of one date, also the whole list and the day. */
export function nameUnread(
  { data, time }: Pick<OperationEvent, 'data' | 'time'>,
  audience: Audience,
): { readonly list: string; readonly dated?: { readonly list: string; readonly day: string } } {
  if (data.feed === null) return { list: '' };
  const timeContext = toTimeContext(time, audience);
  const list = nameFeed(data.feed, languageOf(timeContext));
  const [date, ...others] = 'about' in data ? data.about : [];
  if (date === undefined || others.length > 0 || !isDate(date)) return { list };
  const day = formatDay(date, timeContext);
  return { list: say(languageOf(timeContext).operations.listOfDay, { list, day }), dated: { list, day } };
}

/** `pay periods`. */
export function nameFeed(feed: string, { operations }: Language): string {
  return findEntry<string>(operations.lists, feed) ?? cleanText(feed.replaceAll('-', ' '));
}

const MAX_NAME_CHARACTERS = 24;

function shortenName(text: string): string {
  const name = cleanText(text);
  return name.length <= MAX_NAME_CHARACTERS ? name : `${name.slice(0, MAX_NAME_CHARACTERS - 3)}...`;
}
