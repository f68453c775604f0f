import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { FeedName } from '#shared/core/feeds.ts';
import { buildQueries, type LogQuery } from '#shared/operator/log-query.ts';
import type { Target, TargetFlags } from '#shared/operator/target.ts';
import { parseSigningKey, type SigningKey } from '../conform/signing.ts';
import { type FeedPosition, type ListenMemory, openListenMemory, type ReceiverMemory } from './position.ts';
import type { FollowedFeed } from './read-new-events.ts';

const SECRET_BYTES = 32;
const NOW = '0s';

/** The options of the command. */
export interface ListenFlags extends TargetFlags {
  readonly forward: string;
  readonly type?: string;
  readonly record?: string;
  readonly connection?: string;
  readonly feed?: FeedName;
  readonly since?: string;
  readonly secret?: string;
  readonly position?: string;
  readonly once?: true;
  readonly json?: true;
}

/** A run of `listen`. */
export interface Session {
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
export function openSession(url: string, flags: ListenFlags, target: Target): Session {
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
export function readPosition(feed: FollowedFeed, { positions, target }: Session): FeedPosition {
  return positions.get(nameFeed(feed)) ?? startAt(target.system.now());
}

/** Remembers how far the run came. */
export function savePositions({ url, memory, positions, generated }: Session): void {
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
export function nameFeed({ key: { connection, feed } }: FollowedFeed): string {
  return `${connection} ${feed}`;
}
