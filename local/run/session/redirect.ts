import * as z from 'zod';
import type { Adaptation } from '#local/aws/functions/running-functions.ts';
import type { DeployedFunction, Deployment } from '#local/aws/template/deployment.ts';
import type { Receivers } from '#local/receivers/server.ts';
import { readSetting, writeSetting } from '#shared/config/environment.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { CHAT_KINDS } from '#shared/config/schema/chat-kind.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import { alertingSchema, toAlertedConnection } from '#shared/config/schema/people.ts';
import { type Webhook, webhookSchema } from '#shared/config/schema/webhook.ts';
import type { SigningSecret } from './signing-secrets.ts';

/**
 * The only place where a run differs from its template: people and systems are on this machine.
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
}

export interface RedirectedWebhook {
  readonly name: string;
  readonly address: string;
  readonly secret: string;
  readonly origin: SigningSecret['origin'];
}

export interface RedirectOptions {
  readonly connection: Connection;
  /** `null` when only events are delivered. */
  readonly receivers: Receivers | null;
  /** The user's own receiver; `null` for the local one. */
  readonly webhookUrl: string | null;
  /** The signing secret for a secret name of the template. */
  readonly signingSecret: (secretName: string) => SigningSecret;
}

const channelSchema = z.looseObject({
  kind: z.enum(CHAT_KINDS).default('slack'),
  name: z.string(),
  secretName: z.string(),
  channelId: z.string().optional(),
  files: z
    .looseObject({ connections: z.array(z.object({ name: z.string(), timeZone: z.string() })) })
    .optional(),
});
type ChatSetting = z.output<typeof channelSchema>;

/** What a function delivers to, by its environment in the template. */
type FunctionRole =
  | { readonly kind: 'chat'; readonly channel: ChatSetting }
  | { readonly kind: 'webhook'; readonly webhook: Webhook }
  | { readonly kind: 'alerts'; readonly alerting: string }
  | { readonly kind: 'other' };

/** Computes the redirection of a deployment. Changes nothing. */
export function redirect({ functions }: Deployment, options: RedirectOptions): Redirection {
  const { receivers, webhookUrl } = options;
  const roles = functions.map(classifyFunction);
  const webhooks = roles
    .flatMap((role) => (role.kind === 'webhook' ? [role.webhook] : []))
    .map(({ name, secretName }) => ({
      name,
      address: webhookUrl ?? receivers?.webhookAddress(name) ?? '',
      ...options.signingSecret(secretName),
      secretName,
    }));
  const channels = roles.flatMap((role) => (role.kind === 'chat' ? [role.channel] : []));
  return {
    secrets: new Map([
      ...webhooks.map(({ secretName, secret }) => [secretName, secret] as const),
      ...channels.map((channel) => [channel.secretName, findSecret(channel, receivers)] as const),
    ]),
    webhooks,
    adapt: (deployed) => {
      const changed = buildSettings(classifyFunction(deployed), webhooks, options);
      return { ...deployed, environment: { ...deployed.environment, ...changed } };
    },
    // Endpoints live in real time.
    inRealTime: (deployed) => classifyFunction(deployed).kind === 'webhook',
    serves: (deployed) => isServed(classifyFunction(deployed), options),
  };
}

/** No secret: the address of the local receiver holds one. */
const LOCAL_TOKEN = 'xoxb-only-on-this-machine';

function findSecret({ kind, name, channelId }: ChatSetting, receivers: Receivers | null): string {
  if (receivers === null) return '';
  if (channelId !== undefined) return LOCAL_TOKEN;
  return kind === 'slack' ? receivers.slackAddress(name) : receivers.teamsAddress(name);
}

function classifyFunction({ environment }: DeployedFunction): FunctionRole {
  const {
    [ENVIRONMENT.channel]: channel,
    [ENVIRONMENT.webhook]: webhook,
    [ENVIRONMENT.alerting]: alerting,
  } = environment;
  if (channel !== undefined) return { kind: 'chat', channel: channelSchema.parse(readSetting(channel)) };
  if (webhook !== undefined) return { kind: 'webhook', webhook: webhookSchema.parse(readSetting(webhook)) };
  return alerting === undefined ? { kind: 'other' } : { kind: 'alerts', alerting };
}

/** The messages of a function that is not served stay in its queue for a later run. */
function isServed(role: FunctionRole, { receivers, webhookUrl }: RedirectOptions): boolean {
  switch (role.kind) {
    case 'chat':
    case 'alerts':
      return receivers !== null;
    case 'webhook':
      return receivers !== null || webhookUrl !== null;
    case 'other':
      return true;
  }
}

/** The environment variables of a function that differ from the template. */
function buildSettings(
  role: FunctionRole,
  webhooks: readonly RedirectedWebhook[],
  { connection, receivers }: RedirectOptions,
): Record<string, string> {
  switch (role.kind) {
    case 'chat': {
      const { channel } = role;
      const hasBot = channel.channelId !== undefined && receivers !== null;
      const api = hasBot ? { apiUrl: `${receivers.slackAddress(channel.name)}/` } : {};
      const allow = toTarget(receivers?.slackAddress(channel.name) ?? '')?.allow;
      return { [ENVIRONMENT.channel]: writeSetting({ ...channel, ...api, allow }) };
    }
    case 'webhook': {
      const { address = '' } = webhooks.find(({ name }) => name === role.webhook.name) ?? {};
      return { [ENVIRONMENT.webhook]: writeSetting({ ...role.webhook, ...toTarget(address) }) };
    }
    case 'alerts':
      return { [ENVIRONMENT.alerting]: setConnection(connection, role.alerting) };
    case 'other':
      return {};
  }
}

function toTarget(address: string): Pick<Webhook, 'url' | 'allow'> | undefined {
  if (address === '') return undefined;
  const { protocol, port } = new URL(address);
  const usual = protocol === 'https:' ? 443 : 80;
  const ports = [port === '' ? usual : Number(port)];
  return { url: address, allow: { http: true, privateAddresses: true, ports } };
}

function setConnection(connection: Connection, alerting: string): string {
  const { connections, ...rest } = alertingSchema.parse(readSetting(alerting));
  return writeSetting({
    ...rest,
    connections: connections.map((known) =>
      known.name === connection.name ? toAlertedConnection(connection) : known,
    ),
  });
}
