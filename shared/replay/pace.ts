/** Events per request to SNS or SQS; the clock is checked after each. */
const CHUNK_EVENTS = 10;

/** How many events go out at once, so that the next ones still fit into one invocation. */
export function computeChunkSize(perSecond: number): number {
  return Math.min(CHUNK_EVENTS, Math.ceil(perSecond));
}

/** Milliseconds to wait to keep to `perSecond`. Instants in milliseconds since 1970. */
export function computePauseMs(
  published: number,
  {
    perSecond,
    startedAt,
    now,
  }: { readonly perSecond: number; readonly startedAt: number; readonly now: number },
): number {
  return Math.max(0, startedAt + (published / perSecond) * 1_000 - now);
}
