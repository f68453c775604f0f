import { ENGLISH, type Language, sayCount } from '#shared/languages/language.ts';
import { say } from '#shared/languages/text.ts';
import type { ChannelMessage } from '../alerts/alert.ts';
import { fillWords } from '../alerts/fill-words.ts';
import { toLocalDate } from '../core/dates.ts';
import { MAX_HEADING_CHARACTERS } from '../core/messages/heading-length.ts';
import { formatMoment } from '../core/messages/moments.ts';
import { describeNetEffect, fitNetEffect } from '../core/messages/net-effect.ts';
import { formatNumber } from '../core/messages/numbers.ts';
import type { Thread } from './thread.ts';
import { isTopicOf, listPosted, type Posted, subjectOf } from './thread-news.ts';

/** Lines about earlier messages, and about timesheets that changed after closing; the head counts the others. */
const MAX_HISTORY = 6;
const MAX_CHANGED = 8;
/** Troubles of one kind with lines of their own. */
const MAX_ITEMS = 12;

type HeadText = Pick<ChannelMessage, 'title' | 'heading' | 'lines' | 'links' | 'inner' | 'strong' | 'more'>;

/** What the head of a thread says now: the present state, and below it the earlier messages, the latest first. */
export function buildThreadHead(thread: Thread, language: Language = ENGLISH): ChannelMessage {
  const { at, timeZone } = thread.latest;
  const { url } = findOwn(thread).latest;
  return {
    id: thread.ts,
    ...buildText(thread, language),
    ...(url === undefined ? {} : { url }),
    urgent: false,
    at,
    timeZone,
  };
}

function buildText(thread: Thread, language: Language): HeadText {
  if (isTopicOf('timesheet', thread.topic)) return describeTimesheet(thread, language);
  if (isTopicOf('trouble', thread.topic)) return describeTroubles(thread, language);
  return describeLatest(thread, language);
}

interface OwnNews {
  readonly latest: Posted;
  readonly before: readonly Posted[];
  /** Of a pay period: the news of its timesheets since then. */
  readonly since: readonly Posted[];
}

/** Of a pay period that closed: its own news, apart from that of its timesheets. */
function findOwn(thread: Thread): OwnNews {
  const posted = listPosted(thread);
  const subject = subjectOf(thread.topic);
  const own = isTopicOf('period', thread.topic) ? posted.filter(({ item }) => item === subject) : posted;
  const latest = own.at(-1) ?? thread.latest;
  const since = posted.slice(posted.indexOf(latest) + 1);
  return { latest, before: own.slice(0, -1), since };
}

/** The latest sentence with what stands below it: it says the present state by itself. */
function describeLatest(thread: Thread, language: Language): HeadText {
  const { latest, before, since } = findOwn(thread);
  const { lines, links, inner, strong } = thread.details ?? { lines: [] };
  const changed = listChanged(since, language);
  const more = [...changed.slice(0, MAX_CHANGED), ...listHistory(before, thread.latest, language)];
  const fill = <Value>(values: readonly Value[] | undefined, none: Value) =>
    [...lines, ...more].map((_, at) => values?.[at] ?? none);
  return {
    title: latest.line,
    heading: latest.heading,
    lines: [...lines, ...more],
    ...(links === undefined ? {} : { links: fill(links, null) }),
    ...(inner === undefined ? {} : { inner: fill(inner, false) }),
    strong: { title: latest.strong ?? [], lines: fill<readonly string[]>(strong?.lines, []) },
    more: countOlder(thread, before) + Math.max(0, changed.length - MAX_CHANGED),
  };
}

/** `Since then: Gray 15, Mon 26 Oct: 4 to 5 h (+1), after its pay period closed.`, one line for a timesheet. */
function listChanged(since: readonly Posted[], language: Language): string[] {
  return [...Map.groupBy(since, ({ item }) => item).values()].map((of) => {
    const stories = of.flatMap(({ story }) => story ?? []);
    const effect = stories.length < of.length ? of.at(-1)?.line : describeNetEffect(stories, language);
    return say(language.threads.sinceThen, { effect: effect ?? '' });
  });
}

/** The net effect of all its news. */
function describeTimesheet(thread: Thread, language: Language): HeadText {
  const { latest, topic } = thread;
  const posted = listPosted(thread);
  const stories = posted.flatMap(({ story }) => story ?? []);
  if (posted.length === 1 || stories.length < posted.length) return describeLatest(thread, language);
  const { words = '{sentence}' } = posted[0] ?? latest;
  const connection = topic.split('#')[1] ?? '';
  return {
    title: fillWords(words, {
      sentence: describeNetEffect(stories, language),
      connection,
      type: 'timesheet',
    }),
    heading: fitNetEffect(stories, MAX_HEADING_CHARACTERS, language) ?? latest.heading,
    lines: listHistory(posted, latest, language),
    strong: { title: latest.strong ?? [], lines: [] },
    more: countOlder(thread, posted),
  };
}

/** How many are open, and the last news of each; of a single one only that. */
function describeTroubles(thread: Thread, language: Language): HeadText {
  const { threads: words } = language;
  const { latest } = thread;
  const items = [...new Map(listPosted(thread).map((each) => [each.item, each])).values()];
  const open = items.filter(({ ends }) => !ends);
  const heading =
    open.length === 0
      ? say(words.settled, { heading: latest.heading })
      : (open.at(-1)?.heading ?? latest.heading);
  if (items.length === 1) return { ...describeLatest(thread, language), heading };
  const ordered = [...open, ...items.filter(({ ends }) => ends)];
  const shown = ordered.slice(0, MAX_ITEMS);
  return {
    title: countOpen(open.length, items.length, language),
    heading,
    lines: shown.map((each) => {
      const moment = formatTime(each, latest, language);
      return say(each.ends ? words.settledAt : words.openAt, { moment, line: each.line });
    }),
    more: ordered.length - shown.length,
  };
}

function countOpen(open: number, all: number, language: Language): string {
  const { threads: words } = language;
  if (open === 0) return sayCount(words.allSettled, all, language);
  return sayCount(words.open, open, language, { all: formatNumber(all, language) });
}

function listHistory(before: readonly Posted[], latest: Posted, language: Language): string[] {
  return before
    .toReversed()
    .slice(0, MAX_HISTORY)
    .map((each) => `${formatTime(each, latest, language)}: ${each.heading}`);
}

function countOlder({ left }: Thread, before: readonly Posted[]): number {
  return left + Math.max(0, before.length - MAX_HISTORY);
}

/** `Mon 9 Nov 10:30`: with the day, since a head is read for many days. */
function formatTime({ at, timeZone }: Posted, latest: Posted, language: Language): string {
  const year = toLocalDate(latest.at, timeZone).slice(0, 4);
  return formatMoment(at, { timeZone, day: null, year, language });
}
