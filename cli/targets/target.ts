import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SNSClient } from '@aws-sdk/client-sns';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { System } from '#shared/adapters/system/system.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';

/** Code of the error of what only a machine that runs could tell. */
export const MACHINE_STOPPED = 'machine_stopped';

/** Where a command works: a stack in AWS, or what one machine remembers in a data folder. */
export interface Target {
  /** Such as `the stack workforce-notifier` or `the data folder .data`. */
  readonly title: string;
  readonly config: NotifierConfig;
  /** The connections as they are polled: in a data folder with the source and the zone of the run. */
  readonly connections: readonly Connection[];
  readonly tableName: string;
  readonly dynamoDb: DynamoDBClient;
  readonly sqs: SQSClient;
  readonly sns: SNSClient;
  /** Clock, timer and dice; the clock is that of the company where a machine runs one. */
  readonly system: System;
  /** Seconds of that clock in a real one: a limit in real time is this many times as long by that clock. */
  readonly speed: number;
  /** Whether people and systems are elsewhere than the config says: on the one machine. */
  readonly redirects: boolean;
  /** Whether it is a data folder on which no machine runs, so that nothing polls. */
  readonly isStopped?: boolean;
  /** False where a machine runs that tells no people: what is for them waits. */
  readonly tellsPeople?: boolean;
  /**
   * What the stack says of itself under a path such as `queues/webhook-payroll/url`. Throws a `NotifierError`
   * (`part_missing`).
   */
  part(path: string): string;
  /** All that the stack says of itself, by path. */
  readonly parts: ReadonlyMap<string, string>;
  /** Reads a secret by its name. Throws a `NotifierError`: of `MACHINE_STOPPED` where a machine would know it. */
  readSecret(secretName: string): (ask: { readonly fresh: boolean }) => Promise<string>;
  /** Invokes a function, found by the name of its code such as `replay-events`, and answers what it returned. */
  invoke(code: string, request: object): Promise<unknown>;
  close(): Promise<void>;
}

/** How the user names a target on the command line. */
export interface TargetFlags {
  /** A data folder; without it, AWS. */
  readonly data?: string;
  /** Name of the stack, when it is not that of the config. */
  readonly stack?: string;
}
