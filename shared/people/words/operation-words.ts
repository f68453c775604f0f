import type * as z from 'zod';
import { isDate } from '../../core/dates.ts';
import type { AlertNews } from '../../core/definitions/event-definition.ts';
import type { OPERATION_DATA } from '../../core/definitions/operation-data.ts';
import type { OperationType } from '../../core/event-types.ts';
import type { Tolerant } from '../../core/tolerant.ts';
import type { TroubleKind } from '../../core/trouble-kinds.ts';
import { cleanCode, cleanText } from '../messages/clean-text.ts';
import { formatDates, formatDay, formatMoment } from '../messages/moments.ts';
import { formatCount, formatNumber } from '../messages/numbers.ts';
import { type Audience, nameService, toTimeContext } from '../messages/record-events.ts';
import { findEntry } from '../messages/wording.ts';

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
  const { records, from, to } = event.data;
  const isDated = isDate(from) && isDate(to);
  const dates = isDated ? ` of ${formatDates(from, to, toTimeContext(event.time, audience))}` : '';
  return {
    heading: `The ${nameList(event, audience)} are now watched`,
    facts: `Every change to them (${formatNumber(records)}${dates}) is reported from now on`,
  };
}

function describeComplete(event: EventOf<'feed.complete'>, audience: Audience): Said {
  const { through: at, except: exceptions } = event.data;
  const but = exceptions.length === 0 ? '' : `, with ${formatCount(exceptions.length, 'exception')}`;
  const said = `The ${nameList(event, audience)} are published completely`;
  const text =
    at === null
      ? `Nothing is certain${but}`
      : `Everything until ${momentOf(at, event, audience)} is published${but}`;
  return { heading: said, facts: text };
}

/** What the texts about a trouble name. */
interface Named {
  /** `timesheets of Fri 13 Nov`. */
  readonly list: string;
  readonly since: string;
  readonly seen: string;
  readonly service: string;
  readonly webhook: string;
  readonly about: string;
  /** `Timesheet 1001_1`. */
  readonly record: string;
  readonly kind: string;
  /** How many; empty when it ended. */
  readonly n: string;
  /** It names one record. */
  readonly isOne: boolean;
}

type SaysTrouble = Readonly<Record<'began' | 'ended', (named: Named) => Said>>;

const sayUnseen =
  (facts: string) =>
  ({ list, since }: Named) => ({
    heading: `We cannot see ${list} since ${since}`,
    facts,
  });

function saySeenAgain({ list, since, seen }: Named): Said {
  return {
    heading: `We see ${list} again since ${seen}`,
    facts: `We could not since ${since}. What changed meanwhile is told now, and figures are up to date again`,
  };
}

const TROUBLES: Readonly<Record<TroubleKind, SaysTrouble>> = {
  source_unreachable: {
    began: sayUnseen("Do not rely on today's figures until we say so. Nothing gets lost"),
    ended: saySeenAgain,
  },
  dates_unreadable: {
    began: sayUnseen(
      'Do not rely on figures that include them until we say so. Nothing gets lost, and everything else is up to date',
    ),
    ended: saySeenAgain,
  },
  records_unreadable: {
    began: ({ list, since, record, n, isOne }) => ({
      heading: `We cannot read ${isOne ? 'one' : n} of the ${list} since ${since}`,
      facts: isOne
        ? `${record} keeps its last known state until we can`
        : 'They keep their last known state until we can',
    }),
    ended: ({ list, since, seen, record, isOne }) => ({
      heading: `We read ${isOne ? 'one' : 'all'} of the ${list} again since ${seen}`,
      facts: `${isOne ? record : 'Some'} could not be read since ${since}`,
    }),
  },
  dates_doubtful: {
    began: ({ list, since, n }) => ({
      heading: `${n} of the ${list} are in doubt since ${since}`,
      facts:
        'So many changed at once that we look again before we report it. Do not rely on figures that include them until we say so',
    }),
    ended: ({ list, since, seen }) => ({
      heading: `The ${list} are certain again since ${seen}`,
      facts: `They had been in doubt since ${since}. What did change is reported now`,
    }),
  },
  feed_late: {
    began: ({ list, since }) => ({
      heading: `Changes of ${list} are seen late since ${since}`,
      facts: 'Figures can be behind until we say so. Nothing gets lost',
    }),
    ended: ({ list, since, seen }) => ({
      heading: `Changes of ${list} are seen in time again since ${seen}`,
      facts: `They had been late since ${since}`,
    }),
  },
  publish_failed: {
    began: ({ list, since, service }) => ({
      heading: `Changes of ${list} could not be passed on`,
      facts: `Neither people nor systems are told of what was seen at ${since}; look it up in ${service}`,
    }),
    ended: ({ list, since, seen }) => ({
      heading: `Changes of ${list} are passed on again since ${seen}`,
      facts: `What was lost at ${since} is not told again`,
    }),
  },
  delivery_failed: {
    began: ({ webhook, about }) => ({
      heading: `The webhook ${webhook} did not accept an event`,
      facts: `The event ${about} was given up, and is in the dead-letter queue`,
    }),
    ended: ({ webhook, about, since }) => ({
      heading: `The webhook ${webhook} accepted an event after all`,
      facts: `The event ${about} had been given up at ${since}`,
    }),
  },
  webhook_disabled: {
    began: ({ webhook }) => ({
      heading: `The webhook ${webhook} is disabled and gets no more events`,
      facts: 'It asked for that',
    }),
    ended: ({ webhook, since }) => ({
      heading: `The webhook ${webhook} gets events again`,
      facts: `It had been disabled since ${since}. What it missed is in its dead-letter queue`,
    }),
  },
};

