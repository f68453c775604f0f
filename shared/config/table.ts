/** Attributes of the one table; `shared/adapters/dynamo/keys.ts` says what the keys contain. */
export const TABLE = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** Seconds since 1970 after which DynamoDB may delete the item. */
  timeToLive: 'expiresAt',
} as const;

/** The partition of where the threads of a Slack channel begin: its function reaches no other. */
export function toThreadsPartition(channel: string): string {
  return `alerts#${channel}#threads`;
}

/** The partition of the delivery of an event, alert or message to a destination, whose function reaches no other. */
export function toDeliveryPartition(destination: string, eventId: string): string {
  return `deliveries#${destination}#${eventId}`;
}

/** The partitions of all that is stored of a connection, with a `*` as policies take it. */
export function toConnectionPartitions(connection: string): string {
  return `${connection}#*`;
}

/** The partition of what a connection remembers, its lease included. */
export function toStatePartition(connection: string): string {
  return `${connection}#state`;
}

/** The partition of the heads of a connection: one query loads them. */
export function toHeadsPartition(connection: string): string {
  return `${connection}#heads`;
}

/** The partition of the events that a connection committed. */
export function toLogPartition(connection: string): string {
  return `${connection}#log`;
}

/** The partition of the timesheets of pay periods at their counts. */
export function toCountsPartition(connection: string): string {
  return `${connection}#counts`;
}

/** The partition that says which pay calendar an employee belongs to. */
export function toAnswersPartition(connection: string): string {
  return `${connection}#answers`;
}

/** The partition that says what webhooks want, and since when. */
export const INTERESTS_PARTITION = 'interests';
