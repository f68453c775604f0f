/** No function lives longer; a lease that ends later was taken with a wrong clock, and counts as over. */
export const MAX_LEASE_MS = 20 * 60_000;
