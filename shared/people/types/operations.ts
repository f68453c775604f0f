import { isDate } from '../../core/dates.ts';
import type { TroubleKind } from '../../core/trouble-kinds.ts';
import { bold, type Line, type Spans } from '../message.ts';
import { cleanCode, cleanText } from '../messages/clean-text.ts';
import { formatDates, formatDay, formatMoment } from '../messages/moments.ts';
import { formatCount, formatNumber } from '../messages/numbers.ts';
import { findEntry, listAll } from '../messages/wording.ts';
import type { ForgottenEvent, OperationEvent } from '../read-events.ts';
import { nameService, type Reader, toTimeContext } from '../reader.ts';
import type { TypeEntry } from './entry.ts';

/** Kinds of trouble that mean something for those who pay: the others are for operations. */
export const TROUBLES_FOR_PAY: readonly TroubleKind[] = [
  'source_unreachable',
  'dates_unreadable',
  'dates_doubtful',
  'feed_late',
  'publish_failed',
];

type EventOf<Type extends string> = Extract<OperationEvent, { readonly type: `workforce.${Type}` }>;
export type TroubleEvent = EventOf<'trouble.began' | 'trouble.ended'>;

/** A heading, and what follows it, without full stops. */
interface Said {
  readonly heading: string;
  readonly facts: string;
}

function sayBaseline(event: EventOf<'baseline.completed'>, reader: Reader): Spans {
  const { records, from, to } = event.data;
  const isDated = isDate(from) && isDate(to);
  const dates = isDated ? ` of ${formatDates(from, to, toTimeContext(event.time, reader))}` : '';
  const said = `The ${nameLists([event], reader)} are watched from now on`;
  return [bold(said), `: ${formatNumber(records)}${dates}`];
}

function sayComplete(event: EventOf<'feed.complete'>, reader: Reader): Spans {
  const { through, except } = event.data;
  const but = except.length === 0 ? '' : `, with ${formatCount(except.length, 'exception')}`;
  const until = through === null ? 'nothing is certain' : `until ${momentOf(through, event, reader)}`;
  return [bold(`The ${nameLists([event], reader)} are published completely`), `: ${until}${but}`];
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

/** What began or ended, of one list or of several; for those who look after the notifier also why, and what to do. */
export function sayTrouble(events: readonly TroubleEvent[], reader: Reader): Said {
  const event = events[0] as TroubleEvent;
  const { type, data, time } = event;
  const began = type === 'workforce.trouble.began';
  const about = cleanText(data.about.at(-1) ?? '');
  const says = findEntry<SaysTrouble>(TROUBLES, data.kind) ?? OTHER_TROUBLE;
  const since = events.map((each) => each.data.since).sort()[0] ?? data.since;
  const said = says[began ? 'began' : 'ended']({
    list: nameLists(events, reader),
    since: momentOf(since, event, reader),
    seen: momentOf(time, event, reader),
    service: nameService(reader),
    webhook: shortenName(data.about[0] ?? ''),
    about,
    record: nameRecordOf(data.feed ?? '', about) ?? about,
    kind: cleanCode(data.kind),
    n: began ? formatNumber(events.reduce((sum, each) => sum + countOf(each), 0)) : '',
    isOne: events.length === 1 && data.about.length === 1,
  });
  if (!began || reader.isForPay === true) return said;
  const why = `${said.facts}. Cause: ${cleanCode(data.cause)}. ${data.action}`;
  return { ...said, facts: why.replace(/\.$/, '') };
}

function countOf({ data }: TroubleEvent): number {
  return 'count' in data ? data.count : 0;
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

function momentOf(instant: string, { time }: OperationEvent, reader: Reader): string {
  return formatMoment(Date.parse(instant), toTimeContext(time, reader));
}

/**
 * `timesheets of Fri 13 Nov and Sat 14 Nov`; of several connections, `timesheets of main`; of a silent source, the source.
 * Empty for an event about a webhook.
 */
function nameLists(events: readonly OperationEvent[], reader: Reader): string {
  const lists = Map.groupBy(events, ({ data }) => data.feed);
  const named = [...lists].map(([feed, own]) => nameList(feed, own, reader));
  const list = listAll([...new Set(named)]);
  const [first] = events;
  if (list === '' || reader.namesConnection === false || first === undefined) return list;
  return `${list} of ${shortenName(first.connection)}`;
}

function nameList(feed: string | null, events: readonly OperationEvent[], reader: Reader): string {
  if (feed === null) return '';
  if (events.some(({ data }) => 'kind' in data && data.kind === 'source_unreachable'))
    return nameService(reader);
  const list = cleanText(feed.replaceAll('-', ' '));
  const dates = [...new Set(events.flatMap(({ data }) => ('about' in data ? data.about : [])))].sort();
  const isDated = dates.length > 0 && dates.length <= MAX_DAYS && dates.every((each) => isDate(each));
  const time = events[0]?.time ?? '';
  return isDated
    ? `${list} of ${listAll(dates.map((date) => formatDay(date, toTimeContext(time, reader))))}`
    : list;
}

/** Days that a heading names. */
const MAX_DAYS = 3;
const MAX_NAME_CHARACTERS = 24;

function shortenName(text: string): string {
  const name = cleanText(text);
  return name.length <= MAX_NAME_CHARACTERS ? name : `${name.slice(0, MAX_NAME_CHARACTERS - 3)}...`;
}

function sayForgotten({ data, connection }: ForgottenEvent, reader: Reader): Spans {
  const of = reader.namesConnection === false ? '' : ` of connection ${cleanText(connection)}`;
  return [
    bold(`Timesheet ${cleanText(data.timesheetId)}`),
    `${of} is forgotten here, because its employee is: erase your copy of it as well`,
  ];
}

const TROUBLE = {
  tells: 'troubles',
  says: (event: TroubleEvent, reader: Reader): Spans => {
    const { heading, facts } = sayTrouble([event], reader);
    return [bold(heading), `. ${facts}`];
  },
  heading: (event: TroubleEvent, reader: Reader): string => sayTrouble([event], reader).heading,
  lines: (event: TroubleEvent, reader: Reader): Line[] => [
    { spans: [`${sayTrouble([event], reader).facts}.`] },
  ],
} as const;

export const OPERATION_ENTRIES = {
  'baseline.completed': {
    counted: ['list watched', 'lists watched'],
    says: sayBaseline,
  } satisfies TypeEntry<EventOf<'baseline.completed'>>,
  'feed.complete': {
    counted: ['list published completely', 'lists published completely'],
    says: sayComplete,
  } satisfies TypeEntry<EventOf<'feed.complete'>>,
  'trouble.began': {
    ...TROUBLE,
    counted: ['trouble', 'troubles'],
  } satisfies TypeEntry<TroubleEvent>,
  'trouble.ended': {
    ...TROUBLE,
    counted: ['trouble over', 'troubles over'],
  } satisfies TypeEntry<TroubleEvent>,
  'employee.forgotten': {
    counted: ['timesheet forgotten', 'timesheets forgotten'],
    says: sayForgotten,
  } satisfies TypeEntry<ForgottenEvent>,
};
