import { join } from 'node:path';
import { announce } from '#local/aws/engines/announcement.ts';
import { createDynamoDbClient } from '#local/aws/engines/clients.ts';
import { queueUrl } from '#local/aws/functions/queue-messages.ts';
import type { RunningSource } from '#local/source/server.ts';
import { createDeliveryStore } from '#shared/adapters/dynamo/deliveries/delivery-store.ts';
import { createWebhookStateStore } from '#shared/adapters/dynamo/deliveries/webhook-state-store.ts';
import { system } from '#shared/adapters/system/system.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { startCompany } from '#test/end-to-end/company.ts';
import { createClock, type Stage, type StageOptions, startStage } from '#test/end-to-end/stage.ts';
import { executeHere, type Printed } from './execute.ts';

/** A running, announced machine for commands. */
export interface WatchedMachine {
  readonly source: RunningSource;
  readonly stage: Stage;
  readonly webhookStates: ReturnType<typeof createWebhookStateStore>;
  readonly deliveryStore: ReturnType<typeof createDeliveryStore>;
  /** Runs a command on its data folder. */
  run(...args: readonly string[]): Promise<Printed>;
  /** Lets the company live on for so long, and moves the clocks of functions and commands with it. */
  advance(minutes: number): Promise<void>;
  /** Stops it, and deletes its data folder unless `keep`. */
  stop(options?: { readonly keep?: boolean }): Promise<void>;
}

/** Starts a machine and completes its baseline. */
export async function startWatchedMachine(
  options: Pick<StageOptions, 'windowBackDays'> = {},
): Promise<WatchedMachine> {
  const source = await startCompany();
  const stage = await startStage({ source, ...options });
  await stage.tell();
  const { synthesize } = await import('#local/aws/template/synthesize.ts');
  const assembly = await synthesize(() => {});
  const announceNow = () =>
    announce(
      { file: (name) => join(stage.dataFolder, name) },
      {
        endpoints: stage.aws.endpoints,
        assembly,
        clock: createClock(stage.now()),
        connection: stage.connection,
        tellsPeople: true,
      },
    );
  announceNow();
  const { sleep, random } = system;
  const client = createDynamoDbClient(stage.aws.endpoints);
  const tableName = stage.aws.deployment.functions[0]?.environment[ENVIRONMENT.tableName] ?? '';
  const table = { client, tableName, sleep, random };
  return {
    source,
    stage,
    webhookStates: createWebhookStateStore(table),
    deliveryStore: createDeliveryStore(table),
    run: (...args) => executeHere([...args, '--data', stage.dataFolder]),
    advance: async (minutes) => {
      source.advance(minutes * 60_000);
      stage.advance(minutes);
      announceNow();
    },
    stop: async (how) => {
      await stage.stop(how);
      await source.close();
    },
  };
}

/** URL of a queue of the stack. */
export function stackQueue(name: string): string {
  return queueUrl(`workforce-notifier-${name}`);
}
