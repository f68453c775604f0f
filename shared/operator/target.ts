import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SNSClient } from '@aws-sdk/client-sns';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { TableOptions } from '#shared/adapters/dynamo/table.ts';
import type { System } from '#shared/adapters/system/system.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { NotifierError } from '#shared/core/errors.ts';

/** Code of the error for what is available only while `npm start` is running. */
export const MACHINE_STOPPED = 'machine_stopped';

/** Where a command works: a stack in AWS, or a data folder of `npm start`. */
export interface Target {
  /** Such as `the stack workforce-notifier` or `the data folder .data`. */
  readonly title: string;
  readonly config: NotifierConfig;
  /** The connections as polled: in a data folder with the source and the time zone of the run. */
  readonly connections: readonly Connection[];
  readonly tableName: string;
  readonly dynamoDb: DynamoDBClient;
  readonly sqs: SQSClient;
  readonly sns: SNSClient;
  /** The clock is the simulated one in a data folder of the sample company. */
  readonly system: System;
  /** Seconds of that clock per real second: multiply a real time limit by it. */
  readonly speed: number;
  /** Whether alerts and webhooks go to this machine instead of the addresses of the config. */
  readonly redirects: boolean;
  /** Webhooks keep the time of their endpoints, which is not that of `system`: of a sample company. */
  readonly webhooksInRealTime?: boolean;
  /** Whether it is a data folder without a running machine, so that nothing polls. */
  readonly isStopped?: boolean;
  /** False when the running machine delivers no alerts to people; they wait. */
  readonly tellsPeople?: boolean;
  /** The options that name this target, such as `['--data', '.data']`: printed commands repeat them. */
  readonly placeOptions?: readonly string[];
  /**
   * A parameter that the stack publishes, by a path such as `queues/webhook-payroll/url`. Throws a `NotifierError`
   * (`part_missing`).
   */
  part(path: string): string;
  /** All parameters that the stack publishes, by path. */
  readonly parts: ReadonlyMap<string, string>;
  /** Whether a secret exists; absent where secrets are of this machine. Throws what the SDK throws otherwise. */
  hasSecret?(secretName: string): Promise<boolean>;
  /** Secrets are looked for with `hasSecret`, where there is one, and not read: for somebody who may not sign or ask as we do. */
  readonly onlyLooks?: boolean;
  /** Reads a secret by name. Throws a `NotifierError`, `MACHINE_STOPPED` when only a running machine has it. */
  readSecret(secretName: string): (ask: { readonly fresh: boolean }) => Promise<string>;
  close(): Promise<void>;
}

/** The options that name a target, and say how a command answers. */
export interface TargetFlags {
  /** A data folder; without it, the stack of the config in AWS. */
  readonly data?: string;
  readonly json?: true;
}

/** Runs with the target that the user named, and closes it also after an error. Throws a `NotifierError`. */
export type WithTarget = <Result>(
  flags: TargetFlags,
  run: (target: Target) => Promise<Result>,
) => Promise<Result>;

/** What the stores of the table are created with. */
export function toTableOptions({
  dynamoDb: client,
  tableName,
  system: { sleep, random },
}: Pick<Target, 'dynamoDb' | 'tableName' | 'system'>): TableOptions {
  return { client, tableName, sleep, random };
}

/** Looks parameters of a stack up by path. The function throws a `NotifierError` (`part_missing`). */
export function createPartLookup(
  parts: ReadonlyMap<string, string>,
  title: string,
): (path: string) => string {
  return (path) => {
    const value = parts.get(path);
    if (value !== undefined) return value;
    throw new NotifierError(
      'part_missing',
      `${title} has no ${path}; ${suggestPaths(path, [...parts.keys()])}`,
    );
  };
}

/** Names the existing parts of the same kind; without any, the stack is of another version. */
function suggestPaths(path: string, known: readonly string[]): string {
  const [heading = '', ...rest] = path.split('/');
  const ending = rest.at(-1) ?? '';
  const names = known
    .filter((each) => each.startsWith(`${heading}/`) && each.endsWith(`/${ending}`))
    .map((each) => each.slice(heading.length + 1, -ending.length - 1));
  return names.length === 0
    ? 'deploy this version of the stack'
    : `there are ${names.join(', ')}; correct the name, or add it to the config and deploy`;
}

/** The connection of a name, or all of them without one. Throws a `NotifierError` (`connection_unknown`). */
export function selectConnections(
  connections: readonly Connection[],
  name: string | undefined,
): readonly Connection[] {
  const found = connections.filter((connection) => name === undefined || connection.name === name);
  if (found.length > 0) return found;
  const names = connections.map((connection) => connection.name).join(', ');
  throw new NotifierError('connection_unknown', `there is no connection "${name}"; use one of ${names}`);
}
