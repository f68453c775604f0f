const DAY_MS = 24 * 60 * 60_000;

/** Names that nobody refreshes any more, since no channel asks for them, are forgotten after so long. */
const LIFETIME_MS = 14 * DAY_MS;
/**
 * Names that a refresh finds as they were are written anew once less than this is left of their time. So a source may
 * be away for that long before people read ids, and on most days a refresh writes nothing.
 */
const RENEWED_BELOW_MS = 10 * DAY_MS;

/** Until when names live that are written now. Instants are in milliseconds since 1970. */
export function computeNamesExpiry(now: number): number {
  return now + LIFETIME_MS;
}

/** Whether names that have not changed must be written anew. */
export function mustRenewNames(end: number, now: number): boolean {
  return end - now < RENEWED_BELOW_MS;
}

/** Whether names are no longer to be shown, although DynamoDB may take days to delete them. */
export function areNamesExpired(end: number, now: number): boolean {
  return now >= end;
}
