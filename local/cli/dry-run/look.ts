import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createCredential } from '#shared/adapters/credential/credential.ts';
import { asSourceSecret } from '#shared/adapters/credential/source-secret.ts';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot-store.ts';
import type { System } from '#shared/adapters/system/system.ts';
import { createWorkforceApi } from '#shared/adapters/workforce-api/api.ts';
import { createGovernor } from '#shared/adapters/workforce-api/governor.ts';
import { createSourceApi } from '#shared/adapters/workforce-api/source-api.ts';
import { createTokenRequest } from '#shared/adapters/workforce-api/token-request.ts';
import type { Connection } from '#shared/config/connection.ts';
import type { PollRequest } from '#shared/config/poll-request.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { type DryRun, dryRun } from '#shared/flow/dry-run.ts';
import type { SourceApi } from '#shared/ports.ts';

/** As long as a poll function has by default. */
const TIME_LIMIT_MS = 300_000;

/** Where a dry run reads what is stored, and the secrets of sources. */
export interface DryRunPlace {
  readonly dynamoDb: DynamoDBClient;
  readonly tableName: string;
  readonly readSecret: (secretName: string) => (ask: { readonly fresh: boolean }) => Promise<string>;
  readonly system: System;
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
  const { dynamoDb, tableName, system } = place;
  const clientOf = sourcesOf(connection, place);
  for (const feed of task.feeds) {
    const deadline = system.now() + TIME_LIMIT_MS;
    const order = { feed, request: { connection, scope }, runId: system.uniqueId(), deadline };
    const store = createDynamoSnapshotStore({
      client: dynamoDb,
      tableName,
      sleep: system.sleep,
      random: system.random,
    });
    yield await dryRun(order, { source: clientOf(deadline), clock: system, store });
  }
}

/** A client of the source for each feed, with one token and one pace. */
function sourcesOf(connection: Connection, place: DryRunPlace): (deadline: number) => SourceApi {
  const { baseUrl, requests, secretName } = connection;
  const { now, sleep, random } = place.system;
  let until = 0;
  const deadline = () => until;
  const governor = createGovernor({ maxPerSecond: requests.maxPerSecond, now, sleep, random });
  const credential = createCredential({
    secretName,
    readSecret: asSourceSecret(place.readSecret(secretName)),
    requestToken: createTokenRequest({ baseUrl, secretName, requests, now, deadline }),
    now,
  });
  return (given) => {
    until = given;
    const api = createWorkforceApi({ baseUrl, credential, requests, governor, now, deadline });
    return createSourceApi(api, { pageSize: requests.pageSize, now });
  };
}
