import { NotifierError } from '#shared/core/errors.ts';
import { PAY_FEEDS } from '#shared/core/feeds.ts';
import type { FeedState } from '#shared/core/snapshot/feed-state.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import type { Clock } from '#shared/flow/system.ts';
import type { WebhookClient } from '#shared/systems/flow/webhook-run.ts';

export interface HeartbeatPorts {
  readonly store: Pick<SnapshotStore, 'loadFeedState'>;
  /** The address, which is a secret. */
  readonly readAddress: () => Promise<string>;
  readonly client: WebhookClient;
  readonly clock: Clock;
}

/** `held`: a feed is late, so silence is meant. `reason`: a stable code, without the address. */
export type Heartbeat =
  | { readonly outcome: 'sent' | 'held' }
  | { readonly outcome: 'failed'; readonly reason: string };

/** Sends one request if every feed of a connection is in time. Never throws: a poll goes on whatever becomes of it. */
export async function sendHeartbeat(
  connection: string,
  { store, readAddress, client, clock }: HeartbeatPorts,
): Promise<Heartbeat> {
  try {
    const feeds = await Promise.all(PAY_FEEDS.map((feed) => store.loadFeedState({ connection, feed })));
    const now = clock.now();
    const isEach = feeds.every((stored) => stored !== null && isInTime(stored, now));
    if (!isEach) return { outcome: 'held' };
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

/** What a feed has stored, as far as it says whether its changes are reported in time. */
interface FeedProgress {
  readonly state: Pick<FeedState, 'completedAt' | 'lag' | 'formChanged'>;
  /** Batches of events that wait to be published. */
  readonly outbox: readonly string[];
}

/** Whether a feed was polled completely a short while ago, and neither its dates nor its events are late. */
function isInTime({ state, outbox }: FeedProgress, now: number): boolean {
  const { completedAt, lag, formChanged } = state;
  const isRecent = completedAt !== null && now - completedAt <= WITHIN_MS;
  return isRecent && lag.since === null && formChanged === null && outbox.length === 0;
}
