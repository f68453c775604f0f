import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import type { System } from '#shared/adapters/system/system.ts';
import { createSourceApi } from '#shared/adapters/workforce-api/source-api.ts';
import type { PollRequest } from '#shared/config/requests/poll-request.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import { SourceError } from '#shared/core/errors.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { type DryRun, dryRun } from '#shared/flow/dry-run.ts';
import type { SourceApi } from '#shared/flow/poll/ports.ts';
import { createConnectionClients } from '#shared/operator/connection-clients.ts';
import { toTableOptions } from '#shared/operator/target.ts';

/** Real time; the default timeout of a poll function. */
const TIME_LIMIT_MS = 300_000;

/** What a dry run needs of a target. */
export interface DryRunContext {
  readonly dynamoDb: DynamoDBClient;
  readonly tableName: string;
  readonly readSecret: (secretName: string) => (ask: { readonly fresh: boolean }) => Promise<string>;
  readonly system: System;
  /** Seconds of the clock per real second; default 1. */
  readonly speed?: number;
}

export interface DryRunTask {
  readonly connection: Connection;
  readonly feeds: readonly FeedName[];
  /** `due`: the slices due now. `window`: every slice of the window. */
  readonly scope: PollRequest['scope'];
  /** Times of day of the daily summaries; default: none. */
  readonly summaries?: readonly string[];
}

/** A dry run, and the error messages of the source: they may name people, show them on a terminal only. */
export interface DryRunWithErrors extends DryRun {
  readonly said: readonly string[];
}

/** Runs the feeds of a connection one after another. */
export async function* dryRunFeeds(
  task: DryRunTask,
  context: DryRunContext,
): AsyncGenerator<DryRunWithErrors, void> {
  const { connection, scope, summaries = [] } = task;
  const { system, speed = 1 } = context;
  const createClient = createConnectionClients(connection, context);
  for (const feed of task.feeds) {
    const deadline = system.now() + TIME_LIMIT_MS * speed;
    const order = {
      feed,
      request: { connection, scope, summaries: [...summaries] },
      runId: system.uniqueId(),
      deadline,
    };
    const store = createDynamoSnapshotStore(toTableOptions(context));
    const { pageSize } = connection.requests;
    const source = createSourceApi(createClient(deadline), { pageSize, now: system.now });
    const said = new Set<string>();
    const run = await dryRun(order, { source: recordSourceErrors(source, said), clock: system, store });
    yield { ...run, said: [...said] };
  }
}

/** The same source, with its error messages added to `said`. */
function recordSourceErrors(source: SourceApi, said: Set<string>): SourceApi {
  const note = (error: unknown) => {
    if (error instanceof SourceError && error.said !== null) said.add(error.said);
  };
  return {
    ...source,
    async *pages(feed, range) {
      const end = yield* source.pages(feed, range);
      note(end.error);
      return end;
    },
    async lookUp(feed, id) {
      try {
        return await source.lookUp(feed, id);
      } catch (error) {
        note(error);
        throw error;
      }
    },
  };
}
