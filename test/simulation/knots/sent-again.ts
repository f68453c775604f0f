import type { Connection } from '#shared/config/schema/connection.ts';
import { FEED_NAMES } from '#shared/core/feeds.ts';
import type { EventLog } from '#shared/flow/event-log.ts';
import { readLogged } from '#shared/operator/send/events-to-send.ts';

/** Events that were sent again: those committed between two instants, in the order of their commits. */
export interface SentAgain {
  /** Texts that had been published before. */
  readonly place: number;
  readonly from: number;
  readonly to: number;
  readonly texts: readonly string[];
}

/** What was committed between two instants, as it is sent again. */
export async function readBetween(
  log: EventLog,
  connection: Connection,
  { from, to }: Pick<SentAgain, 'from' | 'to'>,
): Promise<readonly string[]> {
  const events = readLogged({ connection, feeds: FEED_NAMES, from, to }, log, undefined);
  return (await Array.fromAsync(events)).map(({ text }) => text);
}
