import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { createSender } from '#kit/conform/sender.ts';
import { parseSigningKey, type SigningKey } from '#kit/conform/signing.ts';
import { toIso } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { FEED_NAMES, type FeedName } from '#shared/core/feeds.ts';
import { computeBackoff } from '#shared/core/waits.ts';
import { buildQueries, type LogQuery, openEventLog } from '#shared/operator/log-query.ts';
import type { Target, TargetFlags, WithTarget } from '#shared/operator/target.ts';
import { formatEventLine } from '#shared/terminal/event-line.ts';
import { escapeUnprintable, print, printJson } from '#shared/terminal/output.ts';
import { readSecretOption } from '#shared/terminal/secret-option.ts';
import { type Attempt, describeAnswer, forward, parseForwardAddress } from '../listen/forward.ts';
import {
  type FeedPosition,
  type ListenMemory,
  openListenMemory,
  type ReceiverMemory,
} from '../listen/position.ts';
import {
  type FollowedFeed,
  LOG_UNREADABLE,
  type NewEvent,
  readNewEvents,
} from '../listen/read-new-events.ts';
import { addTargetOptions } from '../options.ts';

/** As long as a webhook waits for an answer. */
const TIMEOUT_MS = 15_000;
/** Pause between two reads of the log. */
const PAUSE_MS = 1_000;
/** How long after a later batch an earlier one may appear in the log: clocks differ, and a commit takes time. */
const OVERLAP_MS = 60_000;
const READ_RETRY = { firstMs: 1_000, maxMs: 30_000 };
const MAX_READ_FAILURES = 10;

const HELP = `
Forwards the events of the log one by one, in order, signed as a webhook is, to a
receiver on this machine or at an https address. Nothing has to be configured or
deployed, and nobody else receives anything. An event that is not accepted is
tried again until it is, or until you interrupt; those behind it wait.

It remembers by address how far it came, and resumes there; the first time it
begins with new events. --since begins elsewhere. An interrupted event may come
twice, with the same id.

Without --secret or WEBHOOK_SECRET it generates a signing secret, prints it, and
keeps it with the position, in listen.json of the data folder, or in .cache for a
stack.

Examples:
  $ npm run notifier -- listen --forward http://localhost:3000/hook --type 'timesheet.*'
  $ npm run notifier -- listen --data .data --forward http://localhost:3000/hook --since 2h
  $ WEBHOOK_SECRET=whsec_... npm run notifier -- listen --forward https://hooks.acme.example/dev --once`;

export function listenCommand(withTarget: WithTarget): Command {
  const command = new Command('listen')
    .summary('forward events to a receiver on your machine')
    .description('Forwards new events of the log, signed and in order, to a webhook receiver of yours.')
    .requiredOption('--forward <url>', 'required: an address on this machine, or an https address')
    .option('--type <type>', 'only this type, such as timesheet.approved; * stands for any text: timesheet.*')
    .option('--record <id>', 'only events of this timesheet or pay period')
    .option('--connection <name>', 'only this connection (default: all)')
    .addOption(
      new Option('--feed <feed>', 'only this feed (default: all that are polled)').choices(FEED_NAMES),
    )
    .option('--since <time>', 'begin with events logged at or after this time, such as 2h or 2026-11-17')
    .option(
      '--secret <file>',
      'file with the signing secret of your receiver, whsec_..., or - to be asked for it (default: the secret in WEBHOOK_SECRET)',
    )
    .option('--position <file>', 'where to remember how far it came')
    .option('--once', 'forward what is in the log, and end')
    .addHelpText('after', HELP);
  return addTargetOptions(command).action(async (flags: ListenFlags) => {
    const url = parseForwardAddress(flags.forward);
    const what = 'the signing secret of your receiver';
    const place = { option: '--secret', file: flags.secret, variable: 'WEBHOOK_SECRET', what };
    const secret = await readSecretOption(place, process.env);
    const given = { ...flags, ...(secret === undefined ? {} : { secret }) };
    await withTarget(flags, (target) => listen(url, given, target));
  });
}

/** Forwards until interrupted, or with `once` until the end of the log. Throws a `NotifierError`. */
export async function listen(url: string, flags: ListenFlags, target: Target): Promise<void> {
  const session = openSession(url, flags, target);
  announceStart(session);
  for (let failures = 0; ; ) {
    try {
      await forwardNewEvents(session);
      failures = 0;
    } catch (error) {
      failures += 1;
      await pauseAfterFailure(error, failures, session);
      continue;
    }
    if (flags.once === true) return;
    if (target.isStopped === true) {
      console.error(`npm start is not running on ${target.title}: start it, and run this again to follow it`);
      return;
    }
    await target.system.sleep(PAUSE_MS);
  }
}

async function forwardNewEvents(session: Session): Promise<void> {
  const { url, flags, target, feeds, key, positions } = session;
  const send = createSender({ url, timeoutMs: TIMEOUT_MS, now: () => performance.now() });
  const events = readNewEvents(feeds, {
    log: openEventLog(target),
    positionOf: (feed) => readPosition(feed, session),
    overlapMs: OVERLAP_MS * target.speed,
    now: target.system.now(),
  });
  let isUnsaved = false;
  for await (const event of events) {
    if (event.text !== null) {
      await forward(event.text, {
        url,
        key,
        send,
        // A data folder that nothing runs on stays closed to npm start while this holds it.
        retry: flags.once !== true && target.isStopped !== true,
        sleep: (milliseconds) => target.system.sleep(milliseconds),
        now: () => Date.now(),
        onAttempt: (attempt) => printAttempt(attempt, event, flags.json === true),
      });
    }
    positions.set(nameFeed(event.feed), event.position);
    isUnsaved = event.text === null;
    if (!isUnsaved) savePositions(session);
  }
  if (isUnsaved) savePositions(session);
}