/** Of a kind that a later version adds. */
const OTHER_TROUBLE: SaysTrouble = {
  began: ({ kind, since }) => ({ heading: `Trouble: ${kind}`, facts: `It began at ${since}` }),
  ended: ({ kind, since }) => ({ heading: `Over: ${kind}`, facts: `It had begun at ${since}` }),
};

/** What began or ended, and for those who look after the notifier also why, and what to do. */
function describeTrouble(event: TroubleEvent, audience: Audience): Said {
  const { type, data, time } = event;
  const began = type === 'workforce.trouble.began';
  const about = cleanText(data.about.at(-1) ?? '');
  const says = findEntry<SaysTrouble>(TROUBLES, data.kind) ?? OTHER_TROUBLE;
  const said = says[began ? 'began' : 'ended']({
    list: nameList(event, audience),
    since: momentOf(data.since, event, audience),
    seen: momentOf(time, event, audience),
    service: nameService(audience),
    webhook: shortenName(data.about[0] ?? ''),
    about,
    record: nameRecordOf(data.feed ?? '', about) ?? about,
    kind: cleanCode(data.kind),
    n: began ? formatNumber(data.count) : '',
    isOne: data.about.length === 1,
  });
  if (!began || audience.isForPay === true) return said;
  const why = `${said.facts}. Cause: ${cleanCode(data.cause)}. ${data.action}`;
  return { ...said, facts: why.replace(/\.$/, '') };
}

const RECORDS = {
  timesheets: 'Timesheet',
  'pay-periods': 'Pay period',
  employees: 'Employee',
  departments: 'Department',
};

/** `Timesheet 1001_1`, of an id that is clean; undefined of an unknown feed. */
export function nameRecordOf(feed: string, id: string): string | undefined {
  const kind = findEntry(RECORDS, feed);
  return kind === undefined ? undefined : `${kind} ${id}`;
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
  return `${list} of ${shortenName(event.connection)}`;
}

/** The same without the connection; of one date, also the whole list and the day; of a silent source, the source. */
export function nameUnread(
  { data, time }: Pick<OperationEvent, 'data' | 'time'>,
  audience: Audience,
): { readonly list: string; readonly dated?: { readonly list: string; readonly day: string } } {
  if (data.feed === null) return { list: '' };
  if ('kind' in data && data.kind === 'source_unreachable') return { list: nameService(audience) };
  const timeContext = toTimeContext(time, audience);
  const list = cleanText(data.feed.replaceAll('-', ' '));
  const [date, ...others] = 'about' in data ? data.about : [];
  if (date === undefined || others.length > 0 || !isDate(date)) return { list };
  const day = formatDay(date, timeContext);
  return { list: `${list} of ${day}`, dated: { list, day } };
}

const MAX_NAME_CHARACTERS = 24;

function shortenName(text: string): string {
  const name = cleanText(text);
  return name.length <= MAX_NAME_CHARACTERS ? name : `${name.slice(0, MAX_NAME_CHARACTERS - 3)}...`;
}
