import type { ChannelMessage } from '#shared/people/alert.ts';
import type { SealedMessage } from '#shared/people/flow/collection.ts';
import type { Delivered } from '../breadth/delivered.ts';
import type { ToldPeople } from '../breadth/people.ts';
import type { History } from '../history.ts';
import type { Violation } from './evidence.ts';

interface Settled {
  readonly late: readonly string[];
}

interface Left {
  readonly unapproved: number;
  readonly unprocessed: number;
}

interface Statement extends Left {
  readonly stage: string;
  readonly corrects?: boolean;
  /** What the statement before it left. */
  readonly previous: Left | null;
  readonly sinceClose: { readonly changes: readonly unknown[] };
}

/** The members of a published event that are checked. */
interface Published {
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly subject?: string;
  readonly epoch: string;
  readonly sequence: number;
  readonly time: string;
  readonly data: {
    readonly kind?: string;
    readonly since?: string;
    readonly late?: readonly string[];
    readonly settles?: readonly Settled[];
    readonly reminder?: object | null;
    readonly statement?: Statement;
  };
}

const RECORD = /\.(?:timesheet|pay_period)\./;

/** An endpoint gets each event once; events that it never accepted are published as failed. */
export function judgeDelivered(history: History, delivered: Delivered): Violation[] {
  const published = distinct(history.journal.publications.map(({ text }) => text)).filter(({ type }) =>
    RECORD.test(type),
  );
  const taken = delivered.taken.map(read);
  const givenUp = new Set(delivered.givenUp.map((text) => read(text).id));
  const times = countsOf(taken.map(({ id }) => id));
  const told = countsOf(delivered.toldFailed);
  const copies = countsOf(delivered.queued.map((text) => read(text).id));
  const problems = published.flatMap(({ id, type, subject, sequence }) => {
    const name = `${subject} ${sequence} ${type}`;
    const got = times.get(id) ?? 0;
    if (got > 1) return [`the endpoint took ${name} ${got} times`];
    if (got === 1) return [];
    if (!givenUp.has(id)) return [`lost: the endpoint never got ${name}`];
    // Each copy is given up on its own.
    const tellings = told.get(id) ?? 0;
    return tellings >= 1 && tellings <= (copies.get(id) ?? 0)
      ? []
      : [`${name} was given up and told ${tellings} times`];
  });
  return problems.map((text) => ({ check: 'protocol', text }));
}

/** Types that a channel is told of by default, whenever they come. */
const ALWAYS = new Set(['workforce.pay_period.closed', 'workforce.pay_period.reopened']);
/** Of troubles those that mean something for pay. */
const TROUBLE = 'workforce.trouble.';
const FOR_PAY = new Set([
  'source_unreachable',
  'dates_unreadable',
  'dates_doubtful',
  'feed_late',
  'publish_failed',
]);
/** By default a reminder; nobody has asked for daily summaries. */
const READINESS = 'workforce.pay_period.readiness';
/** What stood at a closing is told with the closing. */
const STATEMENT = 'workforce.pay_period.statement';
/** Processing is final itself. */
const NEVER_LATE = 'workforce.timesheet.processed';

/** People get one alert for each event that a channel is told of by default, including endings, and no others. */
export function judgeToldPeople(history: History, { finished, sent }: ToldPeople): Violation[] {
  const events = distinct(history.journal.publications.map(({ text }) => text));
  const due = new Map(events.filter(isDue).map((event) => [event.id, event]));
  const told = countsOf(finished.flatMap(({ alertIds }) => alertIds));
  const untold = [...due].flatMap(([id, { type, subject, sequence }]) => {
    const times = told.get(id) ?? 0;
    return times === 1 ? [] : [`people were told ${times} times of ${type} ${subject ?? ''} ${sequence}`];
  });
  const unasked = [...told.keys()].filter((id) => !due.has(id));
  const problems = [
    ...untold,
    ...unasked.map((id) => `people were told of ${id} without a rule`),
    ...finished
      .flatMap((sealed) => wrongMessage(sealed, sent, due))
      .filter((text) => !isOfTwoTables(text, history)),
  ];
  return problems.map((text) => ({ check: 'protocol', text }));
}

/** News of a restored table repeat some of the first one in a later epoch: a message may say both in one line, or in two. */
function isOfTwoTables(text: string, { settings }: History): boolean {
  return settings.renewal !== null && text.startsWith('a message of ');
}

/** A message was sent, and says something of each timesheet and of each other event. */
function wrongMessage(
  { message, alertIds }: SealedMessage,
  sent: ToldPeople['sent'],
  due: ReadonlyMap<string, Published>,
): string[] {
  const left = message === null ? null : sent.get(message.id);
  if (left === undefined) return [`message ${message?.id} never left`];
  const said = left === null ? 0 : countSaid(listSaid(left)) + left.more;
  const told = alertIds.filter((id) => !isClosedLater(due.get(id), alertIds, due));
  const things = new Set(told.map((id) => toThing(id, due.get(id)))).size;
  const sentences = new Set(told.map((id) => toSentence(id, due.get(id)))).size;
  // One period alone has its departments on lines of their own.
  const isOnePeriod = things === 1 && alertIds.every((id) => due.get(id)?.type === READINESS);
  // Of lines without room nobody sees which troubles of several lists are one.
  const merged = left !== null && left.more > 0 ? told.filter((id) => isTrouble(due.get(id))).length : 0;
  const isWhole = sentences - Math.max(0, merged - 1) <= said && said <= things;
  return isOnePeriod || isWhole ? [] : [`a message of ${things} things says ${said}`];
}

