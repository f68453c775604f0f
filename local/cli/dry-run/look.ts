import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { sourceClients } from '#local/cli/source.ts';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot-store.ts';
import type { System } from '#shared/adapters/system/system.ts';
import { createSourceApi } from '#shared/adapters/workforce-api/source-api.ts';
import type { Connection } from '#shared/config/connection.ts';
import type { PollRequest } from '#shared/config/poll-request.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { type DryRun, dryRun } from '#shared/flow/dry-run.ts';

/** As long as a poll function has by default, in real time. */
const TIME_LIMIT_MS = 300_000;

/** Where a dry run reads what is stored, and the secrets of sources. */
export interface DryRunPlace {
  readonly dynamoDb: DynamoDBClient;
  readonly tableName: string;
  readonly readSecret: (secretName: string) => (ask: { readonly fresh: boolean }) => Promise<string>;
  readonly system: System;
  /** Seconds of that clock per real second; 1 when left out. */
  readonly speed?: number;
}

/** What is looked at. */
export interface DryRunTask {
  readonly connection: Connection;
  readonly feeds: readonly FeedName[];
  /** `due`: what the planner finds due now. `window`: every slice of the window. */
  readonly scope: PollRequest['scope'];
}

/** Dry runs of the feeds of a connection, one after another. */
export async function* lookDry(task: DryRunTask, place: DryRunPlace): AsyncGenerator<DryRun, void> {
  const { connection, scope } = task;
  const { dynamoDb, tableName, system, speed = 1 } = place;
  const clientOf = sourceClients(connection, place);
  for (const feed of task.feeds) {
    const deadline = system.now() + TIME_LIMIT_MS * speed;
    const order = { feed, request: { connection, scope }, runId: system.uniqueId(), deadline };
    const store = createDynamoSnapshotStore({
      client: dynamoDb,
      tableName,
      sleep: system.sleep,
      random: system.random,
    });
    const { pageSize } = connection.requests;
    const source = createSourceApi(clientOf(deadline), { pageSize, now: system.now });
    yield await dryRun(order, { source, clock: system, store });
  }
}
