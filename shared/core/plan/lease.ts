/** No function runs longer. A lease that ends later was taken with a wrong clock and counts as expired. */
export const MAX_LEASE_MS = 20 * 60_000;
