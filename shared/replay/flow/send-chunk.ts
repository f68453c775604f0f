import type { EventPublisher } from '#shared/flow/poll/ports.ts';
import type { Clock, Telemetry } from '#shared/flow/system.ts';
import { computePauseMs } from '../pace.ts';
import type { SelectedEvent } from '../selection.ts';

/** What sending at a pace needs. */
export interface SendingPorts {
  /** Sends to the receiver of the request. */
  readonly publisher: EventPublisher;
  readonly clock: Clock;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly telemetry: Telemetry;
}

/** How far it is. `next`: where to continue from; null for the beginning. */
export interface SendingProgress<Cursor> {
  /** Number of events by type. */
  readonly matched: Record<string, number>;
  published: number;
  unpublished: number;
  next: Cursor | null;
}

/** A request that is being sent. */
export interface Sending {
  readonly request: { readonly dryRun: boolean; readonly perSecond: number };
  readonly ports: Pick<SendingPorts, 'publisher' | 'clock' | 'sleep'>;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  readonly progress: Omit<SendingProgress<unknown>, 'next'>;
}

/** Sends some events at the pace of the request, and counts them; a dry run only counts. False when one was not sent. */
export async function sendChunk(
  chunk: readonly SelectedEvent[],
  { request: { dryRun, perSecond }, ports, startedAt, progress }: Sending,
): Promise<boolean> {
  if (!dryRun && chunk.length > 0) {
    const { published, unpublished } = await ports.publisher.publish(chunk.map(({ text }) => text));
    progress.published += published;
    progress.unpublished += unpublished.length;
    if (progress.unpublished > 0) return false;
    const now = ports.clock.now();
    await ports.sleep(computePauseMs(progress.published, { perSecond, startedAt, now }));
  }
  for (const { type } of chunk) progress.matched[type] = (progress.matched[type] ?? 0) + 1;
  return true;
}

/** The counts of a report, for its line of the log. */
export function countSent({
  matched,
  published,
  unpublished,
  done,
}: Sending['progress'] & { readonly done: boolean }) {
  const all = Object.values(matched).reduce((sum, count) => sum + count, 0);
  return { matched: all, published, unpublished, done };
}
