import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import { describeChapter } from '#shared/config/alarms.ts';
import { DIRECTORY_POLL_MINUTES, SILENT_AFTER_MINUTES } from '#shared/config/poll-times.ts';
import { listPolledFeeds } from '#shared/config/schema/directory.ts';
import { collectOutboxEntries } from '#shared/core/commit/outbox.ts';
import { isDate, listDates, toIso } from '#shared/core/dates.ts';
import { type FeedKey, isDirectoryFeed } from '#shared/core/feeds.ts';
import type { FeedState } from '#shared/core/snapshot/feed-state.ts';
import type { SliceHead } from '#shared/core/snapshot/snapshot.ts';
import type { PublishedWatermark } from '#shared/core/snapshot/watermark-memory.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { WATERMARK_MINUTES } from '#shared/systems/watermark.ts';
import { formatCommand } from '#shared/terminal/format-command.ts';
import { type Target, toTableOptions } from '../target.ts';
import { type Finding, finding, ok, warning, wrong } from './finding.ts';

const MINUTE_MS = 60_000;
const DEAD_LETTERS = '/dead-letters/url';

/** Checks in the table whether each feed is polled and whether its events are published. */
export async function checkFeeds(target: Target): Promise<Finding[]> {
  const store = createDynamoSnapshotStore(toTableOptions(target));
  const feeds = target.connections.flatMap(({ name }) =>
    listPolledFeeds(target.config).map((feed): FeedKey => ({ connection: name, feed })),
  );
  const found = feeds.map((feed) => checkFeed(feed, { store, target }));
  return (await Promise.all(found)).flat();
}

async function checkFeed(
  feed: FeedKey,
  { store, target }: { readonly store: SnapshotStore; readonly target: Target },
): Promise<Finding[]> {
  const about = `${feed.connection} ${feed.feed}`;
  const progress: Finding[] = [];
  const judged = await finding(about, async () => {
    const stored = await store.loadFeedState(feed);
    if (stored === null)
      return warning(
        about,
        'was never polled',
        `wait for its schedule, or ${describeChapter('poll-silent')}`,
      );
    progress.push(...checkProgress(about, stored.state));
    const heads = await store.loadHeads(feed, '');
    const ofSlices = collectOutboxEntries(heads).map(({ pointer }) => pointer);
    const waiting = new Set([...stored.outbox, ...ofSlices]).size;
    const silentMinutes = isDirectoryFeed(feed.feed)
      ? MISSED_POLLS * DIRECTORY_POLL_MINUTES
      : SILENT_AFTER_MINUTES;
    return judgeFeed(about, { state: stored.state, heads, waiting, silentMinutes }, target);
  });
  const connection = target.connections.find(({ name }) => name === feed.connection);
  if (connection?.watermark !== true || isDirectoryFeed(feed.feed)) return [judged, ...progress];
  const aboutWatermark = `watermark of ${about}`;
  const ofWatermark = await finding(aboutWatermark, async () => {
    const memory = (await store.loadWatermark?.(feed)) ?? null;
    return judgeWatermark(aboutWatermark, memory?.told ?? null, target);
  });
  return [judged, ...progress, ofWatermark];
}

/** After so many polls that did not come, a feed of the directory is silent. */
const MISSED_POLLS = 3;
/** After so many of its intervals without a watermark something holds it back. */
const LATE_INTERVALS = 3;
const WATERMARK_MEND =
  'it waits while events wait to be published, during a baseline, and after a restore; see the finding about the feed';

/** Judges the last watermark of a feed by the clock of the target; `last` is null before the first. */
export function judgeWatermark(
  about: string,
  last: PublishedWatermark | null,
  { system, speed, isStopped }: Pick<Target, 'system' | 'speed' | 'isStopped'>,
): Finding {
  if (last === null) return warning(about, 'none was told yet', WATERMARK_MEND);
  const { hot, all } = last.through;
  const describe = (through: number | null) => (through === null ? 'nothing' : `through ${toIso(through)}`);
  const through = hot === all ? describe(all) : `hot dates ${describe(hot)}, all dates ${describe(all)}`;
  const says = `told at ${toIso(last.at)}: complete ${through}`;
  const isLate = system.now() - last.at > LATE_INTERVALS * WATERMARK_MINUTES * MINUTE_MS * speed;
  return isLate && isStopped !== true ? warning(about, says, WATERMARK_MEND) : ok(about, says);
}

