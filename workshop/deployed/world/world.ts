import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import { PutParameterCommand } from '@aws-sdk/client-ssm';
import type { RunningSource } from '#local/source/server.ts';
import { isChat } from '#shared/config/schema/chat-kind.ts';
import type { NotifierConfigInput } from '#shared/config/schema/notifier-config.ts';
import { readParameterName } from '#shared/config/schema/secret-name.ts';
import type { Aws } from '../aws.ts';
import { createHeldClock, type HeldClock } from './clock.ts';
import { type Companies, STARTS_AT, startCompanies } from './companies.ts';
import { type Addresses, secretOf } from './everything.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/** Of all webhooks. It signs nothing outside this machine. */
export const SIGNING_SECRET = `whsec_${Buffer.alloc(32, 'deployed').toString('base64')}`;

/** Of the bot. The receiver takes any. */
const BOT_TOKEN = 'xoxb-only-on-this-machine';

/** What is around a notifier: time, sources, and those who receive. */
export interface World {
  readonly clock: HeldClock;
  readonly companies: Companies;
  /** Of the deployed notifier. */
  readonly receiver: Receiver;
  readonly addresses: Addresses;
  /** The source of a connection. */
  sourceOf(connection: string): RunningSource;
  /** Writes a config for the CDK and the commands. Returns its path. */
  writeConfig(name: string, config: NotifierConfigInput): string;
  /** Secrets of connections by their names. */
  readonly secrets: ReadonlyMap<string, string>;
  stop(): Promise<void>;
}

export async function startWorld(folder: string, connections: readonly string[]): Promise<World> {
  const clock = createHeldClock(join(folder, 'clock'), STARTS_AT);
  const companies = await startCompanies(connections, clock);
  const receiver = await startReceiver({ secret: SIGNING_SECRET });
  const sourceOf = (connection: string) => {
    const source = companies.sources.get(connection === 'nord' ? 'north' : connection);
    if (source === undefined) throw new Error(`no company for the connection ${connection}`);
    return source;
  };
  const kindOf = (connection: string) => (connection === 'north' ? 'oauth' : 'token');
  return {
    clock,
    companies,
    receiver,
    sourceOf,
    addresses: {
      baseUrl: (connection) => sourceOf(connection).baseUrl,
      webhook: receiver.webhookAddress,
    },
    secrets: new Map(
      connections.map((name) => [secretOf(name), companies.secretOf(name, kindOf(name))] as const),
    ),
    writeConfig: (name, config) => {
      const file = join(folder, `${name}.config.ts`);
      writeFileSync(file, `export default ${JSON.stringify(config, null, 2)};\n`);
      return file;
    },
    stop: async () => {
      await companies.stop();
      await receiver.stop();
    },
  };
}

/** The secrets that a config names, as its operator would create them. */
export async function createSecrets(
  { secrets: client, ssm }: Aws,
  { secrets, receiver }: World,
  { people, webhooks = [] }: NotifierConfigInput,
): Promise<void> {
  const chats = (people?.channels ?? []).filter(isChat).map((channel) => {
    const { kind, name, secretName } = channel;
    if (kind === 'teams') return [secretName, receiver.teamsAddress(name)] as const;
    return [secretName, channel.channelId === undefined ? receiver.slackAddress(name) : BOT_TOKEN] as const;
  });
  const signing = webhooks.map(({ secretName }) => [secretName, SIGNING_SECRET] as const);
  for (const [Name, SecretString] of [...secrets, ...chats, ...signing]) {
    const parameter = readParameterName(Name);
    if (parameter === null) await client.send(new CreateSecretCommand({ Name, SecretString }));
    else
      await ssm.send(new PutParameterCommand({ Name: parameter, Value: SecretString, Type: 'SecureString' }));
  }
}
