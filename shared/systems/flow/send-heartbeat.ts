import { NotifierError } from '#shared/core/errors.ts';
import { PAY_FEEDS } from '#shared/core/feeds.ts';
import type { ConnectionState } from '#shared/core/snapshot/state.ts';
import type { TroubleKind } from '#shared/core/trouble-kinds.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import type { Clock } from '#shared/flow/system.ts';
import type { WebhookClient } from '#shared/systems/flow/webhook-run.ts';

export interface HeartbeatPorts {
  readonly store: Pick<Store, 'loadState'>;
  /** The address, which is a secret. */
  readonly readAddress: () => Promise<string>;
  readonly client: WebhookClient;
  readonly clock: Clock;
}

/** `held`: the connection is late, so silence is meant. `reason`: a stable code, without the address. */
export type Heartbeat =
  | { readonly outcome: 'sent' | 'held' }
  | { readonly outcome: 'failed'; readonly reason: string };

/** Sends one request if a connection is in time. Never throws: a poll goes on whatever becomes of it. */
export async function sendHeartbeat(
  connection: string,
  { store, readAddress, client, clock }: HeartbeatPorts,
): Promise<Heartbeat> {
  try {
    const state = await store.loadState(connection);
    if (state === null || !isInTime(state, clock.now())) return { outcome: 'held' };
    const answer = await client.post({ url: await readAddress(), headers: {}, body: '', readsAnswer: true });
    if (answer.outcome === 'unanswered') return { outcome: 'failed', reason: answer.reason };
    const isTaken = answer.status >= 200 && answer.status < 300;
    if (!isTaken) return { outcome: 'failed', reason: `status_${answer.status}` };
    const reservation = findReservation(answer.text ?? '');
    return reservation === null ? { outcome: 'sent' } : { outcome: 'failed', reason: reservation };
  } catch (error) {
    return { outcome: 'failed', reason: error instanceof NotifierError ? error.code : 'unknown' };
  }
}

/** Healthchecks.io says with 200 that nobody hears it: `OK (not found)`, `OK (rate limited)`. */
const RESERVATION = /^ok\s*\(([^)]{1,200})/i;
const MAX_REASON_CHARACTERS = 40;

function findReservation(text: string): string | null {
  const said = RESERVATION.exec(text.trim())?.[1];
  if (said === undefined) return null;
  const words = said.toLowerCase().match(/[a-z0-9]+/g) ?? ['unexpected'];
  return `answer_${words.join('_').slice(0, MAX_REASON_CHARACTERS)}`;
}

/** By then the alarm on silence sounds, too. */
const WITHIN_MS = 15 * 60_000;

/** Troubles in which changes are told late, or not at all. */
const LATE: readonly TroubleKind[] = ['source_unreachable', 'dates_doubtful', 'feed_late', 'publish_failed'];

/** Whether both feeds that pay follows from were read a short while ago, and neither their dates nor events are late. */
function isInTime({ baselined, lookedAt, topics, troubles }: ConnectionState, now: number): boolean {
  const looks = Object.entries(lookedAt);
  const isRead = PAY_FEEDS.every((feed) => {
    const own = looks.filter(([slice, at]) => slice.startsWith(`${feed}#`) && now - at <= WITHIN_MS);
    return baselined[feed] !== undefined && own.length > 0;
  });
  const isPublished = Object.values(topics).every(({ logged, published }) => published >= logged);
  return isRead && isPublished && !troubles.some(({ kind }) => LATE.includes(kind));
}
