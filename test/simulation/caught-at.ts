/** The history that catches each planted mistake: `npm run simulate -- --kills` prints the table anew. */
export const CAUGHT_AT: Readonly<Record<string, number>> = {};
