/**
 * The one table, as data: used by the template, the adapter, the one-machine run and the tests alike.
 * What the keys hold is said in `shared/adapters/dynamo/keys.ts`.
 */
export const TABLE = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** Seconds since 1970 after which DynamoDB may delete the item: old events, what became of them, and names. */
  timeToLive: 'expiresAt',
} as const;