/** Waits before the log is read again. Throws any other error, and that one after many tries. */
async function pauseAfterFailure(
  error: unknown,
  failures: number,
  { target, flags }: Session,
): Promise<void> {
  if (!(error instanceof NotifierError) || error.code !== LOG_UNREADABLE) throw error;
  // The engines of a machine that has ended do not come back at the same address.
  const isFinal = !error.retryable || target.redirects || flags.once === true;
  if (isFinal || failures >= MAX_READ_FAILURES) {
    throw new NotifierError(
      error.code,
      `${error.message}; run the command again: it resumes where it ended`,
      {
        cause: error,
      },
    );
  }
  const pauseMs = computeBackoff(failures, READ_RETRY);
  console.error(`${escapeUnprintable(error.message)}; again in ${pauseMs / 1_000} s`);
  await target.system.sleep(pauseMs);
}

/** On standard error, so that standard output has attempts alone. */
function announceStart(session: Session): void {
  const { url, generated, positions, target } = session;
  savePositions(session);
  const earliest = Math.min(...[...positions.values()].map(({ through }) => through));
  console.error(`forwarding the events of ${target.title} from ${toIso(earliest)} on to ${url}`);
  if (generated !== null) {
    console.error(`signed with ${generated}, which your receiver needs, for example in WEBHOOK_SECRET`);
  }
}

function printAttempt({ text, answer, attempt, retryMs }: Attempt, { feed }: NewEvent, json: boolean): void {
  const durationMs = Math.round(answer.durationMs);
  if (json) {
    const { id, type, subject = null, sequence } = JSON.parse(text);
    const said = { answer: describeAnswer(answer), attempt, durationMs, retryMs };
    printJson(JSON.stringify({ eventId: id, type, record: subject, sequence, ...said }));
    return;
  }
  const again = retryMs === null ? '' : `  (again in ${retryMs / 1_000} s)`;
  print(`${describeAnswer(answer)}  ${formatEventLine(text, feed.timeZone)}${again}`);
}

const SECRET_BYTES = 32;
const NOW = '0s';

/** The options of the command. */
interface ListenFlags extends TargetFlags {
  readonly forward: string;
  readonly type?: string;
  readonly record?: string;
  readonly connection?: string;
  readonly feed?: FeedName;
  readonly since?: string;
  readonly secret?: string;
  readonly position?: string;
  readonly once?: true;
}

/** A run of `listen`. */
interface Session {
  readonly url: string;
  readonly flags: ListenFlags;
  readonly target: Target;
  readonly feeds: readonly FollowedFeed[];
  readonly memory: ListenMemory;
  readonly key: SigningKey;
  /** A generated one; null when the user gave it. */
  readonly generated: string | null;
  /** By `nameFeed`; updated as events are forwarded. */
  readonly positions: Map<string, FeedPosition>;
}

/** Throws a `NotifierError` for a wrong option or an unreadable position. */
function openSession(url: string, flags: ListenFlags, target: Target): Session {
  const memory = openListenMemory(flags.position ?? choosePositionFile(flags, target));
  const known = memory.load(url);
  const queries = buildQueries({ ...flags, since: flags.since ?? NOW }, target);
  return {
    url,
    flags,
    target,
    memory,
    feeds: queries.flatMap(selectFeeds),
    ...chooseSecret(flags, known),
    positions: choosePositions(queries, flags.since === undefined ? (known?.feeds ?? null) : null),
  };
}

/** Where a feed is now. */
function readPosition(feed: FollowedFeed, { positions, target }: Session): FeedPosition {
  return positions.get(nameFeed(feed)) ?? startAt(target.system.now());
}

/** Remembers how far the run came. */
function savePositions({ url, memory, positions, generated }: Session): void {
  const known = memory.load(url);
  const secret = generated === null ? {} : { secret: generated };
  memory.save(url, { ...known, ...secret, feeds: { ...known?.feeds, ...Object.fromEntries(positions) } });
}

function choosePositionFile({ data }: TargetFlags, { config }: Target): string {
  return data === undefined ? join('.cache', `listen-${config.stackName}.json`) : join(data, 'listen.json');
}

function chooseSecret(
  { secret }: ListenFlags,
  known: ReceiverMemory | null,
): Pick<Session, 'key' | 'generated'> {
  if (secret !== undefined) return { key: parseSigningKey(secret, '--secret'), generated: null };
  const generated = known?.secret ?? `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  return { key: parseSigningKey(generated, 'the remembered secret'), generated };
}

function selectFeeds({ connection, feeds, types, record }: LogQuery): FollowedFeed[] {
  const selection = {
    ...(types === undefined ? {} : { types }),
    ...(record === undefined ? {} : { record }),
  };
  const { name, timeZone } = connection;
  return feeds.map((feed) => ({ key: { connection: name, feed }, selection, timeZone }));
}

/** Each feed begins at `--since`, where it ended, or now. */
function choosePositions(
  queries: readonly LogQuery[],
  known: ReceiverMemory['feeds'] | null,
): Session['positions'] {
  const positions = queries.flatMap((query) =>
    selectFeeds(query).map((feed) => {
      const name = nameFeed(feed);
      return [name, known?.[name] ?? startAt(query.from)] as const;
    }),
  );
  return new Map(positions);
}

function startAt(instant: number): FeedPosition {
  return { since: instant, through: instant, recent: {} };
}

/** Name of a feed among the positions. */
function nameFeed({ key: { connection, feed } }: FollowedFeed): string {
  return `${connection} ${feed}`;
}
