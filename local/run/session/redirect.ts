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

/**
 * The only place where a run differs from its template: people and systems are on this machine. Functions read another
 * config than the one beside their code.
 *
 * - The secret of a channel of Slack or Teams is the address of the local receiver, and its function accepts that. Of a
 *   channel with a bot it is a token that only the local receiver takes, which its function asks in place of Slack.
 * - A webhook goes to the local receiver, which is allowed, signed with the secret of the run. Its function uses real time
 *   even when the simulated clock runs fast: receivers compare the timestamp of a signature with a real clock, and retries
 *   are delays of SQS, which are real.
 * - Quiet hours and alert texts use the time zone of the run, like the polls.
 */
export interface Redirection extends Adaptation {
  /** Secret values by name. */
  readonly secrets: ReadonlyMap<string, string>;
  /** What the functions read. */
  readonly config: DeployedConfig;
}

export interface RedirectOptions {
  /** What functions read in place of the config beside their code is written here. */
  readonly configFile: string;
  readonly connection: Connection;
  readonly receivers: Receivers;
  /** Of all webhooks. */
  readonly signingSecret: string;
  /** What is delivered; the rest stays in its queues for a later run. Default: everything. */
  readonly delivers?: { readonly toPeople: boolean; readonly toWebhooks: boolean };
}

/** Computes the redirection of a deployment, and writes its config. */
export function redirect({ functions: [first] }: Deployment, options: RedirectOptions): Redirection {
  const { receivers, connection, configFile, signingSecret, delivers } = options;
  // All functions have the same.
  const config: DeployedConfig = JSON.parse(readFileSync(join(first?.codeFolder ?? '', CONFIG_FILE), 'utf8'));
  const channels = config.people.channels.filter(isChat);
  const redirected: DeployedConfig = {
    ...config,
    connections: config.connections.map((each) => (each.name === connection.name ? connection : each)),
    webhooks: config.webhooks.map((webhook) => ({
      ...webhook,
      url: receivers.webhookAddress(webhook.name),
      allow: { http: true, privateAddresses: true },
    })),
    chats: Object.fromEntries(channels.map((channel) => [channel.name, addressOf(channel, receivers)])),
  };
  writeFileSync(configFile, JSON.stringify(redirected), { mode: 0o600 });
  return {
    secrets: new Map([
      ...config.webhooks.map(({ secretName }) => [secretName, signingSecret] as const),
      ...channels.map((channel) => [channel.secretName, findSecret(channel, receivers)] as const),
    ]),
    config: redirected,
    adapt: (deployed) => ({
      ...deployed,
      environment: { ...deployed.environment, [ENVIRONMENT.configFile]: configFile },
    }),
    // Endpoints live in real time.
    inRealTime: isOfWebhook,
    serves: (deployed) => isServed(deployed, delivers),
  };
}

/** No secret: the address of the local receiver holds one. */
const LOCAL_TOKEN = 'xoxb-only-on-this-machine';

function findSecret(channel: ChatChannel, receivers: Receivers): string {
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

function isServed(deployed: DeployedFunction, delivers: RedirectOptions['delivers']): boolean {
  const { toPeople = true, toWebhooks = true } = delivers ?? {};
  if (isOfWebhook(deployed)) return toWebhooks;
  const isForPeople = deployed.environment[ENVIRONMENT.channel] !== undefined || isOfAlerts(deployed);
  return toPeople || !isForPeople;
}
