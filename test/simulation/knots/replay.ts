import { REPLAY_RATE } from '#shared/config/requests/replay-request.ts';
import { FEED_NAMES } from '#shared/core/feeds.ts';
import { type EventLog, replayEvents } from '#shared/replay/flow/replay-events.ts';
import { sendingTo } from '../ports/read-snapshot.ts';

/** Events that were sent again: those committed between two instants, in the order of their commits. */
export interface Replayed {
  /** Texts that had been published before. */
  readonly place: number;
  readonly from: number;
  readonly to: number;
  readonly texts: readonly string[];
}

/** Sends again what was committed between two instants. */
export async function replayBetween(
  log: EventLog,
  { from, to, place }: Omit<Replayed, 'texts'>,
): Promise<Replayed> {
  const texts: string[] = [];
  await replayEvents(
    {
      request: {
        connection: 'acme',
        feeds: [...FEED_NAMES],
        ...{ from, to, target: { kind: 'topics' as const } },
        ...{ dryRun: false, perSecond: REPLAY_RATE.max, after: null },
      },
      deadline: Number.POSITIVE_INFINITY,
    },
    { log, ...sendingTo(texts) },
  );
  return { from, to, place, texts };
}