export interface StoredFeed {
  readonly state: FeedState;
  readonly heads: readonly Pick<SliceHead, 'slice' | 'baselinedAt'>[];
  /** Batches of events in its outboxes. */
  readonly waiting: number;
  /** Without a complete poll for longer it is silent. */
  readonly silentMinutes: number;
}

/** Judges the state of a feed by the clock of the target. */
export function judgeFeed(
  about: string,
  { state, heads, waiting, silentMinutes }: StoredFeed,
  { system, speed, isStopped }: Pick<Target, 'system' | 'speed' | 'isStopped'>,
): Finding {
  if (state.unreachableSince !== null) {
    const since = toIso(state.unreachableSince);
    return wrong(
      about,
      `its source has been unreachable since ${since}`,
      'see the findings about its source',
    );
  }
  const baseline = describeBaseline(state, heads);
  if (state.completedAt === null || baseline !== null) {
    return warning(
      about,
      baseline ?? 'no poll was complete yet',
      'wait for the baseline, or see the log of its poll function',
    );
  }
  const minutes = Math.max(0, Math.round((system.now() - state.completedAt) / MINUTE_MS));
  const seen = `last complete poll ${minutes === 0 ? 'less than a minute' : `${minutes} min`} ago`;
  if (waiting > 0) {
    const mend = `the next poll publishes them; if it does not, ${describeChapter('events-waiting')}`;
    return warning(about, `${seen}; ${waiting} batches of events waiting to be published`, mend);
  }
  // Nothing polls, and a killed run of a fast simulation leaves a clock that is ahead of its last poll.
  if (isStopped === true) return ok(about, `${seen}, then npm start was stopped; no events waiting`);
  if (minutes > silentMinutes * speed) {
    return warning(about, seen, describeChapter('poll-silent'));
  }
  return ok(about, `${seen}; no events waiting`);
}

/** How far the baseline of a feed is; null once it is complete, and for a list that is read as a whole. */
function describeBaseline({ baseline }: FeedState, heads: StoredFeed['heads']): string | null {
  if (baseline === null || baseline.completedAt !== null || !isDate(baseline.from)) return null;
  const dates = new Set(listDates(baseline));
  const read = heads.filter(({ slice, baselinedAt }) => baselinedAt !== null && dates.has(slice)).length;
  return `its baseline has ${read} of ${dates.size} dates since ${toIso(baseline.startedAt)}, the dates around today first`;
}

/** Checks that the queues of the stack exist, what waits in them, and that the dead-letter queues are empty. */
export async function checkQueues(target: Target): Promise<Finding[]> {
  const { parts, sqs } = target;
  const queues = [...parts].filter(([path]) => path.startsWith('queues/') && path.endsWith('/url'));
  return await Promise.all(
    queues.map(([path, queueUrl]) => {
      const isDead = path.endsWith(DEAD_LETTERS);
      const name = path.slice('queues/'.length, -(isDead ? DEAD_LETTERS : '/url').length);
      const about = isDead ? `dead letters of ${name}` : `queue ${name}`;
      return finding(about, async () => {
        const counts = await countMessages(sqs, queueUrl);
        return isDead
          ? judgeDeadLetters(about, counts, adviseOnDeadLetters(name, target))
          : judgeQueue(about, counts, adviseOnRetries(name, target));
      });
    }),
  );
}

interface MessageCounts {
  readonly waiting: number;
  readonly delayed: number;
}

async function countMessages(sqs: SQSClient, QueueUrl: string): Promise<MessageCounts> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl,
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesDelayed'],
    }),
  );
  return {
    waiting: Number(Attributes.ApproximateNumberOfMessages ?? 0),
    delayed: Number(Attributes.ApproximateNumberOfMessagesDelayed ?? 0),
  };
}

/** How to see why messages of a queue wait for a retry. */
function adviseOnRetries(queue: string, target: Target): string {
  const system = parseQueue(queue);
  const to = system?.kind === 'webhook' ? ['--to', system.name] : [];
  const command = formatCommand(target, 'deliveries', ...to);
  return `their receiver has not accepted them; ${command} shows what it answered`;
}

