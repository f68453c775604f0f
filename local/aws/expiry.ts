import { DeleteItemCommand, type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { TABLE } from '#shared/config/table.ts';
import { createDynamoDbClient } from './engines/clients.ts';
import { repeat } from './functions/repeat.ts';
import { toVirtualTime, type VirtualClock } from './functions/virtual-clock.ts';
import type { LocalAws } from './local-aws.ts';
import { findTableNames } from './template/apply/template.ts';

/** Of the run's time. DynamoDB takes up to some days. */
const SWEEP_EVERY_MS = 3_600_000;
/** Real time, however fast the simulated clock runs: each sweep reads the table. */
const MIN_SWEEP_MS = 60_000;

/**
 * Deletes from the tables of a machine what is over by its clock (null for real time), now and from time to time: the
 * embedded DynamoDB never does.
 */
export function startExpiry(
  aws: Pick<LocalAws, 'deployment' | 'endpoints'>,
  clock: VirtualClock | null,
): { stop(): Promise<void> } {
  const client = createDynamoDbClient(aws.endpoints);
  const repetition = repeat(Math.max(MIN_SWEEP_MS, SWEEP_EVERY_MS / (clock?.speed ?? 1)), async () => {
    const now = clock === null ? Date.now() : toVirtualTime(clock, Date.now());
    for (const tableName of findTableNames(aws.deployment)) {
      // One that fails is made up for by the next.
      await deleteExpired(client, { tableName, now }).catch(() => {});
    }
  });
  return {
    stop: async () => {
      repetition.stop();
      await repetition.ended;
      client.destroy();
    },
  };
}

/** Deletes the items whose time to live is over at `now`, unless they are given another meanwhile. */
export async function deleteExpired(
  client: DynamoDBClient,
  { tableName, now }: { readonly tableName: string; readonly now: number },
): Promise<void> {
  const isOver = {
    TableName: tableName,
    ExpressionAttributeNames: { '#expires': TABLE.timeToLive },
    ExpressionAttributeValues: { ':now': { N: String(Math.floor(now / 1_000)) } },
  };
  const scan = { ...isOver, FilterExpression: '#expires < :now' };
  for await (const { Items = [] } of paginateScan({ client }, scan)) {
    for (const { [TABLE.partitionKey]: pk, [TABLE.sortKey]: sk } of Items) {
      if (pk === undefined || sk === undefined) continue;
      const Key = { [TABLE.partitionKey]: pk, [TABLE.sortKey]: sk };
      const deletion = { ...isOver, Key, ConditionExpression: '#expires < :now' };
      await client.send(new DeleteItemCommand(deletion)).catch(ignoreRenewed);
    }
  }
}

function ignoreRenewed(error: unknown): void {
  if (!(error instanceof Error && error.name === 'ConditionalCheckFailedException')) throw error;
}
