import type { SlackPost, Threaded } from '../breadth/threads.ts';
import type { History } from '../history.ts';
import type { Violation } from './evidence.ts';

/** The members of a published event that are checked. */
interface Published {
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly subject?: string;
  readonly epoch: string;
  readonly sequence: number;
  readonly data: {
    readonly current?: { readonly calendar?: string } | null;
    readonly observed?: { readonly by: string };
    readonly closedPeriods?: readonly { readonly id: string }[];
    readonly payPeriods?: readonly { readonly id: string }[];
    readonly statement?: { readonly stage: string; readonly hours: number };
  };
}

/** A message with its events and its posts, in order. */
interface ToldMessage {
  readonly id: string;
  readonly events: readonly Published[];
  readonly posts: readonly SlackPost[];
}

/** Lines of a head about timesheets that changed after closing. */
const MAX_CHANGED = 8;
const SINCE = /Since then:/g;
const HOURS = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

/**
 * What is told of a pay period, its reminders, closings, reopenings and statements, stands in one thread, in the order
 * in which it happened, once, and with nothing but timesheets of its own that waited for it; the head says in the end
 * how the period was told last.
 * A head that somebody deleted is followed by another one, and a message that was posted when the function died, before
 * that could be noted, may come twice.
 */
export function judgeThreads({ journal }: History, { sent, posts, unnoted }: Threaded): Violation[] {
  const events = new Map<string, Published>();
  for (const { text } of journal.publications) {
    const event = JSON.parse(text) as Published;
    if (!events.has(event.id)) events.set(event.id, event);
  }
  const byMessage = Map.groupBy(posts, ({ messageId }) => messageId);
  const messages = sent.map(({ message, alertIds }) => ({
    id: message.id,
    events: alertIds.flatMap((id) => events.get(id) ?? []),
    posts: byMessage.get(message.id) ?? [],
  }));
  const periods = Map.groupBy(messages.filter(isOfPeriod), ({ events }) => toKey(events.find(isOwn)));
  const problems = [
    ...messages.flatMap((message) => wrongPosts(message, unnoted)),
    ...[...periods].flatMap(([period, told]) => [
      ...wrongThread(told, { posts, unnoted }).map((text) => `${period}: ${text}`),
      ...wrongHead(told, messages, posts).map((text) => `the head of ${period} ${text}`),
    ]),
  ];
  return problems.map((text) => ({ check: 'protocol', text: `threads: ${text}` }));
}

function isOfPeriod({ events }: ToldMessage): boolean {
  return events.some(isOwn);
}

/** An event of a pay period itself. */
function isOwn({ type }: Published): boolean {
  return type.startsWith('workforce.pay_period.');
}

function toKey(event: Published | undefined): string {
  return `${event?.source} ${event?.subject}`;
}

/** Whether a timesheet belongs to a pay period, or changed after its closing. */
function isOf(period: Published | undefined, { source, data }: Published): boolean {
  const named = [...(data.closedPeriods ?? []), ...(data.payPeriods ?? [])];
  return (
    source.split('/')[2] === period?.source.split('/')[2] && named.some(({ id }) => id === period?.subject)
  );
}

/** A message is posted once, and what it says of a pay period is all that it says. */
function wrongPosts({ id, events, posts }: ToldMessage, unnoted: Threaded['unnoted']): string[] {
  const name = `the message of ${events.map(({ type, subject }) => `${type} ${subject}`).join(', ')}`;
  const most = 1 + (unnoted.get(id) ?? 0);
  const period = events.find(isOwn);
  const others = events.filter((event) =>
    isOwn(event) ? toKey(event) !== toKey(period) : !isOf(period, event),
  );
  return [
    ...(posts.length === 0 ? [`${name} was never posted`] : []),
    ...(posts.length > most ? [`${name} was posted ${posts.length} times, ${most} at most`] : []),
    ...(period !== undefined && others.length > 0 ? [`${name} speaks of several things`] : []),
  ];
}

/** The messages of a pay period follow its first one, in their order, and say nothing again. */
function wrongThread(told: readonly ToldMessage[], { posts, unnoted }: Omit<Threaded, 'sent'>): string[] {
  const own = told.flatMap((message) => message.posts);
  const heads = own.filter(({ threadTs }) => threadTs === null);
  const places = new Set(own.map(({ ts }) => ts));
  const strays = own.filter(({ threadTs }) => threadTs !== null && !places.has(threadTs));
  const guests = posts.filter(
    ({ ts, threadTs }) => threadTs !== null && places.has(threadTs) && !places.has(ts),
  );
  const lost = heads.filter(({ isDeleted }) => isDeleted).length;
  const twice = told.reduce((sum, { id }) => sum + (unnoted.get(id) ?? 0), 0);
  const ids = told.flatMap(({ events }) => events.map(({ id }) => id));
  return [
    ...(heads.length > 1 + lost + twice
      ? [`it has ${heads.length} threads, ${1 + lost + twice} at most`]
      : []),
    ...(strays.length > 0 ? [`${strays.length} of its posts are in the thread of something else`] : []),
    ...(guests.length > 0 ? [`${guests.length} posts of something else are in its thread`] : []),
    ...(new Set(ids).size < ids.length ? ['an event is told twice'] : []),
    ...(isInOrder(told) ? [] : ['it is not told in the order in which it happened']),
  ];
}

