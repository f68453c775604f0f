import { toLocalDate } from '../../dates.ts';
import { formatMoment } from '../../messages/moments.ts';
import { describeNetEffect, fitNetEffect } from '../../messages/net-effect.ts';
import { formatCount, formatNumber } from '../../messages/numbers.ts';
import { MAX_SUBJECT_CHARACTERS } from '../../messages/plain-headlines.ts';
import type { ChannelMessage } from '../alert.ts';
import { fillWords } from '../rules.ts';
import type { Thread } from './thread.ts';
import { isTopicOf, listTold, type Told } from './thread-news.ts';

/** Lines about what was told before; the head counts the others. */
const MAX_HISTORY = 6;
/** Troubles of one kind with lines of their own. */
const MAX_ITEMS = 12;

type HeadText = Pick<ChannelMessage, 'title' | 'headline' | 'lines' | 'links' | 'inner' | 'strong' | 'more'>;

/** What the head of a thread says now: the present state, and below it what was told before, the latest first. */
export function buildThreadHead(thread: Thread): ChannelMessage {
  const { latest } = thread;
  return {
    id: thread.ts,
    ...buildText(thread),
    ...(latest.url === undefined ? {} : { url: latest.url }),
    urgent: false,
    at: latest.at,
    timeZone: latest.timeZone,
  };
}

function buildText(thread: Thread): HeadText {
  if (isTopicOf('timesheet', thread.topic)) return describeTimesheet(thread);
  if (isTopicOf('trouble', thread.topic)) return describeTroubles(thread);
  return describeLatest(thread);
}

/** The latest sentence with what stands below it: it says the present state by itself. */
function describeLatest(thread: Thread): HeadText {
  const { latest, before } = thread;
  const { lines, links, inner, strong } = thread.details ?? { lines: [] };
  const history = listHistory(before, latest);
  const of = <Value>(values: readonly Value[] | undefined, none: Value) =>
    [...lines, ...history].map((_, at) => values?.[at] ?? none);
  return {
    title: latest.line,
    headline: latest.headline,
    lines: [...lines, ...history],
    ...(links === undefined ? {} : { links: of(links, null) }),
    ...(inner === undefined ? {} : { inner: of(inner, false) }),
    strong: { title: latest.strong ?? [], lines: of<readonly string[]>(strong?.lines, []) },
    more: countOlder(thread, before),
  };
}

/** The net effect of all that was told. */
function describeTimesheet(thread: Thread): HeadText {
  const { latest, topic } = thread;
  const told = listTold(thread);
  const stories = told.flatMap(({ story }) => story ?? []);
  if (told.length === 1 || stories.length < told.length) return describeLatest(thread);
  const { words = '{sentence}' } = told[0] ?? latest;
  const connection = topic.split('#')[1] ?? '';
  const sentence = describeNetEffect(stories);
  return {
    title: fillWords(words, { sentence, connection, type: 'timesheet' }),
    headline: fitNetEffect(stories, MAX_SUBJECT_CHARACTERS) ?? latest.headline,
    lines: listHistory(told, latest),
    strong: { title: latest.strong ?? [], lines: [] },
    more: countOlder(thread, told),
  };
}

/** How many are open, and what was told last of each; of a single one only that. */
function describeTroubles(thread: Thread): HeadText {
  const { latest } = thread;
  const items = [...new Map(listTold(thread).map((each) => [each.item, each])).values()];
  const open = items.filter(({ ends }) => !ends);
  const headline =
    open.length === 0 ? `Settled: ${latest.headline}` : (open.at(-1)?.headline ?? latest.headline);
  if (items.length === 1) return { ...describeLatest(thread), headline };
  const ordered = [...open, ...items.filter(({ ends }) => ends)];
  const shown = ordered.slice(0, MAX_ITEMS);
  return {
    title:
      open.length === 0
        ? `All ${formatNumber(items.length)} are settled.`
        : `${formatCount(open.length, 'is open', 'are open')}, ${formatCount(items.length - open.length, 'is settled', 'are settled')}.`,
    headline,
    lines: shown.map(
      (each) => `${each.ends ? 'Settled' : 'Open'}, ${formatTime(each, latest)}: ${each.line}`,
    ),
    more: ordered.length - shown.length,
  };
}

function listHistory(before: readonly Told[], latest: Told): string[] {
  return before
    .toReversed()
    .slice(0, MAX_HISTORY)
    .map((each) => `${formatTime(each, latest)}: ${each.headline}`);
}

function countOlder({ left }: Thread, before: readonly Told[]): number {
  return left + Math.max(0, before.length - MAX_HISTORY);
}

/** `Mon 9 Nov 10:30`: with the day, since a head is read for many days. */
function formatTime({ at, timeZone }: Told, latest: Told): string {
  return formatMoment(at, { timeZone, day: null, year: toLocalDate(latest.at, timeZone).slice(0, 4) });
}