/** How the receiver of a queue gets what is in its dead-letter queue. */
function adviseOnDeadLetters(queue: string, target: Target): string {
  if (!target.redirects) return describeChapter('dead-letters');
  const system = parseQueue(queue);
  if (system === null) return `${describeChapter('dead-letters')}; npm start cannot redrive them`;
  const { kind, name } = system;
  const command =
    kind === 'webhook'
      ? formatCommand(target, 'deliveries', '--to', name, '--resend')
      : formatCommand(target, 'send', '--events', '--to', name);
  return `send their events again with ${command}`;
}

/** The webhook or queue of the config that a queue of the stack is of; null for the others. */
function parseQueue(queue: string): { readonly kind: string; readonly name: string } | null {
  const [, kind, name] = /^(webhook|queue)-(.+)$/.exec(queue) ?? [];
  return kind === undefined || name === undefined ? null : { kind, name };
}

function judgeQueue(about: string, { waiting, delayed }: MessageCounts, mend: string): Finding {
  if (delayed === 0) return ok(about, `${waiting} waiting`);
  return warning(about, `${waiting} waiting, ${delayed} waiting for a retry`, mend);
}

function judgeDeadLetters(about: string, { waiting }: MessageCounts, mend: string): Finding {
  if (waiting === 0) return ok(about, 'none');
  return wrong(about, waiting === 1 ? '1 message' : `${waiting} messages`, mend);
}

/** Dates and fields that one finding names at most. */
const MAX_NAMED = 5;

/** What keeps a feed from making progress, by its stored state. */
export function checkProgress(about: string, state: FeedState): Finding[] {
  return [checkForm, checkFailingDates, checkLag].flatMap((check) => check(about, state) ?? []);
}

function checkFailingDates(about: string, { failing }: FeedState): Finding | null {
  const dates = Object.entries(failing).sort(([a], [b]) => (a < b ? -1 : 1));
  if (dates.length === 0) return null;
  const details = dates
    .slice(0, MAX_NAMED)
    .map(([slice, { since, attempts, nextAt, code }]) =>
      [`${slice}: ${code}, ${attempts} attempts since ${toIso(since)}`, `next at ${toIso(nextAt)}`].join(
        ', ',
      ),
    );
  const more = dates.length > MAX_NAMED ? [`and ${dates.length - MAX_NAMED} more`] : [];
  const count = dates.length === 1 ? '1 date cannot be read' : `${dates.length} dates cannot be read`;
  return warning(
    about,
    `${count} (${[...details, ...more].join(' | ')})`,
    'ask the operator of the source why it does not list them; they are retried automatically, and all other dates go on',
  );
}

function checkLag(about: string, { lag }: FeedState): Finding | null {
  if (lag.since === null) return null;
  const lateMs = Math.max(0, ...lag.worst.map((each) => each.lateMs));
  const worst = lag.worst.map(({ class: kind, dates, lateMs: late }) => {
    return `${kind} by ${formatMinutes(late)} (${dates.slice(0, MAX_NAMED).join(', ')})`;
  });
  return warning(
    about,
    `dates are late by ${formatMinutes(lateMs)} since ${toIso(lag.since)}: ${worst.join(', ')}`,
    'raise requests.maxPerSecond if the source allows more, or reduce the window; the lag ends by itself once the source is fast enough',
  );
}

function checkForm(about: string, { formChanged }: FeedState): Finding | null {
  if (formChanged === null) return null;
  const fields = formChanged.fields
    .slice(0, MAX_NAMED)
    .map(({ field, kinds }) => `${field} (now ${kinds.join(' or ')})`);
  const where = fields.length === 1 ? 'in field' : 'in fields';
  return wrong(
    about,
    `the source changed the form of its records ${where} ${fields.join(', ')} at ${toIso(formChanged.since)}, so they cannot be read`,
    'ask the operator of the source whether the change is intended; if it is, deploy a version of the notifier that reads it',
  );
}

function formatMinutes(milliseconds: number): string {
  return `${Math.round(milliseconds / MINUTE_MS)} min`;
}
