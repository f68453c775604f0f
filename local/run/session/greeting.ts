import { LOCAL_ACCOUNT, LOCAL_REGION, toCredentials } from '#local/aws/template/local-account.ts';
import { toEventQueueName } from '#shared/config/part-names.ts';
import type { RunOptions } from '../options.ts';
import { LEGEND } from '../output/lines.ts';
import type { Notes } from '../output/notes.ts';
import type { Machine } from './machine.ts';

interface Greeting {
  readonly options: RunOptions;
  readonly notes: Notes;
}

/** Says what a run works with. */
export function greet({ aws, config, signingSecret, polling }: Machine, { options, notes }: Greeting): void {
  const { source, mode, webhook, webhookSecret } = options;
  if (source.kind === 'emulator' && mode.kind === 'schedules')
    notes.say(`a sample company that lives ${source.speed} times as fast; Ctrl-C to stop`);
  // The sample company has no secrets; and programs that read the output have read the documents.
  if (source.kind === 'remote' && isWatched(options) && aws.exposure !== null)
    notes.say(`open to others: ${aws.exposure}`);
  if (polling.leftOut.length > 0)
    notes.say(`polls ${polling.request.connection.name} alone, not ${polling.leftOut.join(', ')}`);
  // One given by the user must not appear on a terminal or in a log.
  const secret = webhookSecret === null ? signingSecret : 'your secret';
  for (const { name } of webhook === null ? [] : config.webhooks)
    notes.say(`webhook ${name} goes to ${webhook}, signed with ${secret}`);
  if (isWatched(options)) notes.say(LEGEND);
}

/** Whether a run is long and readable enough for somebody to look at it, and at its console. */
function isWatched({ mode, output }: RunOptions): boolean {
  return output === 'text' && mode.kind !== 'once';
}

export interface ServedConsole {
  /** With a one-time token. */
  readonly address: string;
  /** The address with another token, which takes the place of the one before. */
  renewAddress(): string;
  stop(): Promise<void>;
}

/** Opens the console of a data folder, which is opened when the first page asks for it. */
export type OpenConsole = (dataFolder: string) => Promise<ServedConsole>;

/** Serves the console of a run and prints its address. Null for a run that has none. */
export async function serveConsole(
  options: RunOptions,
  notes: Notes,
  openConsole: OpenConsole,
): Promise<ServedConsole | null> {
  if (!isWatched(options)) return null;
  const served = await openConsole(options.dataFolder);
  notes.say(`console  ${served.address}`);
  return served;
}

/** Where to look into a run: its console, and each queue that the stack creates with lines that receive from it. */
export function listAddresses(
  { aws: { endpoints }, config: { stackName, queues } }: Pick<Machine, 'aws' | 'config'>,
  consoleAddress: string | null,
): string[] {
  const { accessKeyId, secretAccessKey } = toCredentials(endpoints);
  const { messaging } = endpoints;
  const ofStack = queues.filter(({ queueArn }) => queueArn === undefined);
  return [
    ...(consoleAddress === null ? [] : [`console  ${consoleAddress}`]),
    ...ofStack.map(({ name }) =>
      [
        `queue    ${name}, to receive from it:`,
        `  export AWS_ACCESS_KEY_ID=${accessKeyId}`,
        `  export AWS_SECRET_ACCESS_KEY=${secretAccessKey} AWS_DEFAULT_REGION=${LOCAL_REGION}`,
        `  aws sqs receive-message --endpoint-url ${messaging} \\`,
        `    --queue-url ${messaging}/${LOCAL_ACCOUNT}/${toEventQueueName(stackName, name)}`,
      ].join('\n'),
    ),
  ];
}
