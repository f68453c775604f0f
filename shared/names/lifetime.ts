const DAY_MS = 24 * 60 * 60_000;

/** Names expire after this time without a refresh, which happens when no channel shows them any more. */
const LIFETIME_MS = 14 * DAY_MS;
/**
 * A refresh rewrites unchanged names when less than this is left. So the source may be away for 10 days before messages
 * fall back to ids, and most refreshes write nothing.
 */
const RENEWED_BELOW_MS = 10 * DAY_MS;

/** When names written now expire. Instants are in milliseconds since 1970. */
export function computeNamesExpiry(now: number): number {
  return now + LIFETIME_MS;
}

/** Whether unchanged names must be written again. */
export function mustRenewNames(expiresAt: number, now: number): boolean {
  return expiresAt - now < RENEWED_BELOW_MS;
}

/** Whether names must not be shown any more; DynamoDB may take days to delete them. */
export function areNamesExpired(expiresAt: number, now: number): boolean {
  return now >= expiresAt;
}
