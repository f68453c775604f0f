import { describeChapter } from '#shared/config/alarms.ts';
import { SILENT_AFTER_MINUTES } from '#shared/config/poll-times.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import { listPolledFeeds } from '#shared/config/schema/directory.ts';
import { toIso } from '#shared/core/dates.ts';
import { WATERMARK_MINUTES } from '#shared/core/events/watermark.ts';
import { type FeedName, PAY_FEEDS } from '#shared/core/feeds.ts';
import { REASONS } from '#shared/core/outcome/reasons.ts';
import { nameSlice } from '#shared/core/snapshot/head.ts';
import type { WatermarkState } from '#shared/core/snapshot/state.ts';
import { formatCount } from '#shared/people/messages/numbers.ts';
import { openStore } from '../open-store.ts';
import { describeProgress, type Progress, type Progressed } from '../progress.ts';
import type { Target } from '../target.ts';
import { type Finding, finding, ok, warning, wrong } from './finding.ts';

const MINUTE_MS = 60_000;
/** Slices and records that one finding names at most. */
const MAX_NAMED = 5;
/** Looks come late by less than this many of their cadences, whatever is due with them. */
const LATE_CADENCES = 2;

/** Checks in the table whether each connection is polled and whether its events are published. */
export async function checkConnections(target: Target): Promise<Finding[]> {
  const store = openStore(target);
  const feeds = listPolledFeeds(target.config);
  const found = target.connections.map(async (connection) => {
    const progress: Finding[] = [];
    const about = `polls of ${connection.name}`;
    const judged = await finding(about, async () => {
      const state = await store.loadState(connection.name);
      if (state === null)
        return warning(
          about,
          'there was none yet',
          `wait for the schedule, or ${describeChapter('poll-silent')}`,
        );
      const heads = await store.loadHeads(connection.name);
      const progressed = { state, heads, connection, feeds, now: target.system.now() };
      progress.push(...checkTroubles(connection.name, progressed));
      progress.push(...checkWatermarks(connection, progressed, target));
      return judgePolls(about, progressed, target);
    });
    return [judged, ...progress];
  });
  return (await Promise.all(found)).flat();
}

type TargetClock = Pick<Target, 'speed' | 'isStopped'>;

/** Judges what polls of a connection have stored by the clock of the target. */
export function judgePolls(about: string, progressed: Progressed, target: TargetClock): Finding {
  const { state, now } = progressed;
  if (state.unreachable !== null)
    return wrong(
      about,
      `the source has been unreachable since ${toIso(state.unreachable.since)} (${state.unreachable.code})`,
      'see the findings about the source',
    );
  const progress = describeProgress(progressed);
  const says = progress.map((each) => `${each.name} ${describeAge(each, now)}`).join(', ');
  const unread = progress.filter((each) => each.unread > 0);
  if (unread.length > 0) {
    const baseline = unread.map((each) => `${each.slices - each.unread} of ${each.slices} ${each.name}`);
    return warning(
      about,
      `the first read has ${baseline.join(', ')}`,
      'wait for it, the dates around today come first; or see the log of the function that polls',
    );
  }
  const waiting = Object.entries(state.topics).filter(([, { logged, published }]) => logged > published);
  if (waiting.length > 0) {
    const mend = `the next poll publishes them; if it does not, ${describeChapter('events-waiting')}`;
    return warning(about, `${says}; events wait for ${waiting.map(([topic]) => topic).join(', ')}`, mend);
  }
  // Nothing polls, and a killed run of a fast simulation leaves a clock that is ahead of its last poll.
  const late = target.isStopped === true ? [] : progress.filter((each) => isLate(each, now, target.speed));
  if (late.length === 0) return ok(about, `${says}; no events waiting`);
  if (late.length === progress.length) return warning(about, says, describeChapter('poll-silent'));
  const pace = state.pace === null ? '' : `; the source takes ${state.pace.toFixed(1)} requests a second`;
  return warning(
    about,
    `${says}: ${late.map(({ name }) => name).join(', ')} late${pace}`,
    'raise requests.maxPerSecond if the source allows more, or reduce the window',
  );
}