function isInOrder(told: readonly ToldMessage[]): boolean {
  return told.every(({ events, posts }, place) => {
    const [before] = told[place - 1]?.posts ?? [];
    const [after] = posts;
    const latest = findLatest(told[place - 1]?.events ?? []);
    const own = events.filter(isOwn);
    const isLater = latest === undefined || own.every((event) => compare(latest, event) < 0);
    const isBelow = before === undefined || after === undefined || numberOf(before) < numberOf(after);
    return isLater && isBelow;
  });
}

function numberOf({ ts }: SlackPost): number {
  return Number(ts.split('.')[1]);
}

function compare(one: Published, other: Published): number {
  if (one.epoch !== other.epoch) return one.epoch < other.epoch ? -1 : 1;
  return one.sequence - other.sequence;
}

function findLatest(events: readonly Published[]): Published | undefined {
  return events.filter(isOwn).toSorted(compare).at(-1);
}

/** The head that people see says what was told last, of this period, and which timesheets changed since it closed. */
function wrongHead(
  told: readonly ToldMessage[],
  messages: readonly ToldMessage[],
  posts: readonly SlackPost[],
): string[] {
  const last = told.at(-1);
  const latest = findLatest(last?.events ?? []);
  const post = last?.posts.at(-1);
  const head = post?.threadTs == null ? post : posts.find(({ ts }) => ts === post.threadTs);
  if (last === undefined || latest === undefined || head === undefined || head.isDeleted || head.isBehind)
    return [];
  const { heading, text } = head;
  const isDigest = head === post && last.events.length > 1;
  // A head goes by the instants at which things were seen, which a wrong clock turns around.
  const seen = told.flatMap(({ events }) => events.filter(isOwn).sort(compare).map(seenBy));
  if (seen.some((by, place) => by < (seen[place - 1] ?? ''))) return [];
  const calendar = latest.data.current?.calendar ?? '';
  return [
    ...(text.includes(calendar) ? [] : [`does not name ${calendar}`]),
    ...(isDigest || isSaid(latest, heading) ? [] : [`says ${JSON.stringify(heading)} after ${latest.type}`]),
    ...wrongChanges(text, latest, {
      earlier: messages.slice(0, messages.indexOf(last)),
      since: messages.slice(messages.indexOf(last)),
    }),
  ];
}

function seenBy({ data }: Published): string {
  return data.observed?.by ?? '';
}

/** Whether a heading says how a period is after an event. */
function isSaid({ type, data }: Published, heading: string): boolean {
  const { stage, hours = 0 } = data.statement ?? {};
  if (type.endsWith('.reopened')) return heading.includes('reopened');
  if (type.endsWith('.closed')) return /^(?:Pay|Check|Process) |closed/.test(heading);
  if (type.endsWith('.readiness')) return /^Approve |closes/.test(heading);
  if (type.endsWith('.statement') && stage === 'final') return heading.includes(`${HOURS.format(hours)} h`);
  return true;
}

/** Timesheets of this period that changed after what was told of it have a line each, and no other ones. */
function wrongChanges(
  text: string,
  latest: Published,
  {
    earlier,
    since: [last, ...later],
  }: { readonly earlier: readonly ToldMessage[]; readonly since: readonly ToldMessage[] },
): string[] {
  const isAfter = (event: Published) => !isOwn(event) && isOf(latest, event);
  const posted = later.filter(({ posts }) => posts.length > 0);
  // What was seen after it may have been told before it.
  const seenLater = earlier.flatMap(({ events }) => events).filter((event) => seenBy(event) > seenBy(latest));
  const changes = [...seenLater, ...(last?.events ?? []), ...posted.flatMap(({ events }) => events)].filter(
    isAfter,
  );
  const most = new Set(changes.map(({ subject }) => subject)).size;
  // What came together may cancel itself out, and what was seen before the closing is in it.
  const isSure = later.some(({ events: [event, other] }) => {
    const by = event === undefined ? '' : seenBy(event);
    const isLate = event?.data.closedPeriods?.some(({ id }) => id === latest.subject) === true;
    return isLate && other === undefined && isAfter(event) && by > seenBy(latest);
  });
  const lines = [...text.matchAll(SINCE)].length;
  if (lines > Math.min(most, MAX_CHANGED)) return [`tells of ${lines} changes since, of ${most}`];
  return isSure && lines === 0 ? ['does not tell of a timesheet that changed since'] : [];
}
