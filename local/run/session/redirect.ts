import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Adaptation } from '#local/aws/functions/running-functions.ts';
import type { DeployedFunction, Deployment } from '#local/aws/template/deployment.ts';
import type { Receivers } from '#local/receivers/server.ts';
import type { DeployedConfig } from '#shared/config/deployed-config.ts';
import { CONFIG_FILE, ENVIRONMENT } from '#shared/config/names.ts';
import type { ChatChannel } from '#shared/config/schema/channel.ts';
import { isChat } from '#shared/config/schema/chat-kind.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import type { Webhook } from '#shared/config/schema/webhook.ts';
import type { SigningSecret } from './signing-secrets.ts';

/**
 * The only place where a run differs from its template: people and systems are on this machine. Functions read another
 * config than the one beside their code.
 *
 * - The secret of a channel of Slack or Teams is the address of the local receiver, and its function accepts that. Of a
 *   channel with a bot it is a token that only the local receiver takes, which its function asks in place of Slack.
 * - A webhook goes to the local receiver, or to that of `--webhook`, with its address allowed. Its secret is one of the
 *   data folder. Its function uses real time even when the simulated clock runs fast: receivers compare the timestamp of
 *   a signature with a real clock, and retries are delays of SQS, which are real.
 * - Quiet hours and alert texts use the time zone of the run, like the polls.
 */
export interface Redirection extends Adaptation {
  /** Secret values by name. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly webhooks: readonly RedirectedWebhook[];
  /** What the functions read. */
  readonly config: DeployedConfig;
}

export interface RedirectedWebhook {
  readonly name: string;
  readonly address: string;
  readonly secret: string;
  readonly origin: SigningSecret['origin'];
}

export interface RedirectOptions {
  /** What functions read in place of the config beside their code is written here. */
  readonly configFile: string;
  readonly connection: Connection;
  /** `null` when only events are delivered. */
  readonly receivers: Receivers | null;
  /** The user's own receiver; `null` for the local one. */
  readonly webhookUrl: string | null;
  /** The signing secret for a secret name of the template. */
  readonly signingSecret: (secretName: string) => SigningSecret;
}

/** Computes the redirection of a deployment, and writes its config. */
export function redirect({ functions: [first] }: Deployment, options: RedirectOptions): Redirection {
  const { receivers, webhookUrl, connection, configFile } = options;
  // All functions have the same.
  const config: DeployedConfig = JSON.parse(readFileSync(join(first?.codeFolder ?? '', CONFIG_FILE), 'utf8'));
  const webhooks = config.webhooks.map(({ name, secretName }) => ({
    name,
    address: webhookUrl ?? receivers?.webhookAddress(name) ?? '',
    ...options.signingSecret(secretName),
    secretName,
  }));
  const channels = config.people.channels.filter(isChat);
  const redirected: DeployedConfig = {
    ...config,
    connections: config.connections.map((each) => (each.name === connection.name ? connection : each)),
    webhooks: config.webhooks.map((webhook, at) => ({ ...webhook, ...toTarget(webhooks[at]?.address) })),
    chats: Object.fromEntries(
      receivers === null ? [] : channels.map((channel) => [channel.name, addressOf(channel, receivers)]),
    ),
  };
  writeFileSync(configFile, JSON.stringify(redirected), { mode: 0o600 });
  return {
    secrets: new Map([
      ...webhooks.map(({ secretName, secret }) => [secretName, secret] as const),
      ...channels.map((channel) => [channel.secretName, findSecret(channel, receivers)] as const),
    ]),
    webhooks,
    config: redirected,
    adapt: (deployed) => ({
      ...deployed,
      environment: { ...deployed.environment, [ENVIRONMENT.configFile]: configFile },
    }),
    // Endpoints live in real time.
    inRealTime: isOfWebhook,
    serves: (deployed) => isServed(deployed, options),
  };
}

/** No secret: the address of the local receiver holds one. */
const LOCAL_TOKEN = 'xoxb-only-on-this-machine';

function findSecret(channel: ChatChannel, receivers: Receivers | null): string {
  if (receivers === null) return '';
  const hasBot = channel.kind === 'slack' && channel.channelId !== undefined;
  return hasBot ? LOCAL_TOKEN : addressOf(channel, receivers);
}

function addressOf({ kind, name }: ChatChannel, receivers: Receivers): string {
  return kind === 'slack' ? receivers.slackAddress(name) : receivers.teamsAddress(name);
}

function isOfWebhook({ environment }: DeployedFunction): boolean {
  return environment[ENVIRONMENT.webhook] !== undefined;
}

/** Whether a function makes messages of events. */
export function isOfAlerts({ name }: DeployedFunction): boolean {
  return /-(?:collect|release)-alerts$/.test(name);
}

/** The messages of a function that is not served stay in its queue for a later run. */
function isServed(deployed: DeployedFunction, { receivers, webhookUrl }: RedirectOptions): boolean {
  if (receivers !== null) return true;
  if (isOfWebhook(deployed)) return webhookUrl !== null;
  return deployed.environment[ENVIRONMENT.channel] === undefined && !isOfAlerts(deployed);
}

function toTarget(address = ''): Partial<Pick<Webhook, 'url' | 'allow'>> {
  if (address === '') return {};
  return { url: address, allow: { http: true, privateAddresses: true } };
}