function describeAge({ seenAt, cadenceMinutes }: Progress, now: number): string {
  if (seenAt === null) return 'not seen';
  const minutes = Math.max(0, Math.round((now - seenAt) / MINUTE_MS));
  return `${minutes === 0 ? 'less than a minute' : `${minutes} min`} ago (every ${cadenceMinutes} min)`;
}

/** Whether looks are further apart than a delay now and then explains. */
export function isLate(
  { seenAt, cadenceMinutes }: Pick<Progress, 'seenAt' | 'cadenceMinutes'>,
  now: number,
  speed: number,
): boolean {
  const minutes = Math.max(SILENT_AFTER_MINUTES, LATE_CADENCES * cadenceMinutes);
  return seenAt !== null && now - seenAt > minutes * MINUTE_MS * speed;
}

/** What keeps changes of a connection from being told: slices that fail, doubts, bad records, and troubles that were told. */
export function checkTroubles(connection: string, { state, heads }: Progressed): Finding[] {
  const failing = Object.entries(state.failing).map(
    ([slice, { since, attempts, nextAt, code }]) =>
      `${slice}: ${REASONS[code].says}, ${formatCount(attempts, 'attempt')} since ${toIso(since)}, next at ${toIso(nextAt)}`,
  );
  const doubts = heads.flatMap((head) =>
    head.doubt === null ? [] : [`${nameSlice(head)}: ${head.doubt.records} since ${toIso(head.doubt.since)}`],
  );
  const bad = heads.flatMap((head) =>
    head.bad === null
      ? []
      : [
          `${nameSlice(head)}: ${head.bad.count} since ${toIso(head.bad.since)}, such as ${head.bad.ids.slice(0, MAX_NAMED).join(', ')}`,
        ],
  );
  const troubles = state.troubles.map(
    ({ kind, subject, since }) => `${kind} ${subject} since ${toIso(since)}`,
  );
  const findings: [string, string[], string][] = [
    [
      'unreadable dates',
      failing,
      'ask the operator of the source why it does not list them; they are retried automatically, and all others go on',
    ],
    ['doubtful dates', doubts, `${REASONS.doubtful.mend}; another look decides`],
    ['unreadable records', bad, `${REASONS.records_unreadable.mend}; all others go on`],
    ['open troubles', troubles, 'see the events trouble.began, which say what to do'],
  ];
  return findings
    .filter(([, named]) => named.length > 0)
    .map(([what, named, mend]) => warning(`${what} of ${connection}`, listNamed(named.sort()), mend));
}

function listNamed(named: readonly string[]): string {
  const more = named.length > MAX_NAMED ? [`and ${named.length - MAX_NAMED} more`] : [];
  return [...named.slice(0, MAX_NAMED), ...more].join(' | ');
}

/** After so many of its intervals without a watermark something holds it back. */
const LATE_INTERVALS = 3;
const WATERMARK_MEND =
  'it waits while events wait to be published, and until all was read once; see the finding about the polls';

function checkWatermarks(
  { name, watermark }: Pick<Connection, 'name' | 'watermark'>,
  { state, now }: Progressed,
  target: TargetClock,
): Finding[] {
  if (!watermark) return [];
  return PAY_FEEDS.map((feed: FeedName) =>
    judgeWatermark(`watermark of ${name} ${feed}`, state.watermarks[feed] ?? null, { ...target, now }),
  );
}

/** Judges the last watermark of a feed by the clock of the target; `last` is null before the first. */
export function judgeWatermark(
  about: string,
  last: WatermarkState | null,
  { now, speed, isStopped }: TargetClock & { readonly now: number },
): Finding {
  if (last?.id == null) return warning(about, 'none was told yet', WATERMARK_MEND);
  const says = `told at ${toIso(last.at)}, ${formatCount(last.count, 'event')} since`;
  const isOverdue = now - last.at > LATE_INTERVALS * WATERMARK_MINUTES * MINUTE_MS * speed;
  return isOverdue && isStopped !== true ? warning(about, says, WATERMARK_MEND) : ok(about, says);
}