/** News of a pay period, below which stand timesheets that waited for it; of how far one is, there are departments. */
const NEWS_OF_PERIOD = /^Pay period (?!.*(?: closes | was to close | is open))/;

/** Texts that say something of a thing of their own: other lines below a line say more of the same thing. */
function listSaid({ title, lines, inner = [] }: ChannelMessage): string[] {
  if (lines.length === 0) return [title];
  const outer = lines.map((_, at) => lines.slice(0, at + 1).findLast((__, place) => inner[place] !== true));
  const said = lines.filter((_, at) => inner[at] !== true || NEWS_OF_PERIOD.test(outer[at] ?? ''));
  return NEWS_OF_PERIOD.test(title) ? [title, ...said] : said;
}

/** What is said of several feeds in one line that counts once. */
function isTrouble(event: Published | undefined): boolean {
  return event?.type.startsWith(TROUBLE) === true;
}

/** The closing of a period in the same message says more than a reminder before it. */
function isClosedLater(
  event: Published | undefined,
  alertIds: readonly string[],
  due: ReadonlyMap<string, Published>,
): boolean {
  if (event?.type !== READINESS) return false;
  return alertIds.some((id) => {
    const other = due.get(id);
    const isOfPeriod = other?.source === event.source && other.subject === event.subject;
    return isOfPeriod && other.type === 'workforce.pay_period.closed' && other.sequence > event.sequence;
  });
}

/** What a line of its own is for: a timesheet with all that happened to it, or one other event. */
function toThing(id: string, event: Published | undefined): string {
  const isMerged = event?.type.startsWith('workforce.timesheet.') === true || event?.type === READINESS;
  return isMerged ? `${event.source} ${event.subject}` : id;
}

/** What began twice in the same minute is told in the same words, which stand there once. */
function toSentence(id: string, event: Published | undefined): string {
  if (!isTrouble(event)) return toThing(id, event);
  const [since, seen] = [event?.data.since, event?.time].map((instant) =>
    instant?.slice(0, MINUTE_CHARACTERS),
  );
  const isEnd = event?.type.endsWith('.ended') === true;
  return `${event?.type} ${event?.data.kind} ${event?.subject} ${since} ${isEnd ? seen : ''}`;
}

/** Of an instant up to its minute. */
const MINUTE_CHARACTERS = 'YYYY-MM-DDTHH:MM'.length;

const DEPARTMENTS =
  /^(?:(?:Department \S+|No department|\d+ other departments?): (?=\d)|(?=\d+ more$))(?<count>\d+) /;

const LISTS =
  /^(?:We (?:cannot )?see|Changes of|The|[\d,]+ of the) (?<lists>.+?) (?:again since|since|are|could) /;

/** A line about a department says of how many timesheets it speaks, one about an outage names its lists. */
function countSaid(lines: readonly string[]): number {
  const counts = lines.map((line) => {
    const lists = LISTS.exec(line)?.groups?.lists;
    return lists?.split(/, | and /).length ?? Number(DEPARTMENTS.exec(line)?.groups?.count ?? 1);
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

function isDue({ type, data }: Published): boolean {
  if (type.startsWith(TROUBLE)) return FOR_PAY.has(data.kind ?? '');
  if (ALWAYS.has(type)) return true;
  if (type === READINESS) return data.reminder !== null;
  // What was told as wrong is told as settled.
  if (type === NEVER_LATE) return data.settles?.some(({ late }) => isFinal(late)) === true;
  if (type === STATEMENT) return data.statement !== undefined && hasNews(data.statement);
  return type.startsWith('workforce.timesheet.') && isFinal(data.late ?? []);
}

/** People who heard of the closing hear of a final statement when something changed, or something was or is left to do. */
function hasNews({ stage, corrects, previous, sinceClose, unapproved, unprocessed }: Statement): boolean {
  if (corrects === true) return true;
  if (stage !== 'final') return false;
  if (previous === null || sinceClose.changes.length > 0) return true;
  return unprocessed > 0 || previous.unprocessed > 0 || previous.unapproved !== unapproved;
}

function isFinal(late: readonly string[]): boolean {
  return late.some((each) => each === 'processing' || each === 'close');
}

function distinct(texts: readonly string[]): Published[] {
  return [...new Map(texts.map(read).map((event) => [event.id, event])).values()];
}

function read(text: string): Published {
  return JSON.parse(text) as Published;
}

function countsOf(ids: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
